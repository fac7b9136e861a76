// Ed25519 by libcrypto, as we call it: RFC 8032 section 7.1, tests 1 to 3, and what is no signature.
#include "files/libcrypto/ed25519.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

struct Case {
  const char* private_key;
  const char* public_key;
  const char* message;
  const char* signature;
};

constexpr Case published[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246551"
     "41438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d"
     "291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027"
     "beceea1ec40a"}};

TEST(Ed25519, GivesThePublishedSignatures) {
  for (const Case& one : published) {
    const ByteVector private_key = from_hex(one.private_key), message = from_hex(one.message);
    std::array<std::uint8_t, ed25519_key_bytes> public_key{};
    std::array<std::uint8_t, ed25519_signature_bytes> signature{};
    find_ed25519_public_key(private_key, public_key);
    sign_ed25519(private_key, message, signature);
    EXPECT_EQ(to_hex(public_key), one.public_key);
    EXPECT_EQ(to_hex(signature), one.signature);
    EXPECT_TRUE(is_signed_ed25519(public_key, message, signature));
  }
}

TEST(Ed25519, TakesNoOtherSignatureMessageOrKey) {
  const ByteVector message = from_hex(published[2].message), public_key = from_hex(published[2].public_key);
  const ByteVector signature = from_hex(published[2].signature);
  for (std::size_t i = 0; i < signature.size(); ++i) {
    ByteVector changed = signature;
    changed[i] ^= 1;
    EXPECT_FALSE(is_signed_ed25519(public_key, message, changed)) << i;
  }
  EXPECT_FALSE(is_signed_ed25519(public_key, from_hex("af83"), signature));
  EXPECT_FALSE(is_signed_ed25519(from_hex(published[1].public_key), message, signature));
  EXPECT_FALSE(is_signed_ed25519(public_key, message, Bytes(signature).first(63)));
  EXPECT_FALSE(is_signed_ed25519(Bytes(public_key).first(31), message, signature));
}

}  // namespace
}  // namespace phalanx::test

// Sectors under dm-crypt's names, beside single messages of the library.
#include "files/foreign/luks/luks_cipher.hpp"

#include <gtest/gtest.h>

#include <array>
#include <phalanx/cipher.hpp>
#include <string>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer counted(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(31 * i + i / 256);
  return bytes;
}

struct Case {
  const char* encryption;
  const char* cipher;  // of the library
  std::size_t sector_bytes;
  std::uint64_t first;
};

std::array<std::uint8_t, 16> iv_of(const Case& one, Bytes key, std::uint64_t number) {
  const std::string name = one.encryption;
  std::array<std::uint8_t, 16> iv{};
  store_u64(iv.data(), name.ends_with("-plain") ? number & UINT32_MAX : number);
  if (!name.ends_with("essiv:sha256")) return iv;
  const NamedDigest digest("sha256");
  Buffer essiv_key(digest.num_bytes());
  digest.compute({key}, essiv_key);
  const std::string family = name.substr(0, name.find('-'));
  Cipher(family + "-256-ecb", essiv_key, {}, {.allow_legacy = true}).encrypt({}, iv, iv);
  return iv;
}

class LuksCiphers : public testing::TestWithParam<Case> {};

TEST_P(LuksCiphers, DecryptWhatSingleMessagesGive) {
  const Case& one = GetParam();
  const Buffer key = counted(cipher_facts(one.cipher).key_bytes), plain = counted(9 * one.sector_bytes);
  const Cipher cipher(one.cipher, key);
  Buffer text = plain;
  for (std::size_t i = 0; i < text.size(); i += one.sector_bytes) {
    const MutableBytes sector = MutableBytes(text).subspan(i, one.sector_bytes);
    cipher.encrypt(iv_of(one, key, one.first + i / luks_sector_bytes), sector, sector);
  }
  LuksCipher(one.encryption, key, one.sector_bytes, {}).decrypt(one.first, text);
  EXPECT_EQ(text, plain);
}

constexpr std::uint64_t near_32_bits = (std::uint64_t{1} << 32) - 16;

INSTANTIATE_TEST_SUITE_P(All, LuksCiphers,
                         testing::Values(Case{"aes-xts-plain64", "aes-256-xts", 512, 3},
                                         Case{"aes-xts-plain64", "aes-128-xts", 4096, near_32_bits},
                                         Case{"serpent-xts-plain", "serpent-256-xts", 4096, near_32_bits},
                                         Case{"twofish-xts-plain", "twofish-256-xts", 512, near_32_bits + 13},
                                         Case{"aes-cbc-plain", "aes-256-cbc", 1024, near_32_bits},
                                         Case{"serpent-cbc-essiv:sha256", "serpent-128-cbc", 512, 0},
                                         Case{"twofish-cbc-plain64", "twofish-192-cbc", 2048, near_32_bits},
                                         Case{"aes-cbc-essiv:sha256", "aes-192-cbc", 4096, 1}));

TEST(LuksCipher, SaysWhatIsNotRead) {
  EXPECT_EQ(refuse_luks_cipher("AES-XTS-plain64", 64), "");
  EXPECT_EQ(refuse_luks_cipher("serpent-xts-plain64:sha256", 64), "");
  for (const char* name :
       {"camellia-xts-plain64", "aes-lrw-benbi", "aes-cbc-essiv:sha512", "aes-xts-essiv:sha256", "aes-cbc-null",
        "des3_ede-cbc-plain64", "aes-xts-plain64be", "aes", "", "-", "a-b-c", "xchacha12,aes-adiantum-plain64"}) {
    EXPECT_NE(refuse_luks_cipher(name, 64).find(name), std::string::npos) << name;
  }
  for (const std::size_t size : {0, 1, 16, 40, 65, 128}) EXPECT_NE(refuse_luks_cipher("aes-xts-plain64", size), "") << size;
}

}  // namespace
}  // namespace phalanx

// What derives keys for containers leaves none of them on the stack: libcrypto's functions, and ours around them.
#include <phalanx/chunked.hpp>
#include <phalanx/files/key_derivation.hpp>

#include "container_fixture.hpp"
#include "engine/host/host.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "fixed_random_bytes.hpp"
#include "tests/kernels/own_stack.hpp"
#include "tests/library/stack_secrets.hpp"

namespace phalanx::test {
namespace {

class DerivationsLeaveNothing : public testing::Test {
 protected:
  const ByteVector secret = bytes_of("a secret that is long enough to be a key, and random enough: 8f3Kq0zXw");
  OwnStack stack;

  void SetUp() override {
    if (!has_plain_stacks) GTEST_SKIP() << "a sanitizer lays out the stack";
  }
  // Of the secret, and of what was derived from it.
  template <class Derive>
  std::size_t count_left(const Derive& derive) {
    ByteVector out(64);
    derive(out);
    Secrets secrets;
    secrets.add(secret);
    secrets.add(Bytes(out));
    const std::function<void()> call = [&] { derive(out); };
    stack.run(call);  // binds the symbols of shared libraries, which saves registers on the stack
    stack.run(call);
    return secrets.count_in(stack.remains());
  }
};

TEST_F(DerivationsLeaveNothing, OfAKeyByHkdf) {
  EXPECT_EQ(count_left([&](ByteVector& out) { expand_hkdf_sha512(secret, bytes_of("info"), out); }), 0U);
}
TEST_F(DerivationsLeaveNothing, OfAKeyByHmac) {
  EXPECT_EQ(count_left([&](ByteVector& out) { compute_hmac_sha512(secret, bytes_of("message"), out); }), 0U);
}
TEST_F(DerivationsLeaveNothing, OfAPassphraseByScrypt) {
  EXPECT_EQ(count_left([&](ByteVector& out) { derive_scrypt(secret, bytes_of("salt"), 4, 1, 1, out); }), 0U);
}
TEST_F(DerivationsLeaveNothing, OfAPassphraseByPbkdf2) {
  EXPECT_EQ(count_left([&](ByteVector& out) { derive_pbkdf2("sha256", secret, bytes_of("saltsalt"), 3, out); }), 0U);
}
TEST_F(DerivationsLeaveNothing, OfAPassphraseByBytesToKey) {
  for (const char* digest : {"md5", "sha1", "sha256", "sha512"}) {
    EXPECT_EQ(count_left([&](ByteVector& out) { derive_bytes_to_key(digest, secret, bytes_of("saltsalt"), out); }), 0U)
        << digest;
  }
}

TEST_F(DerivationsLeaveNothing, OfAContainersKey) {
  const Suite& suite = find_suite("aes-256");
  const Bytes key = Bytes(secret).first(32);
  ChunkSalt salt{};
  ByteVector info = bytes_of("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM");
  info.push_back(0);
  info.insert(info.end(), salt.begin(), salt.end());
  ByteVector derived(32 + 12 + 32);
  expand_hkdf_sha512(key, info, derived);
  Secrets secrets;
  secrets.add(key);
  secrets.add(Bytes(derived).first(44));  // key and base nonce; the commitment is public
  ByteVector plain(40000);
  ByteVector sealed(chunks_bytes(plain.size()));
  const std::function<void()> call = [&] {
    const ChunkedCipher cipher(suite, key, salt, {}, {"cpu", 1});
    cipher.seal(0, plain, sealed);
    cipher.open(0, sealed, plain);
  };
  stack.run(call);
  stack.run(call);
  EXPECT_EQ(secrets.count_in(stack.remains()), 0U);
}

// What ChunkedAead derives: the salt is the message's first 24 bytes, and the same in every run.
TEST_F(DerivationsLeaveNothing, OfAMessagesKey) {
  const Bytes key = Bytes(secret).first(32);
  const ChunkedAead aead("cobblestone-256", key, bytes_of("context"), {"cpu", 1});
  ByteVector plain(40000);
  ByteVector sealed(ChunkedAead::sealed_bytes(plain.size()));
  const std::function<void()> call = [&] {
    set_random_seed("secrets");
    aead.seal(plain, sealed);
    aead.open(sealed, plain);
  };
  stack.run(call);
  stack.run(call);
  ChunkSalt salt;
  std::copy_n(sealed.begin(), salt.size(), salt.begin());
  const ChunkedCipher cipher(find_suite("aes-256"), key, salt, bytes_of("context"));
  Secrets secrets;
  secrets.add(key);
  secrets.add(cipher.message_keys().first(44));  // key and base nonce; the commitment is public
  EXPECT_EQ(secrets.count_in(stack.remains()), 0U);
}

}  // namespace
}  // namespace phalanx::test

// Through EVP each cipher gives what our library gives: Serpent, Twofish and XAES-256-GCM too, which OpenSSL does not have.
#include <algorithm>
#include <phalanx/aead.hpp>
#include <phalanx/cipher.hpp>
#include <random>

#include "configured_library.hpp"

namespace phalanx {
namespace {

// "SERPENT-128-CFB" is "serpent-128-cfb" in the library.
std::string library_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_of_library(const std::string& name) {
  const bool is_other = name.find("CTS") != std::string::npos || name.find("CFB8") != std::string::npos;
  return !is_other && name.find("XTS") == std::string::npos;
}

class LibraryCiphers : public testing::Test {
 protected:
  ByteVector bytes(std::size_t count) {
    ByteVector made(count);
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(random_());
    return made;
  }

  // In updates of random sizes, and copied in between.
  ByteVector by_updates(const EVP_CIPHER* cipher, const ByteVector& key, const ByteVector& iv, const ByteVector& associated,
                        const ByteVector& in, ByteVector* tag, int encrypts) {
    ContextPointer context(EVP_CIPHER_CTX_new());
    ByteVector out(in.size() + 32);
    int written = 0;
    std::size_t num_out = 0;
    EXPECT_EQ(EVP_CipherInit_ex2(context.get(), cipher, key.data(), iv.data(), encrypts, nullptr), 1);
    EVP_CIPHER_CTX_set_padding(context.get(), 0);
    if (tag != nullptr && encrypts == 0) {
      EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag->data()), 1);
    }
    if (!associated.empty()) {
      const int size = static_cast<int>(associated.size());
      EXPECT_EQ(EVP_CipherUpdate(context.get(), nullptr, &written, associated.data(), size), 1);
    }
    for (std::size_t place = 0; place < in.size();) {
      const std::size_t size = std::min<std::size_t>(random_() % 100, in.size() - place);
      EXPECT_EQ(EVP_CipherUpdate(context.get(), out.data() + num_out, &written, in.data() + place, static_cast<int>(size)),
                1);
      num_out += static_cast<std::size_t>(written);
      place += size;
      ContextPointer copied(EVP_CIPHER_CTX_new());
      EXPECT_EQ(EVP_CIPHER_CTX_copy(copied.get(), context.get()), 1);
      context = std::move(copied);
    }
    EXPECT_EQ(EVP_CipherFinal_ex(context.get(), out.data() + num_out, &written), 1);
    out.resize(num_out + static_cast<std::size_t>(written));
    if (tag != nullptr && encrypts == 1) {
      EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag->data()), 1);
    }
    return out;
  }

  void check_bare(const EVP_CIPHER* evp, const std::string& name) {
    const Cipher cipher(library_name(name), bytes(static_cast<std::size_t>(EVP_CIPHER_get_key_length(evp))), {},
                        {.allow_legacy = true});
    const ByteVector key = bytes(cipher.facts().key_bytes), iv = bytes(std::max<std::size_t>(cipher.facts().iv_bytes, 1));
    const Cipher keyed(library_name(name), key, {}, {.allow_legacy = true});
    const ByteVector in = bytes(1600);
    ByteVector expected(in.size());
    keyed.encrypt(Bytes(iv).first(cipher.facts().iv_bytes), in, expected);
    EXPECT_EQ(by_updates(evp, key, iv, {}, in, nullptr, 1), expected);
    EXPECT_EQ(by_updates(evp, key, iv, {}, expected, nullptr, 0), in);
  }

  void check_aead(const EVP_CIPHER* evp, const std::string& name) {
    const ByteVector key = bytes(static_cast<std::size_t>(EVP_CIPHER_get_key_length(evp)));
    const ByteVector nonce = bytes(static_cast<std::size_t>(EVP_CIPHER_get_iv_length(evp)));
    for (const std::size_t size : {0, 1, 16, 500, 1600}) {
      const ByteVector in = bytes(size), associated = bytes(size % 37);
      ByteVector expected(size), expected_tag(16), tag(16);
      Aead(library_name(name), key).seal(nonce, associated, in, expected, expected_tag);
      EXPECT_EQ(by_updates(evp, key, nonce, associated, in, &tag, 1), expected);
      EXPECT_EQ(tag, expected_tag);
      EXPECT_EQ(by_updates(evp, key, nonce, associated, expected, &tag, 0), in);
    }
  }

  std::mt19937_64 random_{1};
  ThreeProviders providers_;
};

TEST_F(LibraryCiphers, GiveTheSameThroughEvp) {
  std::size_t num_compared = 0;
  for (const std::string& name : providers_.names()) {
    if (!is_of_library(name)) continue;
    SCOPED_TRACE(name);
    const CipherPointer evp = providers_.ours(name.c_str());
    if ((EVP_CIPHER_get_flags(evp.get()) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0) {
      check_aead(evp.get(), name);
    } else {
      check_bare(evp.get(), name);
    }
    ++num_compared;
  }
  EXPECT_EQ(num_compared, 67U);
}

// Each update is a data unit under the same tweak.
TEST_F(LibraryCiphers, GiveTheSameDataUnits) {
  for (const std::string& name : providers_.names()) {
    if (name.find("XTS") == std::string::npos) continue;
    SCOPED_TRACE(name);
    const CipherPointer evp = providers_.ours(name.c_str());
    const ByteVector key = bytes(static_cast<std::size_t>(EVP_CIPHER_get_key_length(evp.get()))), tweak = bytes(16);
    const Cipher keyed(library_name(name), key);
    for (const std::size_t size : {16, 17, 31, 32, 512, 4096, 5001}) {
      const ByteVector in = bytes(size);
      ByteVector expected(size);
      keyed.encrypt(tweak, in, expected);
      EXPECT_EQ(crypted(evp.get(), key, tweak, in, 1), expected);
      EXPECT_EQ(crypted(evp.get(), key, tweak, expected, 0), in);
    }
  }
}

// CFB8 is, byte by byte, the first byte of what a block of ECB becomes.
TEST_F(LibraryCiphers, GiveTheSameInCfb8) {
  for (const std::string& name : providers_.names()) {
    if (name.find("CFB8") == std::string::npos) continue;
    SCOPED_TRACE(name);
    const CipherPointer evp = providers_.ours(name.c_str());
    const ByteVector key = bytes(static_cast<std::size_t>(EVP_CIPHER_get_key_length(evp.get())));
    const Cipher ecb(library_name(name.substr(0, name.size() - 4)) + "ecb", key, {}, {.allow_legacy = true});
    const ByteVector iv = bytes(ecb.facts().block_bytes), in = bytes(700);
    ByteVector expected(in.size()), shifted = iv, block(iv.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      ecb.encrypt({}, shifted, block);
      expected[i] = static_cast<std::uint8_t>(in[i] ^ block[0]);
      shifted.erase(shifted.begin());
      shifted.push_back(expected[i]);
    }
    EXPECT_EQ(crypted(evp.get(), key, iv, in, 1), expected);
    EXPECT_EQ(crypted(evp.get(), key, iv, expected, 0), in);
  }
}

// XAES-256-GCM has nonces of 24 bytes, tags of 16, and nothing of TLS.
TEST_F(LibraryCiphers, XaesTakesNoOtherSizes) {
  const CipherPointer evp = providers_.ours("XAES-256-GCM");
  const ContextPointer context(EVP_CIPHER_CTX_new());
  const ByteVector key = bytes(32);
  ByteVector nonce = bytes(24), tag = bytes(16);
  ASSERT_EQ(EVP_DecryptInit_ex2(context.get(), evp.get(), key.data(), nonce.data(), nullptr), 1);
  EXPECT_NE(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr), 1);
  EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, 24, nullptr), 1);
  EXPECT_NE(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 12, tag.data()), 1);
  EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag.data()), 1);
}

// The bytes of a text count as they were before the call, wherever they lie.
TEST_F(LibraryCiphers, TakeTextsThatOverlapTheirResult) {
  for (const std::string& name : providers_.names()) {
    SCOPED_TRACE(name);
    const CipherPointer evp = providers_.ours(name.c_str());
    const ByteVector key = bytes(64), iv = bytes(24), in = bytes(800);
    for (const int encrypts : {1, 0}) {
      for (const std::size_t out_at : {0, 1, 15, 16, 100, 199, 200, 300}) {
        const auto run = [&](std::uint8_t* out, const std::uint8_t* from) {
          const ContextPointer context(EVP_CIPHER_CTX_new());
          int written = 0;
          EXPECT_EQ(EVP_CipherInit_ex2(context.get(), evp.get(), key.data(), iv.data(), encrypts, nullptr), 1);
          EXPECT_EQ(EVP_CipherUpdate(context.get(), out, &written, from, 800), 1);
          return static_cast<std::size_t>(written);
        };
        ByteVector expected(900), memory(1600);
        std::copy(in.begin(), in.end(), memory.begin() + 200);
        expected.resize(run(expected.data(), in.data()));
        const std::size_t written = run(memory.data() + out_at, memory.data() + 200);
        EXPECT_EQ(ByteVector(memory.begin() + static_cast<std::ptrdiff_t>(out_at),
                             memory.begin() + static_cast<std::ptrdiff_t>(out_at + written)),
                  expected);
      }
    }
  }
}

}  // namespace
}  // namespace phalanx

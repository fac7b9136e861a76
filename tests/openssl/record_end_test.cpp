// CBC of TLS records, MAC and then encryption: padding and MAC come off as OpenSSL takes them off. Where the padding is wrong,
// the MAC is random, so that nothing tells of it but the comparison that fails.
#include <openssl/prov_ssl.h>

#include <algorithm>
#include <random>

#include "compared_contexts.hpp"

namespace phalanx {
namespace {

struct Record {
  unsigned version;
  std::size_t mac_bytes;
};

int set_up(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, const ByteVector& key, const ByteVector& iv, int encrypts,
           Record record) {
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &record.version),
                                   OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &record.mac_bytes),
                                   OSSL_PARAM_construct_end()};
  return EVP_CipherInit_ex2(context, cipher, key.data(), iv.data(), encrypts, record.version == 0 ? nullptr : parameters);
}

ByteVector random_bytes(std::mt19937_64& random, std::size_t count) {
  ByteVector made(count);
  for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(random());
  return made;
}

// The MAC that a context shows.
ByteVector shown_mac(EVP_CIPHER_CTX* context, std::size_t mac_bytes) {
  void* mac = nullptr;
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, mac_bytes),
                             OSSL_PARAM_construct_end()};
  if (EVP_CIPHER_CTX_get_params(context, parameters) != 1 || mac == nullptr) return {};
  return {static_cast<std::uint8_t*>(mac), static_cast<std::uint8_t*>(mac) + mac_bytes};
}

class Records {
 public:
  Records(const ThreeProviders& providers, const char* name, Record record, std::uint64_t seed)
      : ours_(providers.ours(name)), theirs_(providers.theirs(name)), record_(record), random_(seed) {
    key_ = random_bytes(random_, static_cast<std::size_t>(EVP_CIPHER_get_key_length(ours_.get())));
    iv_ = random_bytes(random_, static_cast<std::size_t>(EVP_CIPHER_get_iv_length(ours_.get())));
  }

  // Any text comes back, with its MAC; and both providers encrypt to the same.
  void go_and_come(std::size_t text_bytes) {
    const std::size_t block = iv_.size(), iv_bytes = has_explicit_iv() ? block : 0;
    const ByteVector text = random_bytes(random_, iv_bytes + text_bytes + record_.mac_bytes);
    ByteVector record;
    ComparedContexts contexts(ours_.get(), theirs_.get());
    const Answer sent =
        contexts.call("encrypted record", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector& out) {
          if (set_up(context, cipher, key_, iv_, 1, record_) != 1) return -7;
          out = text;
          out.resize(text.size() + 2 * block);
          int written = 0;
          const int returned = EVP_CipherUpdate(context, out.data(), &written, out.data(), static_cast<int>(text.size()));
          out.resize(returned == 1 ? static_cast<std::size_t>(written) : 0);
          return returned;
        });
    ASSERT_EQ(sent.returned, 1);
    const Answer opened = open(sent.bytes);
    EXPECT_EQ(opened.returned, 1);
    const ByteVector data(text.begin() + static_cast<std::ptrdiff_t>(iv_bytes),
                          text.end() - static_cast<std::ptrdiff_t>(record_.mac_bytes));
    EXPECT_EQ(ByteVector(opened.bytes.begin() + static_cast<std::ptrdiff_t>(iv_bytes),
                         opened.bytes.begin() + static_cast<std::ptrdiff_t>(iv_bytes + data.size())),
              data);
    EXPECT_EQ(last_macs_[0], ByteVector(text.end() - static_cast<std::ptrdiff_t>(record_.mac_bytes), text.end()));
    EXPECT_EQ(last_macs_[0], last_macs_[1]);
  }

  // A plaintext that ends with `padding` bytes of their own number, of which one may be wrong.
  void open_ending(std::size_t num_bytes, std::uint8_t padding, std::size_t wrong_at) {
    const std::size_t block = iv_.size();
    ByteVector plain = random_bytes(random_, num_bytes / block * block);
    for (std::size_t i = 0; i <= padding && i < plain.size(); ++i) plain[plain.size() - 1 - i] = padding;
    if (wrong_at != 0 && wrong_at < plain.size()) plain[plain.size() - 1 - wrong_at] ^= 0x40;
    const ContextPointer context(EVP_CIPHER_CTX_new());
    ASSERT_EQ(set_up(context.get(), theirs_.get(), key_, iv_, 1, {0, 0}), 1);
    EVP_CIPHER_CTX_set_padding(context.get(), 0);
    ByteVector sent(plain.size());
    int written = 0;
    ASSERT_EQ(EVP_CipherUpdate(context.get(), sent.data(), &written, plain.data(), static_cast<int>(plain.size())), 1);
    const Answer opened = open(sent);
    if (opened.returned != 1) return;
    if (is_well_padded(plain, padding)) {
      EXPECT_EQ(last_macs_[0], last_macs_[1]);
    } else if (record_.mac_bytes >= 16) {
      const std::vector<ByteVector> macs = last_macs_;
      EXPECT_NE(macs[0], macs[1]) << "a MAC of the record, and not a random one";
      open(sent);
      EXPECT_NE(macs[0], last_macs_[0]) << "the same MAC twice";
    }
  }

 private:
  [[nodiscard]] bool has_explicit_iv() const { return record_.version != SSL3_VERSION && record_.version != TLS1_VERSION; }

  [[nodiscard]] bool is_well_padded(const ByteVector& plain, std::size_t padding) const {
    const std::size_t iv_bytes = has_explicit_iv() ? iv_.size() : 0, size = plain.size() - iv_bytes;
    if (padding + 1 + record_.mac_bytes > size) return false;
    if (record_.version == SSL3_VERSION) return padding < iv_.size();
    return std::all_of(plain.end() - static_cast<std::ptrdiff_t>(padding) - 1, plain.end(),
                       [&](std::uint8_t byte) { return byte == padding; });
  }

  Answer open(const ByteVector& sent) {
    last_macs_.clear();
    ComparedContexts contexts(ours_.get(), theirs_.get());
    return contexts.call("decrypted record", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector& out) {
      if (set_up(context, cipher, key_, iv_, 0, record_) != 1) return -7;
      out = sent;
      int written = -1;
      const int returned = EVP_CipherUpdate(context, out.data(), &written, out.data(), static_cast<int>(sent.size()));
      last_macs_.push_back(returned == 1 ? shown_mac(context, record_.mac_bytes) : ByteVector());
      if (returned != 1) out.clear();
      out.push_back(static_cast<std::uint8_t>(written));
      out.push_back(static_cast<std::uint8_t>(written >> 8));
      if (returned != 1) out.clear();
      return returned;
    });
  }

  CipherPointer ours_, theirs_;
  Record record_;
  std::mt19937_64 random_;
  ByteVector key_, iv_;
  std::vector<ByteVector> last_macs_;
};

class RecordEnd : public testing::TestWithParam<const char*> {};

TEST_P(RecordEnd, IsTakenOffAsInOpenssl) {
  const ThreeProviders providers;
  std::uint64_t seed = 1;
  for (const unsigned version :
       {SSL3_VERSION, TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, DTLS1_VERSION, DTLS1_2_VERSION, DTLS1_BAD_VER}) {
    for (const std::size_t mac_bytes : {0, 16, 20, 32, 48, 64}) {
      SCOPED_TRACE("version " + std::to_string(version) + ", MAC of " + std::to_string(mac_bytes));
      Records records(providers, GetParam(), {version, mac_bytes}, ++seed);
      for (const std::size_t text_bytes : {0, 1, 15, 16, 100, 700}) records.go_and_come(text_bytes);
      for (const std::size_t num_bytes : {32, 64, 96, 352, 1024}) {
        for (int padding = 0; padding < 256; padding += 5) {
          const auto last = static_cast<std::uint8_t>(padding);
          records.open_ending(num_bytes, last, 0);
          records.open_ending(num_bytes, last, 1 + static_cast<std::size_t>(padding) / 2);
          records.open_ending(num_bytes, last, static_cast<std::size_t>(padding));
        }
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

// What is no record by its length or its version fails.
TEST_P(RecordEnd, IsMissedAsInOpenssl) {
  const ThreeProviders providers;
  for (const std::size_t num_bytes : {16, 32, 48}) {
    Records(providers, GetParam(), {TLS1_2_VERSION, 64}, 7).open_ending(num_bytes, 3, 0);
    Records(providers, GetParam(), {TLS1_VERSION, 20}, 7).open_ending(num_bytes, 3, 0);
    Records(providers, GetParam(), {0x0305, 20}, 7).open_ending(num_bytes, 3, 0);
  }
}

// GCM of TLS 1.2 (RFC 5288): the iv's fixed part is given, and each record takes the next value of its counter.
TEST(GcmRecords, CountAndOpenAsInOpenssl) {
  const ThreeProviders providers;
  std::mt19937_64 random(1);
  for (const char* const name : {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"}) {
    SCOPED_TRACE(name);
    const CipherPointer ours = providers.ours(name), theirs = providers.theirs(name);
    const ByteVector key = random_bytes(random, 32);
    ByteVector iv = random_bytes(random, 12);
    iv[10] = iv[11] = 0xff;  // the counter carries
    ComparedContexts sealing(ours.get(), theirs.get()), opening(ours.get(), theirs.get());
    for (const int encrypts : {1, 0}) {
      const auto begin = [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector&) {
        ByteVector fixed = iv;
        if (EVP_CipherInit_ex2(context, cipher, key.data(), nullptr, encrypts, nullptr) != 1) return -7;
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IV_FIXED, encrypts == 1 ? -1 : 4, fixed.data());
      };
      ASSERT_EQ((encrypts == 1 ? sealing : opening).call("begin", begin).returned, 1);
    }
    ByteVector last_explicit;
    for (std::size_t i = 0; i < 300; i += 37) {
      const ByteVector text = random_bytes(random, i);
      const auto crypt = [&](const ByteVector& record, std::size_t length) {
        return [&record, length](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
          std::uint8_t header[13] = {
              1, 2, 3, 4, 5, 6, 7, 8, 23, 3, 3, static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)};
          if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_TLS1_AAD, sizeof header, header) != 16) return -7;
          out = record;
          int written = -1;
          const int returned = EVP_CipherUpdate(context, out.data(), &written, out.data(), static_cast<int>(out.size()));
          if (returned != 1) out.clear();
          return returned;
        };
      };
      ByteVector plain(8);
      plain.insert(plain.end(), text.begin(), text.end());
      plain.resize(plain.size() + 16);
      const Answer sealed = sealing.call("seal", crypt(plain, text.size() + 8));
      ASSERT_EQ(sealed.returned, 1);
      const ByteVector explicit_part(sealed.bytes.begin(), sealed.bytes.begin() + 8);
      EXPECT_NE(explicit_part, last_explicit);
      last_explicit = explicit_part;
      const Answer opened = opening.call("open", crypt(sealed.bytes, sealed.bytes.size()));
      ASSERT_EQ(opened.returned, 1);
      EXPECT_TRUE(std::equal(text.begin(), text.end(), opened.bytes.begin() + 8));
      ByteVector changed = sealed.bytes;
      changed[i % changed.size()] ^= 1;
      EXPECT_NE(opening.call("open what was changed", crypt(changed, changed.size())).returned, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ciphers, RecordEnd, testing::Values("AES-128-CBC", "AES-256-CBC", "DES-EDE3-CBC"),
                         [](const auto& cipher) {
                           std::string name = cipher.param;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

}  // namespace
}  // namespace phalanx

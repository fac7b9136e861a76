// Parameters of any name, type and size: whatever a program gives, nothing is written behind its memory, and what is no number of
// the asked kind is refused. PHALANX_PROVIDER_SEQUENCES says how many.
#include <openssl/params.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "provider_fixture.hpp"

namespace phalanx {
namespace {

constexpr const char* names[] = {
    "padding",     "num",        "keylen",       "ivlen",        "taglen",           "tag",
    "iv",          "updated-iv", "tlsaad",       "tlsaadpad",    "tlsivfixed",       "tlsivgen",
    "tlsivinv",    "use-bits",   "randkey",      "tls-version",  "tls-mac",          "tls-mac-size",
    "cts_mode",    "mode",       "blocksize",    "aead",         "custom-iv",        "cts",
    "has-randkey", "tls-multi",  "iv-generated", "pipeline-tag", "encrypt-then-mac", "unknown"};
constexpr unsigned types[] = {
    OSSL_PARAM_INTEGER,      OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_REAL,      OSSL_PARAM_UTF8_STRING,
    OSSL_PARAM_OCTET_STRING, OSSL_PARAM_UTF8_PTR,         OSSL_PARAM_OCTET_PTR, 99};
constexpr std::size_t memory_bytes = 512;

// A parameter whose memory is exactly as large as it says, and behind it what nobody may touch.
class RandomParameter {
 public:
  explicit RandomParameter(std::mt19937_64& random) {
    for (std::uint8_t& byte : memory_) byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : 0);
    const char* const name = names[random() % std::size(names)];
    const unsigned type = types[random() % std::size(types)];
    const std::size_t sizes[] = {0, 1, 2, 4, 8, 8, 12, 13, 16, random() % 140};
    const std::size_t size = sizes[random() % std::size(sizes)];
    parameters_[0] = {name, type, random() % 12 == 0 ? nullptr : memory_, size, 0};
    before_ = ByteVector(memory_, memory_ + memory_bytes);
  }
  OSSL_PARAM* get() { return parameters_; }

  // These are written without a look at the size: EVP gives none with a key or an iv, and a pointer has its own.
  [[nodiscard]] bool has_own_size() const {
    const std::string name = parameters_[0].key;
    return name == "randkey" || name == "tlsivgen" || parameters_[0].data_type == OSSL_PARAM_OCTET_PTR ||
           parameters_[0].data_type == OSSL_PARAM_UTF8_PTR;
  }
  void expect_untouched_behind() const {
    if (has_own_size()) return;
    EXPECT_TRUE(std::equal(before_.begin() + static_cast<std::ptrdiff_t>(parameters_[0].data_size), before_.end(),
                           memory_ + parameters_[0].data_size))
        << parameters_[0].key << " of type " << parameters_[0].data_type << " and " << parameters_[0].data_size << " bytes";
  }

 private:
  std::uint8_t memory_[memory_bytes];
  OSSL_PARAM parameters_[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
  ByteVector before_;
};

void expect_works(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher) {
  const ByteVector key = [] {
    ByteVector bytes(64);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
  }();
  const ByteVector iv(128, 2);
  ByteVector out(200);
  int written = 0;
  EVP_CIPHER_CTX_reset(context);
  ASSERT_EQ(EVP_EncryptInit_ex2(context, cipher, key.data(), iv.data(), nullptr), 1);
  ASSERT_EQ(EVP_EncryptUpdate(context, out.data(), &written, iv.data(), 64), 1);
}

TEST(RandomParameters, AreTakenOrRefused) {
  const ThreeProviders providers;
  const char* const text = std::getenv("PHALANX_PROVIDER_SEQUENCES");
  const std::uint64_t num_sequences = text == nullptr ? 20000 : std::strtoull(text, nullptr, 10);
  std::vector<CipherPointer> ciphers;
  for (const std::string& name : providers.names()) ciphers.push_back(providers.ours(name.c_str()));
  std::mt19937_64 random(1);
  std::size_t num_taken = 0, num_refused = 0;
  for (std::uint64_t i = 0; i < num_sequences && !testing::Test::HasFailure(); ++i) {
    const EVP_CIPHER* const cipher = ciphers[i % ciphers.size()].get();
    const ContextPointer context(EVP_CIPHER_CTX_new());
    expect_works(context.get(), cipher);
    for (int j = 0; j < 8; ++j) {
      RandomParameter parameter(random);
      const std::size_t kind = random() % 3;
      const int returned = kind == 0   ? EVP_CIPHER_CTX_set_params(context.get(), parameter.get())
                           : kind == 1 ? EVP_CIPHER_CTX_get_params(context.get(), parameter.get())
                                       : EVP_CIPHER_get_params(const_cast<EVP_CIPHER*>(cipher), parameter.get());
      ++(returned == 1 ? num_taken : num_refused);
      parameter.expect_untouched_behind();
      ByteVector out(200);
      int written = 0;
      EVP_CipherUpdate(context.get(), out.data(), &written, out.data(), static_cast<int>(random() % 100));
      ERR_clear_error();
    }
    expect_works(context.get(), cipher);
  }
  EXPECT_GT(num_taken, num_sequences);
  EXPECT_GT(num_refused, num_sequences / 4);
}

}  // namespace
}  // namespace phalanx

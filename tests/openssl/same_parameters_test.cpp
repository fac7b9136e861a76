// Each cipher says of itself what the default or the legacy provider says, and has the same parameters.
#include <openssl/params.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "provider_fixture.hpp"

namespace phalanx {
namespace {

using Described = std::set<std::tuple<std::string, unsigned, std::size_t>>;

Described described(const OSSL_PARAM* parameters) {
  Described found;
  for (; parameters != nullptr && parameters->key != nullptr; ++parameters) {
    found.insert({parameters->key, parameters->data_type, parameters->data_size});
  }
  return found;
}

std::vector<std::string> all_names(const EVP_CIPHER* cipher) {
  std::vector<std::string> names;
  EVP_CIPHER_names_do_all(
      cipher, [](const char* name, void* all) { static_cast<std::vector<std::string>*>(all)->emplace_back(name); }, &names);
  std::sort(names.begin(), names.end());
  return names;
}

void expect_same(const EVP_CIPHER* ours, const EVP_CIPHER* theirs) {
  EXPECT_EQ(described(EVP_CIPHER_gettable_params(ours)), described(EVP_CIPHER_gettable_params(theirs)));
  EXPECT_EQ(described(EVP_CIPHER_gettable_ctx_params(ours)), described(EVP_CIPHER_gettable_ctx_params(theirs)));
  EXPECT_EQ(described(EVP_CIPHER_settable_ctx_params(ours)), described(EVP_CIPHER_settable_ctx_params(theirs)));
  EXPECT_EQ(EVP_CIPHER_get_mode(ours), EVP_CIPHER_get_mode(theirs));
  EXPECT_EQ(EVP_CIPHER_get_flags(ours), EVP_CIPHER_get_flags(theirs));
  EXPECT_EQ(EVP_CIPHER_get_key_length(ours), EVP_CIPHER_get_key_length(theirs));
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours), EVP_CIPHER_get_iv_length(theirs));
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours), EVP_CIPHER_get_block_size(theirs));
  EXPECT_EQ(EVP_CIPHER_get_nid(ours), EVP_CIPHER_get_nid(theirs));
  EXPECT_EQ(EVP_CIPHER_get_type(ours), EVP_CIPHER_get_type(theirs));
  EXPECT_EQ(all_names(ours), all_names(theirs));
}

TEST(SameParameters, OfEachCipherThatOpensslHas) {
  const ThreeProviders providers;
  std::size_t num_compared = 0;
  for (const std::string& name : providers.names()) {
    const CipherPointer theirs = providers.theirs(name.c_str());
    if (theirs == nullptr) continue;
    SCOPED_TRACE(name);
    expect_same(providers.ours(name.c_str()).get(), theirs.get());
    ++num_compared;
  }
  EXPECT_EQ(num_compared, 40U);
}

// What OpenSSL has no such cipher of has the parameters of AES in the same mode.
TEST(SameParameters, OfSerpentAndTwofishAreThoseOfAes) {
  const ThreeProviders providers;
  std::size_t num_compared = 0;
  for (const std::string& name : providers.names()) {
    if (providers.theirs(name.c_str()) != nullptr || name == "XAES-256-GCM") continue;
    SCOPED_TRACE(name);
    const std::string mode = name.substr(name.rfind('-'));
    const CipherPointer ours = providers.ours(name.c_str());
    const CipherPointer aes = providers.theirs(("AES-256" + mode).c_str());
    EXPECT_EQ(described(EVP_CIPHER_gettable_ctx_params(ours.get())), described(EVP_CIPHER_gettable_ctx_params(aes.get())));
    EXPECT_EQ(described(EVP_CIPHER_settable_ctx_params(ours.get())), described(EVP_CIPHER_settable_ctx_params(aes.get())));
    EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(aes.get()));
    EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), EVP_CIPHER_get_block_size(aes.get()));
    EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(aes.get()));
    ++num_compared;
  }
  EXPECT_EQ(num_compared, 48U);
}

// From OpenSSL 3.4 on, a context of GCM says whether it drew its iv.
TEST(SameParameters, SayWhereAnIvIsFrom) {
  const ThreeProviders providers;
  for (const bool is_ours : {true, false}) {
    SCOPED_TRACE(is_ours);
    const CipherPointer cipher = is_ours ? providers.ours("AES-128-GCM") : providers.theirs("AES-128-GCM");
    if (OSSL_PARAM_locate_const(EVP_CIPHER_gettable_ctx_params(cipher.get()), "iv-generated") == nullptr) continue;
    const ByteVector key(16, 1), iv(16, 2);
    for (const bool is_given : {true, false}) {
      const ContextPointer context(EVP_CIPHER_CTX_new());
      ByteVector out(16);
      int written = 0;
      unsigned is_generated = 7;
      OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint("iv-generated", &is_generated), OSSL_PARAM_construct_end()};
      ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), cipher.get(), key.data(), is_given ? iv.data() : nullptr, nullptr), 1);
      ASSERT_EQ(EVP_EncryptUpdate(context.get(), out.data(), &written, out.data(), 16), 1);
      ASSERT_EQ(EVP_CIPHER_CTX_get_params(context.get(), parameters), 1);
      EXPECT_EQ(is_generated, is_given ? 0U : 1U);
    }
  }
}

// How much of a block is used is at most the block: more would be read from behind it.
TEST(SameParameters, RefuseToUseMoreThanABlock) {
  const ThreeProviders providers;
  for (const auto& [name, block_bytes] :
       {std::pair{"AES-128-CTR", 16}, {"AES-256-CFB", 16}, {"DES-EDE3-OFB", 8}, {"DES-CFB", 8}}) {
    SCOPED_TRACE(name);
    const ContextPointer context(EVP_CIPHER_CTX_new());
    const ByteVector key(32, 1);
    ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), providers.ours(name).get(), key.data(), key.data(), nullptr), 1);
    EXPECT_EQ(EVP_CIPHER_CTX_set_num(context.get(), block_bytes - 1), 1);
    EXPECT_NE(EVP_CIPHER_CTX_set_num(context.get(), block_bytes), 1);
    EXPECT_NE(EVP_CIPHER_CTX_set_num(context.get(), -1), 1);
    EXPECT_EQ(EVP_CIPHER_CTX_get_num(context.get()), block_bytes - 1);
  }
}

// Any kind of number will do that holds the value, and none that does not.
TEST(SameParameters, TakeAndGiveNumbersOfAnySize) {
  const ThreeProviders providers;
  for (const bool is_ours : {true, false}) {
    SCOPED_TRACE(is_ours);
    const CipherPointer cipher = is_ours ? providers.ours("AES-128-CTR") : providers.theirs("AES-128-CTR");
    const ContextPointer context(EVP_CIPHER_CTX_new());
    const ByteVector key(16, 1), iv(16, 2);
    ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), cipher.get(), key.data(), iv.data(), nullptr), 1);
    std::uint8_t small = 200;
    std::uint64_t large = 0, wide[2] = {1, 0}, too_wide[2] = {1, 1};
    std::int32_t negative = -1;
    double real = 1, fraction = 0.5, shown = 0;
    const auto set = [&](unsigned type, void* value, std::size_t size) {
      const OSSL_PARAM parameters[] = {{OSSL_CIPHER_PARAM_PADDING, type, value, size, 0}, OSSL_PARAM_construct_end()};
      return EVP_CIPHER_CTX_set_params(context.get(), parameters);
    };
    const auto get = [&](const char* name, unsigned type, void* value, std::size_t size) {
      OSSL_PARAM parameters[] = {{name, type, value, size, 0}, OSSL_PARAM_construct_end()};
      return EVP_CIPHER_CTX_get_params(context.get(), parameters);
    };
    EXPECT_EQ(set(OSSL_PARAM_UNSIGNED_INTEGER, &small, sizeof small), 1);
    EXPECT_EQ(set(OSSL_PARAM_UNSIGNED_INTEGER, wide, sizeof wide), 1);
    EXPECT_EQ(set(OSSL_PARAM_UNSIGNED_INTEGER, too_wide, sizeof too_wide), 0);
    EXPECT_EQ(set(OSSL_PARAM_INTEGER, &negative, sizeof negative), 0);
    EXPECT_EQ(set(OSSL_PARAM_REAL, &real, sizeof real), 1);
    EXPECT_EQ(set(OSSL_PARAM_REAL, &fraction, sizeof fraction), 0);
    EXPECT_EQ(set(OSSL_PARAM_UTF8_STRING, &small, sizeof small), 0);
    EXPECT_EQ(get(OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_INTEGER, &large, sizeof large), 1);
    EXPECT_EQ(large, 16U);
    EXPECT_EQ(get(OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_REAL, &shown, sizeof shown), 1);
    EXPECT_EQ(shown, 16.0);
    EXPECT_EQ(get(OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_UTF8_STRING, &large, sizeof large), 0);
    ERR_clear_error();
  }
}

}  // namespace
}  // namespace phalanx

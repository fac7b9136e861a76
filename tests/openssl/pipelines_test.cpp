// Pipelines, which libcrypto calls from 3.5 on: here by the provider's own functions, without any libcrypto in between, so that
// each release tests them. Each message must come out as it does alone. Where libcrypto has pipelines, EVP is called too.
#include <dlfcn.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <algorithm>
#include <random>

#include "provider_fixture.hpp"

namespace phalanx {
namespace {

constexpr int pipeline_encrypt_init = 15, pipeline_decrypt_init = 16, pipeline_update = 17, pipeline_final = 18;
using PipelineInit = int (*)(void*, const std::uint8_t*, std::size_t, std::size_t, const std::uint8_t**, std::size_t,
                             const OSSL_PARAM*);
using PipelineUpdate = int (*)(void*, std::size_t, std::uint8_t**, std::size_t*, const std::size_t*, const std::uint8_t**,
                               const std::size_t*);
using PipelineFinal = int (*)(void*, std::size_t, std::uint8_t**, std::size_t*, const std::size_t*);

// The provider in a host that offers it nothing.
class BareHost {
 public:
  BareHost() : object_(dlopen(PHALANX_PROVIDER_FOLDER "/phalanx.so", RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(object_, nullptr) << dlerror();
    const auto begin = reinterpret_cast<OSSL_provider_init_fn*>(dlsym(object_, "OSSL_provider_init"));
    const OSSL_DISPATCH offered[] = {{0, nullptr}};
    EXPECT_EQ(begin(nullptr, offered, &calls_, &provider_), 1);
  }
  ~BareHost() {
    call<OSSL_FUNC_provider_teardown_fn*>(calls_, OSSL_FUNC_PROVIDER_TEARDOWN)(provider_);
    dlclose(object_);
  }
  BareHost(const BareHost&) = delete;
  BareHost& operator=(const BareHost&) = delete;

  template <class Function>
  static Function call(const OSSL_DISPATCH* calls, int id) {
    for (; calls->function_id != 0; ++calls) {
      if (calls->function_id == id) return reinterpret_cast<Function>(calls->function);
    }
    ADD_FAILURE() << "no function " << id;
    return nullptr;
  }
  [[nodiscard]] const OSSL_ALGORITHM* ciphers() const {
    int no_store = 1;
    return call<OSSL_FUNC_provider_query_operation_fn*>(calls_, OSSL_FUNC_PROVIDER_QUERY_OPERATION)(
        provider_, OSSL_OP_CIPHER, &no_store);
  }
  [[nodiscard]] void* provider() const { return provider_; }

 private:
  void* object_;
  const OSSL_DISPATCH* calls_ = nullptr;
  void* provider_ = nullptr;
};

struct Message {
  ByteVector iv, in, out, tag;
};

// A pipeline's context, or a message's.
class Context {
 public:
  Context(const BareHost& host, const OSSL_DISPATCH* calls)
      : calls_(calls),
        context_(BareHost::call<OSSL_FUNC_cipher_newctx_fn*>(calls, OSSL_FUNC_CIPHER_NEWCTX)(host.provider())) {}
  ~Context() { BareHost::call<OSSL_FUNC_cipher_freectx_fn*>(calls_, OSSL_FUNC_CIPHER_FREECTX)(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void copy_itself() {
    void* const copied = BareHost::call<OSSL_FUNC_cipher_dupctx_fn*>(calls_, OSSL_FUNC_CIPHER_DUPCTX)(context_);
    BareHost::call<OSSL_FUNC_cipher_freectx_fn*>(calls_, OSSL_FUNC_CIPHER_FREECTX)(context_);
    context_ = copied;
  }
  template <class Function, class... Arguments>
  int call(int id, Arguments... arguments) {
    return BareHost::call<Function>(calls_, id)(context_, arguments...);
  }
  int set_padding(unsigned pads) {
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &pads),
                                     OSSL_PARAM_construct_end()};
    return call<OSSL_FUNC_cipher_set_ctx_params_fn*>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, parameters);
  }

 private:
  const OSSL_DISPATCH* calls_;
  void* context_;
};

class Pipelines : public testing::Test {
 protected:
  ByteVector bytes(std::size_t count) {
    ByteVector made(count);
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(random_());
    return made;
  }

  // By a context of its own: what is expected.
  void crypt_alone(const OSSL_DISPATCH* calls, const ByteVector& key, Message& message, bool encrypts) {
    Context context(host_, calls);
    std::size_t written = 0, rest = 0;
    message.out.assign(message.in.size() + 64, 0);
    const int start = encrypts ? OSSL_FUNC_CIPHER_ENCRYPT_INIT : OSSL_FUNC_CIPHER_DECRYPT_INIT;
    ASSERT_EQ(context.call<OSSL_FUNC_cipher_encrypt_init_fn*>(start, key.data(), key.size(), message.iv.data(),
                                                              message.iv.size(), nullptr),
              1);
    if (!encrypts) context.set_padding(0);
    ASSERT_EQ(context.call<OSSL_FUNC_cipher_update_fn*>(OSSL_FUNC_CIPHER_UPDATE, message.out.data(), &written,
                                                        message.out.size(), message.in.data(), message.in.size()),
              1);
    if (!is_aead_ || encrypts) {
      ASSERT_EQ(context.call<OSSL_FUNC_cipher_final_fn*>(OSSL_FUNC_CIPHER_FINAL, message.out.data() + written, &rest,
                                                         std::size_t{32}),
                1);
    }
    message.out.resize(written + rest);
    message.tag.assign(16, 0);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, message.tag.data(), 16),
                               OSSL_PARAM_construct_end()};
    if (is_aead_ && encrypts) {
      ASSERT_EQ(context.call<OSSL_FUNC_cipher_get_ctx_params_fn*>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, parameters), 1);
    }
  }

  void crypt_together(const OSSL_DISPATCH* calls, const ByteVector& key, const std::vector<Message>& messages,
                      bool encrypts);

  BareHost host_;
  std::mt19937_64 random_{1};
  bool is_aead_ = false;
};

// In several updates, whose sizes differ from message to message, and by a copied context.
void Pipelines::crypt_together(const OSSL_DISPATCH* calls, const ByteVector& key, const std::vector<Message>& messages,
                               bool encrypts) {
  Context context(host_, calls);
  const std::size_t count = messages.size();
  std::vector<const std::uint8_t*> ivs(count), ins(count);
  std::vector<std::uint8_t*> outs(count), tags(count);
  std::vector<std::size_t> sizes(count), written(count), rooms(count), taken(count), given(count);
  std::vector<ByteVector> results(count), shown(count, ByteVector(16));
  for (std::size_t i = 0; i < count; ++i) {
    ivs[i] = messages[i].iv.data();
    results[i].assign(messages[i].in.size() + 64, 0);
    tags[i] = shown[i].data();
    if (!encrypts) shown[i] = messages[i].tag;
  }
  ASSERT_EQ(context.call<PipelineInit>(encrypts ? pipeline_encrypt_init : pipeline_decrypt_init, key.data(), key.size(),
                                       count, ivs.data(), messages[0].iv.size(), nullptr),
            1);
  if (!encrypts) context.set_padding(0);
  std::uint8_t** tags_of_all = tags.data();
  OSSL_PARAM tag_parameters[] = {OSSL_PARAM_construct_octet_ptr("pipeline-tag", reinterpret_cast<void**>(&tags_of_all), 16),
                                 OSSL_PARAM_construct_end()};
  if (is_aead_ && !encrypts) {
    ASSERT_EQ(context.call<OSSL_FUNC_cipher_set_ctx_params_fn*>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, tag_parameters), 1);
  }
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t left = messages[i].in.size() - taken[i];
      sizes[i] = round == 5 ? left : std::min<std::size_t>(left, random_() % 700);
      ins[i] = messages[i].in.data() + taken[i];
      outs[i] = results[i].data() + given[i];
      rooms[i] = results[i].size() - given[i];
    }
    ASSERT_EQ(context.call<PipelineUpdate>(pipeline_update, count, outs.data(), written.data(), rooms.data(), ins.data(),
                                           sizes.data()),
              1);
    for (std::size_t i = 0; i < count; ++i) {
      taken[i] += sizes[i];
      given[i] += written[i];
    }
    context.copy_itself();
  }
  for (std::size_t i = 0; i < count; ++i) outs[i] = results[i].data() + given[i];
  ASSERT_EQ(context.call<PipelineFinal>(pipeline_final, count, outs.data(), written.data(), rooms.data()), 1);
  if (is_aead_ && encrypts) {
    ASSERT_EQ(context.call<OSSL_FUNC_cipher_get_ctx_params_fn*>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, tag_parameters), 1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    results[i].resize(given[i] + written[i]);
    EXPECT_EQ(results[i], messages[i].out);
    if (is_aead_ && encrypts) {
      EXPECT_EQ(shown[i], messages[i].tag);
    }
  }
}

TEST_F(Pipelines, GiveEachMessageWhatItIsAlone) {
  const std::string checked[] = {"AES-128-CBC",     "AES-256-CBC", "DES-EDE3-CBC", "DES-CBC",
                                 "SERPENT-256-CBC", "AES-128-ECB", "AES-192-CTR",  "AES-256-CFB",
                                 "TWOFISH-128-OFB", "AES-128-GCM", "AES-256-GCM"};
  std::size_t num_checked = 0;
  for (const OSSL_ALGORITHM* cipher = host_.ciphers(); cipher->algorithm_names != nullptr; ++cipher) {
    const std::string names = cipher->algorithm_names, name = names.substr(0, names.find(':'));
    if (std::find(std::begin(checked), std::end(checked), name) == std::end(checked)) continue;
    SCOPED_TRACE(name);
    ++num_checked;
    is_aead_ = name.find("GCM") != std::string::npos;
    const bool is_des = name.find("DES") == 0;
    const std::size_t key_bytes =
        is_des ? (name.find("EDE3") == std::string::npos ? 8 : 24) : std::stoul(name.substr(name.find('-') + 1)) / 8;
    const ByteVector key = bytes(key_bytes);
    for (const std::size_t count : {1, 2, 7, 16, 32}) {
      std::vector<Message> messages(count), back(count);
      for (std::size_t i = 0; i < count; ++i) {
        messages[i] = {bytes(is_aead_ ? 12 : is_des ? 8 : 16), bytes(random_() % 3000), {}, {}};
        crypt_alone(cipher->implementation, key, messages[i], true);
        back[i] = {messages[i].iv, messages[i].out, {}, {}};
        crypt_alone(cipher->implementation, key, back[i], false);
        back[i].tag = messages[i].tag;
      }
      crypt_together(cipher->implementation, key, messages, true);
      crypt_together(cipher->implementation, key, back, false);
    }
  }
  EXPECT_EQ(num_checked, 11U);
}

#if OPENSSL_VERSION_NUMBER >= 0x30500000L
// By EVP: a wrong tag of one message ends them all.
TEST_F(Pipelines, RefuseAWrongTag) {
  const ThreeProviders providers;
  const CipherPointer cipher = providers.ours("AES-256-GCM");
  ASSERT_EQ(EVP_CIPHER_can_pipeline(cipher.get(), 1), 1);
  ASSERT_EQ(EVP_CIPHER_can_pipeline(cipher.get(), 0), 1);
  const ByteVector key = bytes(32), iv = bytes(12);
  for (const bool is_right : {true, false}) {
    ByteVector texts[2] = {bytes(100), bytes(200)}, sealed[2] = {ByteVector(100), ByteVector(200)},
               tags[2] = {ByteVector(16), ByteVector(16)};
    const std::uint8_t* ivs[2] = {iv.data(), iv.data()};
    const std::uint8_t* ins[2] = {texts[0].data(), texts[1].data()};
    std::uint8_t* outs[2] = {sealed[0].data(), sealed[1].data()};
    std::uint8_t* ends[2] = {tags[0].data(), tags[1].data()};
    std::uint8_t** all_ends = ends;
    std::size_t written[2] = {}, sizes[2] = {100, 200};
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_PIPELINE_AEAD_TAG, reinterpret_cast<void**>(&all_ends), 16),
        OSSL_PARAM_construct_end()};
    const ContextPointer seal(EVP_CIPHER_CTX_new()), open(EVP_CIPHER_CTX_new());
    ASSERT_EQ(EVP_CipherPipelineEncryptInit(seal.get(), cipher.get(), key.data(), 32, 2, ivs, 12), 1);
    ASSERT_EQ(EVP_CipherPipelineUpdate(seal.get(), nullptr, written, sizes, ins, sizes), 1);  // associated data
    ASSERT_EQ(EVP_CipherPipelineUpdate(seal.get(), outs, written, sizes, ins, sizes), 1);
    ASSERT_EQ(EVP_CipherPipelineFinal(seal.get(), outs, written, sizes), 1);
    ASSERT_EQ(EVP_CIPHER_CTX_get_params(seal.get(), parameters), 1);
    if (!is_right) tags[1][3] ^= 1;
    ByteVector opened[2] = {ByteVector(100), ByteVector(200)};
    const std::uint8_t* sealed_ins[2] = {sealed[0].data(), sealed[1].data()};
    std::uint8_t* opened_outs[2] = {opened[0].data(), opened[1].data()};
    ASSERT_EQ(EVP_CipherPipelineDecryptInit(open.get(), cipher.get(), key.data(), 32, 2, ivs, 12), 1);
    ASSERT_EQ(EVP_CIPHER_CTX_set_params(open.get(), parameters), 1);
    ASSERT_EQ(EVP_CipherPipelineUpdate(open.get(), nullptr, written, sizes, ins, sizes), 1);
    ASSERT_EQ(EVP_CipherPipelineUpdate(open.get(), opened_outs, written, sizes, sealed_ins, sizes), 1);
    EXPECT_EQ(EVP_CipherPipelineFinal(open.get(), opened_outs, written, sizes), is_right ? 1 : 0);
    EXPECT_EQ(opened[0], texts[0]);
    EXPECT_EQ(opened[1], texts[1]);
  }
}
#endif

}  // namespace
}  // namespace phalanx

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <vector>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t most_bytes_a_call = std::size_t{1} << 30;  // lengths are int

void require(int result) {
  if (result != 1) refuse("OpenSSL");
}

class Context {
 public:
  Context(const EVP_CIPHER* cipher, const Task& task, Bytes key) : context_(EVP_CIPHER_CTX_new()), task_(task) {
    const int encrypts = task.direction == Direction::encrypt ? 1 : 0;
    require(EVP_CipherInit_ex2(context_, cipher, nullptr, nullptr, encrypts, nullptr));
    if (is_gcm()) set_iv_length(task.messages.front().iv.size());
    require(EVP_CipherInit_ex2(context_, nullptr, key.data(), nullptr, -1, nullptr));
    require(EVP_CIPHER_CTX_set_padding(context_, 0));
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_CIPHER_CTX_free(context_); }

  void crypt(const TaskMessage& m) {
    require(EVP_CipherInit_ex2(context_, nullptr, nullptr, m.iv.empty() ? nullptr : m.iv.data(), -1, nullptr));
    int written = 0;
    if (!m.associated_data.empty()) {
      require(EVP_CipherUpdate(context_, nullptr, &written, m.associated_data.data(), int_of(m.associated_data.size())));
    }
    for (std::size_t at = 0; at < m.in.size(); at += most_bytes_a_call) {
      const std::size_t size = std::min(most_bytes_a_call, m.in.size() - at);
      require(EVP_CipherUpdate(context_, m.out.data() + at, &written, m.in.data() + at, int_of(size)));
    }
    const bool decrypts = task_.direction == Direction::decrypt;
    if (is_gcm() && decrypts) require(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, m.tag.data()));
    std::uint8_t rest[32];
    require(EVP_CipherFinal_ex(context_, rest, &written));
    if (is_gcm() && !decrypts) require(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_GET_TAG, 16, m.tag.data()));
  }

 private:
  static int int_of(std::size_t size) { return static_cast<int>(size); }
  [[nodiscard]] bool is_gcm() const { return task_.cipher.mode == Mode::gcm; }
  void set_iv_length(std::size_t size) {
    require(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_IVLEN, int_of(size), nullptr));
  }

  EVP_CIPHER_CTX* context_;
  const Task& task_;
};

class Openssl final : public Contender {
 public:
  // A library context of its own: single DES is in the legacy provider, which the rest of the program does not load.
  Openssl() : library_(OSSL_LIB_CTX_new()) {
    ERR_set_mark();
    for (const char* name : {"default", "legacy"}) providers_.push_back(OSSL_PROVIDER_load(library_, name));
    ERR_pop_to_mark();
  }
  ~Openssl() override {
    for (OSSL_PROVIDER* provider : providers_) {
      if (provider != nullptr) OSSL_PROVIDER_unload(provider);
    }
    OSSL_LIB_CTX_free(library_);
  }
  Openssl(const Openssl&) = delete;
  Openssl& operator=(const Openssl&) = delete;

  [[nodiscard]] std::string name() const override { return "openssl"; }
  [[nodiscard]] std::string version() const override { return OpenSSL_version(OPENSSL_VERSION_STRING); }

  [[nodiscard]] Run prepare(const Task& task) const override {
    if (is_long_data_unit(task)) return {};
    ERR_set_mark();
    const std::shared_ptr<EVP_CIPHER> cipher(EVP_CIPHER_fetch(library_, full_name(task.cipher).c_str(), nullptr),
                                             EVP_CIPHER_free);
    ERR_pop_to_mark();
    if (!cipher) return {};
    const auto make = [&](Bytes key) { return std::make_shared<Context>(cipher.get(), task, key); };
    return run_each(task, make, [](Context& context, const TaskMessage& message) { context.crypt(message); });
  }

 private:
  OSSL_LIB_CTX* library_;
  std::vector<OSSL_PROVIDER*> providers_;
};

}  // namespace

std::unique_ptr<const Contender> make_openssl_peer() { return std::make_unique<Openssl>(); }

}  // namespace phalanx::bench

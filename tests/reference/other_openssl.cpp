#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

#include "other_library.hpp"

namespace phalanx::test {
namespace {

void require(int result) {
  if (result != 1) throw std::runtime_error("libcrypto refuses");
}

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

using CipherPointer = std::unique_ptr<EVP_CIPHER, FreeCipher>;
using ContextPointer = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

// libcrypto's own name. Single DES is only in its legacy provider; with three equal keys, triple DES is DES.
std::string evp_name(const std::string& full_name) {
  const auto [cipher, mode] = split_name(full_name);
  return (cipher == "des" ? "des-ede3" : cipher) + "-" + mode;
}

class Openssl final : public OtherLibrary {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all = full_names({"des", "des-ede", "des-ede3"}, {"ecb", "cbc", "cfb", "ofb"});
    for (const char* cipher : {"aes-128", "aes-192", "aes-256"}) {
      for (const char* mode : {"ecb", "cbc", "ctr", "cfb", "ofb", "gcm"}) all.push_back(std::string(cipher) + "-" + mode);
    }
    all.insert(all.end(), {"aes-128-xts", "aes-256-xts"});
    return all;
  }

  [[nodiscard]] ByteVector crypt(const std::string& full_name, Direction direction, const ByteVector& key,
                                 const ByteVector& iv, const ByteVector& in) const override {
    const ContextPointer context(EVP_CIPHER_CTX_new());
    const CipherPointer cipher(EVP_CIPHER_fetch(nullptr, evp_name(full_name).c_str(), nullptr));
    if (!cipher) throw std::runtime_error("libcrypto has no " + evp_name(full_name));
    const ByteVector library_key = split_name(full_name).cipher == "des" ? tdes_key_bundle(key) : key;
    require(EVP_CipherInit_ex2(context.get(), cipher.get(), library_key.data(), iv.empty() ? nullptr : iv.data(),
                               direction == Direction::encrypt, nullptr));
    require(EVP_CIPHER_CTX_set_padding(context.get(), 0));
    ByteVector out(in.size() + 16);
    int out_bytes = 0, final_bytes = 0;
    require(EVP_CipherUpdate(context.get(), out.data(), &out_bytes, in.data(), static_cast<int>(in.size())));
    require(EVP_CipherFinal_ex(context.get(), out.data() + out_bytes, &final_bytes));
    out.resize(static_cast<std::size_t>(out_bytes + final_bytes));
    return out;
  }

  [[nodiscard]] ByteVector seal(const std::string& full_name, const ByteVector& key, const ByteVector& nonce,
                                const ByteVector& associated_data, const ByteVector& in) const override {
    const ContextPointer context(EVP_CIPHER_CTX_new());
    const CipherPointer cipher(EVP_CIPHER_fetch(nullptr, evp_name(full_name).c_str(), nullptr));
    if (!cipher) throw std::runtime_error("libcrypto has no " + evp_name(full_name));
    require(EVP_EncryptInit_ex2(context.get(), cipher.get(), nullptr, nullptr, nullptr));
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(nonce.size()), nullptr));
    require(EVP_EncryptInit_ex2(context.get(), nullptr, key.data(), nonce.data(), nullptr));
    ByteVector out(in.size() + 16);
    int num_bytes = 0;
    // A null pointer would mean something else to libcrypto than an empty string, so empty strings are not passed at all.
    if (!associated_data.empty()) {
      require(EVP_EncryptUpdate(context.get(), nullptr, &num_bytes, associated_data.data(),
                                static_cast<int>(associated_data.size())));
    }
    if (!in.empty()) {
      require(EVP_EncryptUpdate(context.get(), out.data(), &num_bytes, in.data(), static_cast<int>(in.size())));
    }
    require(EVP_EncryptFinal_ex(context.get(), out.data() + in.size(), &num_bytes));
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, out.data() + in.size()));
    return out;
  }
};

}  // namespace

const OtherLibrary& openssl() {
  static const Openssl library;
  return library;
}

}  // namespace phalanx::test

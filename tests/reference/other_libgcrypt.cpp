#include <gcrypt.h>

#include <map>
#include <stdexcept>

#include "other_library.hpp"

namespace phalanx::test {
namespace {

void require(gcry_error_t error) {
  if (error != 0) throw std::runtime_error(std::string("libgcrypt: ") + gcry_strerror(error));
}

// libgcrypt has no Twofish with a key of 24 bytes.
const std::map<std::string, int> algorithms = {
    {"des", GCRY_CIPHER_DES},
    {"des-ede", GCRY_CIPHER_3DES},
    {"des-ede3", GCRY_CIPHER_3DES},
    {"aes-128", GCRY_CIPHER_AES128},
    {"aes-192", GCRY_CIPHER_AES192},
    {"aes-256", GCRY_CIPHER_AES256},
    {"serpent-128", GCRY_CIPHER_SERPENT128},
    {"serpent-192", GCRY_CIPHER_SERPENT192},
    {"serpent-256", GCRY_CIPHER_SERPENT256},
    {"twofish-128", GCRY_CIPHER_TWOFISH128},
    {"twofish-256", GCRY_CIPHER_TWOFISH},
};

const std::map<std::string, int> modes = {
    {"ecb", GCRY_CIPHER_MODE_ECB}, {"cbc", GCRY_CIPHER_MODE_CBC}, {"ctr", GCRY_CIPHER_MODE_CTR},
    {"cfb", GCRY_CIPHER_MODE_CFB}, {"ofb", GCRY_CIPHER_MODE_OFB}, {"xts", GCRY_CIPHER_MODE_XTS},
    {"gcm", GCRY_CIPHER_MODE_GCM},
};

class Handle {
 public:
  Handle(const std::string& cipher, const std::string& mode, const ByteVector& key) {
    require(gcry_cipher_open(&handle_, algorithms.at(cipher), modes.at(mode), 0));
    const ByteVector library_key = cipher == "des-ede" ? tdes_key_bundle(key) : key;
    require(gcry_cipher_setkey(handle_, library_key.data(), library_key.size()));
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { gcry_cipher_close(handle_); }
  [[nodiscard]] gcry_cipher_hd_t get() const { return handle_; }

 private:
  gcry_cipher_hd_t handle_ = nullptr;
};

class Libgcrypt final : public OtherLibrary {
 public:
  Libgcrypt() {
    if (gcry_check_version(nullptr) == nullptr) throw std::runtime_error("libgcrypt does not start");
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [cipher, algorithm] : algorithms) {
      const bool wide = gcry_cipher_get_algo_blklen(algorithm) == 16;
      for (const auto& [mode, number] : modes) {
        if (wide || (mode != "xts" && mode != "gcm")) all.push_back(cipher + "-" + mode);
      }
    }
    return all;
  }

  [[nodiscard]] ByteVector crypt(const std::string& full_name, Direction direction, const ByteVector& key,
                                 const ByteVector& iv, const ByteVector& in) const override {
    const auto [cipher, mode] = split_name(full_name);
    const Handle handle(cipher, mode, key);
    if (mode == "ctr") {
      require(gcry_cipher_setctr(handle.get(), iv.data(), iv.size()));
    } else if (mode != "ecb") {
      require(gcry_cipher_setiv(handle.get(), iv.data(), iv.size()));
    }
    ByteVector out(in.size());
    const auto run = direction == Direction::encrypt ? gcry_cipher_encrypt : gcry_cipher_decrypt;
    require(run(handle.get(), out.data(), out.size(), in.data(), in.size()));
    return out;
  }

  [[nodiscard]] ByteVector seal(const std::string& full_name, const ByteVector& key, const ByteVector& nonce,
                                const ByteVector& associated_data, const ByteVector& in) const override {
    const Handle handle(split_name(full_name).cipher, "gcm", key);
    require(gcry_cipher_setiv(handle.get(), nonce.data(), nonce.size()));
    require(gcry_cipher_authenticate(handle.get(), associated_data.data(), associated_data.size()));
    ByteVector out(in.size() + 16);
    require(gcry_cipher_encrypt(handle.get(), out.data(), in.size(), in.data(), in.size()));
    require(gcry_cipher_gettag(handle.get(), out.data() + in.size(), 16));
    return out;
  }
};

}  // namespace

const OtherLibrary& libgcrypt() {
  static const Libgcrypt library;
  return library;
}

}  // namespace phalanx::test

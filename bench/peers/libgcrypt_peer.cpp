#include <gcrypt.h>

#include <map>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

void require(gcry_error_t error) {
  if (error != 0) refuse("libgcrypt");
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

constexpr int mode_numbers[] = {GCRY_CIPHER_MODE_ECB, GCRY_CIPHER_MODE_CBC, GCRY_CIPHER_MODE_CTR, GCRY_CIPHER_MODE_CFB,
                                GCRY_CIPHER_MODE_OFB, GCRY_CIPHER_MODE_XTS, GCRY_CIPHER_MODE_GCM};

class Handle {
 public:
  Handle(int algorithm, const Task& task, Bytes key) : task_(task) {
    require(gcry_cipher_open(&handle_, algorithm, mode_numbers[static_cast<unsigned>(task.cipher.mode)], 0));
    if (std::string_view(task.cipher.cipher->name) == "des-ede") {
      const auto three = triple_des_key(key);
      require(gcry_cipher_setkey(handle_, three.data(), three.size()));
    } else {
      require(gcry_cipher_setkey(handle_, key.data(), key.size()));
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { gcry_cipher_close(handle_); }

  void crypt(const TaskMessage& m) {
    const Mode mode = task_.cipher.mode;
    if (mode == Mode::ctr) {
      require(gcry_cipher_setctr(handle_, m.iv.data(), m.iv.size()));
    } else if (mode != Mode::ecb) {
      require(gcry_cipher_setiv(handle_, m.iv.data(), m.iv.size()));
    }
    if (!m.associated_data.empty()) {
      require(gcry_cipher_authenticate(handle_, m.associated_data.data(), m.associated_data.size()));
    }
    const bool encrypts = task_.direction == Direction::encrypt;
    const auto run = encrypts ? gcry_cipher_encrypt : gcry_cipher_decrypt;
    require(run(handle_, m.out.data(), m.out.size(), m.in.data(), m.in.size()));
    if (mode != Mode::gcm) return;
    require(encrypts ? gcry_cipher_gettag(handle_, m.tag.data(), m.tag.size())
                     : gcry_cipher_checktag(handle_, m.tag.data(), m.tag.size()));
  }

 private:
  gcry_cipher_hd_t handle_ = nullptr;
  const Task& task_;
};

class Libgcrypt final : public Contender {
 public:
  Libgcrypt() {
    if (gcry_check_version(nullptr) == nullptr) refuse("libgcrypt");
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }

  [[nodiscard]] std::string name() const override { return "libgcrypt"; }
  [[nodiscard]] std::string version() const override { return gcry_check_version(nullptr); }

  [[nodiscard]] Run prepare(const Task& task) const override {
    const auto algorithm = algorithms.find(task.cipher.cipher->name);
    if (algorithm == algorithms.end() || is_long_data_unit(task)) return {};
    const auto make = [&](Bytes key) { return std::make_shared<Handle>(algorithm->second, task, key); };
    return run_each(task, make, [](Handle& handle, const TaskMessage& message) { handle.crypt(message); });
  }
};

}  // namespace

std::unique_ptr<const Contender> make_libgcrypt_peer() { return std::make_unique<Libgcrypt>(); }

}  // namespace phalanx::bench

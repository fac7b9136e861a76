#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/nettle-meta.h>
#include <nettle/version.h>
#include <nettle/xts.h>

#include <cstring>
#include <map>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

void set_des_key(void* context, const std::uint8_t* key) { des_set_key(static_cast<des_ctx*>(context), key); }
void set_des3_key(void* context, const std::uint8_t* key) { des3_set_key(static_cast<des3_ctx*>(context), key); }
void encrypt_des(const void* context, std::size_t length, std::uint8_t* out, const std::uint8_t* in) {
  des_encrypt(static_cast<const des_ctx*>(context), length, out, in);
}
void decrypt_des(const void* context, std::size_t length, std::uint8_t* out, const std::uint8_t* in) {
  des_decrypt(static_cast<const des_ctx*>(context), length, out, in);
}
void encrypt_des3(const void* context, std::size_t length, std::uint8_t* out, const std::uint8_t* in) {
  des3_encrypt(static_cast<const des3_ctx*>(context), length, out, in);
}
void decrypt_des3(const void* context, std::size_t length, std::uint8_t* out, const std::uint8_t* in) {
  des3_decrypt(static_cast<const des3_ctx*>(context), length, out, in);
}

// nettle describes most of its ciphers in such a structure, but not these two.
const nettle_cipher nettle_des = {"des",       sizeof(des_ctx), DES_BLOCK_SIZE, DES_KEY_SIZE,
                                  set_des_key, set_des_key,     encrypt_des,    decrypt_des};
const nettle_cipher nettle_des3 = {"des3",       sizeof(des3_ctx), DES3_BLOCK_SIZE, DES3_KEY_SIZE,
                                   set_des3_key, set_des3_key,     encrypt_des3,    decrypt_des3};

const std::map<std::string, const nettle_cipher*> ciphers = {
    {"des", &nettle_des},
    {"des-ede", &nettle_des3},
    {"des-ede3", &nettle_des3},
    {"aes-128", &nettle_aes128},
    {"aes-192", &nettle_aes192},
    {"aes-256", &nettle_aes256},
    {"serpent-128", &nettle_serpent128},
    {"serpent-192", &nettle_serpent192},
    {"serpent-256", &nettle_serpent256},
    {"twofish-128", &nettle_twofish128},
    {"twofish-192", &nettle_twofish192},
    {"twofish-256", &nettle_twofish256},
};

// A cipher under one key: a context for each direction, the tweak's for XTS, the hash key for GCM.
class Keyed {
 public:
  Keyed(const nettle_cipher& cipher, const Task& task, Bytes key)
      : cipher_(cipher), task_(task), forward_(cipher.context_size), backward_(cipher.context_size) {
    const auto three = triple_des_key(key);
    const std::uint8_t* bytes = cipher.key_size == 24 && cipher.block_size == 8 ? three.data() : key.data();
    cipher_.set_encrypt_key(forward_.data(), bytes);
    cipher_.set_decrypt_key(backward_.data(), bytes);
    if (task.cipher.mode == Mode::xts) {
      tweak_.resize(cipher.context_size);
      cipher_.set_encrypt_key(tweak_.data(), key.data() + cipher.key_size);
    }
    if (task.cipher.mode == Mode::gcm) gcm_set_key(&hash_, forward_.data(), cipher_.encrypt);
  }

  void crypt(const TaskMessage& m) {
    switch (task_.cipher.mode) {
      case Mode::xts:
        return crypt_data_unit(m);
      case Mode::gcm:
        return crypt_sealed(m);
      default:
        return crypt_blocks(m);
    }
  }

 private:
  [[nodiscard]] bool encrypts() const { return task_.direction == Direction::encrypt; }

  void crypt_blocks(const TaskMessage& m) {
    std::uint8_t iv[16] = {};
    if (!m.iv.empty()) std::memcpy(iv, m.iv.data(), m.iv.size());
    const std::size_t block = cipher_.block_size;
    const auto run = encrypts() ? cipher_.encrypt : cipher_.decrypt;
    const void* const context = encrypts() ? forward_.data() : backward_.data();
    const Mode mode = task_.cipher.mode;
    if (mode == Mode::ecb) return run(context, m.in.size(), m.out.data(), m.in.data());
    if (mode == Mode::ctr) {
      return nettle_ctr_crypt(forward_.data(), cipher_.encrypt, block, iv, m.in.size(), m.out.data(), m.in.data());
    }
    if (mode == Mode::cbc) {
      const auto chain = encrypts() ? nettle_cbc_encrypt : nettle_cbc_decrypt;
      return chain(context, run, block, iv, m.in.size(), m.out.data(), m.in.data());
    }
    const auto chain = encrypts() ? nettle_cfb_encrypt : nettle_cfb_decrypt;
    chain(forward_.data(), cipher_.encrypt, block, iv, m.in.size(), m.out.data(), m.in.data());
  }

  void crypt_data_unit(const TaskMessage& m) {
    if (encrypts()) {
      xts_encrypt_message(forward_.data(), tweak_.data(), cipher_.encrypt, m.iv.data(), m.in.size(), m.out.data(),
                          m.in.data());
    } else {
      xts_decrypt_message(backward_.data(), tweak_.data(), cipher_.decrypt, cipher_.encrypt, m.iv.data(), m.in.size(),
                          m.out.data(), m.in.data());
    }
  }

  void crypt_sealed(const TaskMessage& m) {
    gcm_ctx state;
    std::uint8_t tag[GCM_DIGEST_SIZE];
    gcm_set_iv(&state, &hash_, m.iv.size(), m.iv.data());
    gcm_update(&state, &hash_, m.associated_data.size(), m.associated_data.data());
    const auto run = encrypts() ? gcm_encrypt : gcm_decrypt;
    run(&state, &hash_, forward_.data(), cipher_.encrypt, m.in.size(), m.out.data(), m.in.data());
    gcm_digest(&state, &hash_, forward_.data(), cipher_.encrypt, sizeof tag, tag);
    if (encrypts()) {
      std::memcpy(m.tag.data(), tag, sizeof tag);
    } else if (std::memcmp(m.tag.data(), tag, sizeof tag) != 0) {
      refuse("nettle");
    }
  }

  const nettle_cipher& cipher_;
  const Task& task_;
  std::vector<std::uint8_t> forward_, backward_, tweak_;  // memory from operator new, aligned for any type
  gcm_key hash_;
};

class Nettle final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "nettle"; }
  [[nodiscard]] std::string version() const override {
    return std::to_string(nettle_version_major()) + "." + std::to_string(nettle_version_minor());
  }

  [[nodiscard]] Run prepare(const Task& task) const override {
    const auto cipher = ciphers.find(task.cipher.cipher->name);
    if (cipher == ciphers.end() || task.cipher.mode == Mode::ofb) return {};
    const auto make = [&](Bytes key) { return std::make_shared<Keyed>(*cipher->second, task, key); };
    return run_each(task, make, [](Keyed& keyed, const TaskMessage& message) { keyed.crypt(message); });
  }
};

}  // namespace

std::unique_ptr<const Contender> make_nettle_peer() { return std::make_unique<Nettle>(); }

}  // namespace phalanx::bench

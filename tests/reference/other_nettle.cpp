#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/nettle-meta.h>
#include <nettle/xts.h>

#include <map>
#include <stdexcept>

#include "other_library.hpp"

namespace phalanx::test {
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

// A cipher under one key, with a context for each direction.
class KeyedCipher {
 public:
  KeyedCipher(const std::string& name, const ByteVector& key)
      : cipher_(*ciphers.at(name)), encrypt_context_(cipher_.context_size), decrypt_context_(cipher_.context_size) {
    const ByteVector library_key = name == "des-ede" ? tdes_key_bundle(key) : key;
    if (library_key.size() != cipher_.key_size) throw std::runtime_error("nettle: the key has the wrong length");
    cipher_.set_encrypt_key(encrypt_context_.data(), library_key.data());
    cipher_.set_decrypt_key(decrypt_context_.data(), library_key.data());
  }

  ByteVector crypt(const std::string& mode, Direction direction, ByteVector iv, const ByteVector& in) const {
    const bool encrypts = direction == Direction::encrypt;
    const std::size_t block = cipher_.block_size;
    ByteVector out(in.size());
    if (mode == "ecb") {
      function(encrypts)(context(encrypts), in.size(), out.data(), in.data());
    } else if (mode == "cbc") {
      const auto run = encrypts ? nettle_cbc_encrypt : nettle_cbc_decrypt;
      run(context(encrypts), function(encrypts), block, iv.data(), in.size(), out.data(), in.data());
    } else if (mode == "cfb") {
      const auto run = encrypts ? nettle_cfb_encrypt : nettle_cfb_decrypt;
      run(context(true), cipher_.encrypt, block, iv.data(), in.size(), out.data(), in.data());
    } else if (mode == "ctr") {
      nettle_ctr_crypt(context(true), cipher_.encrypt, block, iv.data(), in.size(), out.data(), in.data());
    } else {
      throw std::runtime_error("nettle has no mode " + mode);
    }
    return out;
  }

  ByteVector crypt_xts(const KeyedCipher& tweak_cipher, Direction direction, const ByteVector& tweak,
                       const ByteVector& in) const {
    ByteVector out(in.size());
    const auto twk_context = tweak_cipher.context(true);
    if (direction == Direction::encrypt) {
      xts_encrypt_message(context(true), twk_context, cipher_.encrypt, tweak.data(), in.size(), out.data(), in.data());
    } else {
      xts_decrypt_message(context(false), twk_context, cipher_.decrypt, cipher_.encrypt, tweak.data(), in.size(), out.data(),
                          in.data());
    }
    return out;
  }

  ByteVector seal(const ByteVector& nonce, const ByteVector& associated_data, const ByteVector& in) const {
    gcm_key key;
    gcm_ctx state;
    ByteVector out(in.size() + GCM_DIGEST_SIZE);
    gcm_set_key(&key, context(true), cipher_.encrypt);
    gcm_set_iv(&state, &key, nonce.size(), nonce.data());
    gcm_update(&state, &key, associated_data.size(), associated_data.data());
    gcm_encrypt(&state, &key, context(true), cipher_.encrypt, in.size(), out.data(), in.data());
    gcm_digest(&state, &key, context(true), cipher_.encrypt, GCM_DIGEST_SIZE, out.data() + in.size());
    return out;
  }

 private:
  [[nodiscard]] const void* context(bool encrypts) const {
    return encrypts ? encrypt_context_.data() : decrypt_context_.data();
  }
  [[nodiscard]] nettle_cipher_func* function(bool encrypts) const { return encrypts ? cipher_.encrypt : cipher_.decrypt; }

  const nettle_cipher& cipher_;
  ByteVector encrypt_context_, decrypt_context_;  // memory from operator new, aligned for any type
};

class Nettle final : public OtherLibrary {
 public:
  // nettle has no OFB.
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, cipher] : ciphers) {
      for (const char* mode : {"ecb", "cbc", "ctr", "cfb"}) all.push_back(name + "-" + mode);
      if (cipher->block_size != 16) continue;
      for (const char* mode : {"xts", "gcm"}) all.push_back(name + "-" + mode);
    }
    return all;
  }

  [[nodiscard]] ByteVector crypt(const std::string& full_name, Direction direction, const ByteVector& key,
                                 const ByteVector& iv, const ByteVector& in) const override {
    const auto [cipher, mode] = split_name(full_name);
    if (mode != "xts") return KeyedCipher(cipher, key).crypt(mode, direction, iv, in);
    const auto middle = key.begin() + static_cast<std::ptrdiff_t>(key.size() / 2);
    const KeyedCipher data_cipher(cipher, {key.begin(), middle});
    return data_cipher.crypt_xts(KeyedCipher(cipher, {middle, key.end()}), direction, iv, in);
  }

  [[nodiscard]] ByteVector seal(const std::string& full_name, const ByteVector& key, const ByteVector& nonce,
                                const ByteVector& associated_data, const ByteVector& in) const override {
    return KeyedCipher(split_name(full_name).cipher, key).seal(nonce, associated_data, in);
  }
};

}  // namespace

const OtherLibrary& nettle() {
  static const Nettle library;
  return library;
}

}  // namespace phalanx::test

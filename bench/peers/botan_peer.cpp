#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

const std::map<std::string, std::string> cipher_names_there = {
    {"des", "DES"},
    {"des-ede", "TripleDES"},
    {"des-ede3", "TripleDES"},
    {"aes-128", "AES-128"},
    {"aes-192", "AES-192"},
    {"aes-256", "AES-256"},
    {"serpent-128", "Serpent"},
    {"serpent-192", "Serpent"},
    {"serpent-256", "Serpent"},
    {"twofish-128", "Twofish"},
    {"twofish-192", "Twofish"},
    {"twofish-256", "Twofish"},
};

#if BOTAN_VERSION_MAJOR >= 3
constexpr auto encryption = Botan::Cipher_Dir::Encryption, decryption = Botan::Cipher_Dir::Decryption;
#else
constexpr auto encryption = Botan::ENCRYPTION, decryption = Botan::DECRYPTION;
#endif

// Botan has ECB as a block cipher, CTR and OFB as stream ciphers, the rest as cipher modes.
class Keyed {
 public:
  Keyed(const std::string& cipher, const Task& task, Bytes key) : task_(task) {
    const Mode mode = task.cipher.mode;
    if (mode == Mode::ecb) {
      block_ = Botan::BlockCipher::create(cipher);
      block_->set_key(key.data(), key.size());
    } else if (mode == Mode::ctr || mode == Mode::ofb) {
      stream_ = Botan::StreamCipher::create((mode == Mode::ctr ? "CTR-BE(" : "OFB(") + cipher + ")");
      stream_->set_key(key.data(), key.size());
    } else {
      const char* suffix = mode == Mode::cbc   ? "/CBC/NoPadding"
                           : mode == Mode::cfb ? "/CFB"
                           : mode == Mode::xts ? "/XTS"
                                               : "/GCM";
      mode_ = Botan::Cipher_Mode::create(cipher + suffix, encrypts() ? encryption : decryption);
      mode_->set_key(key.data(), key.size());
    }
  }

  void crypt(const TaskMessage& m) {
    if (block_) {
      const std::size_t num_blocks = m.in.size() / block_->block_size();
      if (encrypts()) {
        block_->encrypt_n(m.in.data(), m.out.data(), num_blocks);
      } else {
        block_->decrypt_n(m.in.data(), m.out.data(), num_blocks);
      }
    } else if (stream_) {
      stream_->set_iv(m.iv.data(), m.iv.size());
      stream_->cipher(m.in.data(), m.out.data(), m.in.size());
    } else {
      crypt_in_place(m);
    }
  }

 private:
  [[nodiscard]] bool encrypts() const { return task_.direction == Direction::encrypt; }

  // These modes work in place: the copy is what its users pay as well.
  void crypt_in_place(const TaskMessage& m) {
    if (auto* aead = dynamic_cast<Botan::AEAD_Mode*>(mode_.get())) {
      aead->set_associated_data(m.associated_data.data(), m.associated_data.size());
    }
    mode_->start(m.iv.data(), m.iv.size());
    if (m.out.data() != m.in.data()) std::memcpy(m.out.data(), m.in.data(), m.in.size());
    const std::size_t step = mode_->update_granularity();
    const std::size_t most = m.in.size() - std::min(m.in.size(), std::max<std::size_t>(mode_->minimum_final_size(), 1));
    const std::size_t last = most / step * step;
    mode_->process(m.out.data(), last);
    finish(m, last);
  }

  void finish(const TaskMessage& m, std::size_t last) {
    const std::size_t rest_bytes = m.out.size() - last;
    rest_.assign(m.out.begin() + static_cast<std::ptrdiff_t>(last), m.out.end());
    const bool sealed = task_.cipher.mode == Mode::gcm;
    if (sealed && !encrypts()) rest_.insert(rest_.end(), m.tag.begin(), m.tag.end());
    mode_->finish(rest_);
    std::memcpy(m.out.data() + last, rest_.data(), rest_bytes);
    if (sealed && encrypts()) std::memcpy(m.tag.data(), rest_.data() + rest_bytes, m.tag.size());
  }

  const Task& task_;
  std::unique_ptr<Botan::BlockCipher> block_;
  std::unique_ptr<Botan::StreamCipher> stream_;
  std::unique_ptr<Botan::Cipher_Mode> mode_;
  Botan::secure_vector<std::uint8_t> rest_;
};

class BotanPeer final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "botan"; }
  [[nodiscard]] std::string version() const override { return Botan::short_version_string(); }

  [[nodiscard]] Run prepare(const Task& task) const override {
    const auto cipher = cipher_names_there.find(task.cipher.cipher->name);
    if (cipher == cipher_names_there.end() || task.messages.front().in.empty()) return {};
    const auto make = [&](Bytes key) { return std::make_shared<Keyed>(cipher->second, task, key); };
    return run_each(task, make, [](Keyed& keyed, const TaskMessage& message) { keyed.crypt(message); });
  }
};

}  // namespace

std::unique_ptr<const Contender> make_botan_peer() { return std::make_unique<BotanPeer>(); }

}  // namespace phalanx::bench

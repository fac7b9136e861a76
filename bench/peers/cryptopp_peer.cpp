#include <cryptopp/aes.h>
#include <cryptopp/config_ver.h>
#include <cryptopp/des.h>
#include <cryptopp/gcm.h>
#include <cryptopp/modes.h>
#include <cryptopp/serpent.h>
#include <cryptopp/twofish.h>
#include <cryptopp/xts.h>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

namespace cpp = CryptoPP;

using KeyedScheme = std::shared_ptr<cpp::StreamTransformation>;

template <class Scheme>
KeyedScheme keyed(Bytes key, const TaskMessage& m) {
  auto mode = std::make_shared<Scheme>();
  cpp::SimpleKeyingInterface& keying = *mode;
  if (m.iv.empty()) {
    keying.SetKey(key.data(), key.size());
  } else {
    keying.SetKeyWithIV(key.data(), key.size(), m.iv.data(), m.iv.size());
  }
  return mode;
}

template <template <class> class Scheme, class Cipher>
KeyedScheme keyed_either(const Task& task, Bytes key) {
  const TaskMessage& m = task.messages.front();
  return task.direction == Direction::encrypt ? keyed<typename Scheme<Cipher>::Encryption>(key, m)
                                              : keyed<typename Scheme<Cipher>::Decryption>(key, m);
}

template <class Cipher>
using Gcm = cpp::GCM<Cipher, cpp::GCM_64K_Tables>;

template <class Cipher>
KeyedScheme make_mode(const Task& task, Bytes key) {
  switch (task.cipher.mode) {
    case Mode::ecb:
      return keyed_either<cpp::ECB_Mode, Cipher>(task, key);
    case Mode::cbc:
      return keyed_either<cpp::CBC_Mode, Cipher>(task, key);
    case Mode::ctr:
      return keyed_either<cpp::CTR_Mode, Cipher>(task, key);
    case Mode::cfb:
      return keyed_either<cpp::CFB_Mode, Cipher>(task, key);
    case Mode::ofb:
      return keyed_either<cpp::OFB_Mode, Cipher>(task, key);
    default:
      break;
  }
  if constexpr (static_cast<int>(Cipher::BLOCKSIZE) == 16) {
    if (task.cipher.mode == Mode::xts) return keyed_either<cpp::XTS_Mode, Cipher>(task, key);
    return keyed_either<Gcm, Cipher>(task, key);
  }
  return {};
}

KeyedScheme make_cipher(const Task& task, Bytes key) {
  const CipherSpec& cipher = *task.cipher.cipher;
  const std::string_view name = cipher.name;
  switch (cipher.family) {
    case CipherFamily::aes:
      return make_mode<cpp::AES>(task, key);
    case CipherFamily::serpent:
      return make_mode<cpp::Serpent>(task, key);
    case CipherFamily::twofish:
      return make_mode<cpp::Twofish>(task, key);
    case CipherFamily::des:
      break;
  }
  if (name == "des") return make_mode<cpp::DES>(task, key);
  if (name == "des-ede") return make_mode<cpp::DES_EDE2>(task, key);
  return name == "des-ede3" ? make_mode<cpp::DES_EDE3>(task, key) : KeyedScheme{};
}

void crypt_message(cpp::StreamTransformation& mode, const TaskMessage& m) {
  if (!m.iv.empty())
    dynamic_cast<cpp::SimpleKeyingInterface&>(mode).Resynchronize(m.iv.data(), static_cast<int>(m.iv.size()));
  mode.ProcessData(m.out.data(), m.in.data(), m.in.size());
}

void crypt_sealed(cpp::StreamTransformation& mode, Direction direction, const TaskMessage& m) {
  auto& sealed = dynamic_cast<cpp::AuthenticatedSymmetricCipher&>(mode);
  const auto iv_size = static_cast<int>(m.iv.size());
  if (direction == Direction::encrypt) {
    sealed.EncryptAndAuthenticate(m.out.data(), m.tag.data(), m.tag.size(), m.iv.data(), iv_size, m.associated_data.data(),
                                  m.associated_data.size(), m.in.data(), m.in.size());
  } else if (!sealed.DecryptAndVerify(m.out.data(), m.tag.data(), m.tag.size(), m.iv.data(), iv_size,
                                      m.associated_data.data(), m.associated_data.size(), m.in.data(), m.in.size())) {
    refuse("Crypto++");
  }
}

class Cryptopp final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "crypto++"; }
  [[nodiscard]] std::string version() const override {
    return std::to_string(CRYPTOPP_MAJOR) + "." + std::to_string(CRYPTOPP_MINOR);
  }

  [[nodiscard]] Run prepare(const Task& task) const override {
    const TaskMessage& first = task.messages.front();
    if (task.cipher.mode == Mode::xts && first.in.size() % 16 != 0) return {};  // stealing is another call there
    if (!make_cipher(task, first.key)) return {};
    const auto make = [&](Bytes key) { return make_cipher(task, key); };
    return run_each(task, make, [&task](cpp::StreamTransformation& mode, const TaskMessage& message) {
      if (task.cipher.mode == Mode::gcm) {
        crypt_sealed(mode, task.direction, message);
      } else {
        crypt_message(mode, message);
      }
    });
  }
};

}  // namespace

std::unique_ptr<const Contender> make_cryptopp_peer() { return std::make_unique<Cryptopp>(); }

}  // namespace phalanx::bench

#include "reference/reference.hpp"

#include <stdexcept>
#include <string>

#include "reference/plain_aes.hpp"
#include "reference/plain_des.hpp"
#include "reference/plain_serpent.hpp"
#include "reference/plain_twofish.hpp"

namespace phalanx::reference {
namespace {

using Factory = std::unique_ptr<BlockCipher> (*)(Bytes key);

struct NamedFactory {
  std::string_view name;
  std::size_t key_bytes;
  Factory make;
};

template <class Cipher, std::size_t key_bytes>
std::unique_ptr<BlockCipher> make(Bytes key) {
  return std::make_unique<Cipher>(std::span<const std::uint8_t, key_bytes>(key));
}

template <class Cipher>
std::unique_ptr<BlockCipher> make(Bytes key) {
  return std::make_unique<Cipher>(key);
}

constexpr NamedFactory factories[] = {
    {"des", 8, make<Des, 8>},
    {"2des", 16, make<DoubleDes, 16>},
    {"des-ede", 16, make<TripleDes, 16>},
    {"des-ede3", 24, make<TripleDes, 24>},
    {"3des", 24, make<TripleDes, 24>},
    {"aes-128", 16, make<Aes>},
    {"aes-192", 24, make<Aes>},
    {"aes-256", 32, make<Aes>},
    {"serpent-128", 16, make<Serpent>},
    {"serpent-192", 24, make<Serpent>},
    {"serpent-256", 32, make<Serpent>},
    {"twofish-128", 16, make<Twofish>},
    {"twofish-192", 24, make<Twofish>},
    {"twofish-256", 32, make<Twofish>},
};

const NamedFactory& find_factory(std::string_view name) {
  for (const NamedFactory& factory : factories) {
    if (factory.name == name) return factory;
  }
  throw std::invalid_argument("the reference has no cipher named " + std::string(name));
}

struct CipherAndMode {
  std::string_view cipher, mode;
};

CipherAndMode split(std::string_view full_name) {
  const std::size_t dash = full_name.rfind('-');
  if (dash == std::string_view::npos) throw std::invalid_argument(std::string(full_name) + " names no mode");
  return {full_name.substr(0, dash), full_name.substr(dash + 1)};
}

ByteVector crypt_xts(std::string_view name, Direction direction, Bytes key, Bytes tweak, Bytes in) {
  const std::size_t half = key.size() / 2;
  const auto data_cipher = make_cipher(name, key.first(half));
  const auto tweak_cipher = make_cipher(name, key.subspan(half));
  return xts(*data_cipher, *tweak_cipher, direction, tweak, in);
}

ByteVector opened(std::optional<ByteVector> out) {
  if (!out) throw std::invalid_argument("the GCM tag does not fit");
  return *std::move(out);
}

ByteVector crypt_gcm(const BlockCipher& cipher, Direction direction, Bytes nonce, Bytes in) {
  return direction == Direction::encrypt ? gcm_seal(cipher, nonce, {}, in) : opened(gcm_open(cipher, nonce, {}, in));
}

ByteVector crypt_xaes(Direction direction, Bytes key, Bytes nonce, Bytes in) {
  return direction == Direction::encrypt ? xaes_seal(key, nonce, {}, in) : opened(xaes_open(key, nonce, {}, in));
}

}  // namespace

std::unique_ptr<BlockCipher> make_cipher(std::string_view name, Bytes key) {
  const NamedFactory& factory = find_factory(name);
  if (key.size() != factory.key_bytes) throw std::invalid_argument("the key has the wrong length for " + std::string(name));
  return factory.make(key);
}

std::size_t key_bytes(std::string_view full_name) {
  if (full_name == "xaes-256-gcm") return xaes_key_bytes;
  const auto [cipher_name, mode] = split(full_name);
  return find_factory(cipher_name).key_bytes * (mode == "xts" ? 2 : 1);
}

ByteVector crypt(std::string_view full_name, Direction direction, Bytes key, Bytes iv, Bytes in) {
  if (full_name == "xaes-256-gcm") return crypt_xaes(direction, key, iv, in);
  const auto [cipher_name, mode] = split(full_name);
  if (mode == "xts") return crypt_xts(cipher_name, direction, key, iv, in);
  const auto cipher = make_cipher(cipher_name, key);
  if (mode == "ecb") return ecb(*cipher, direction, in);
  if (mode == "cbc") return cbc(*cipher, direction, iv, in);
  if (mode == "cfb") return cfb(*cipher, direction, iv, in);
  if (mode == "ofb") return ofb(*cipher, iv, in);
  if (mode == "ctr") return ctr(*cipher, iv, in);
  if (mode == "gcm") return crypt_gcm(*cipher, direction, iv, in);
  throw std::invalid_argument("the reference has no mode named " + std::string(mode));
}

}  // namespace phalanx::reference

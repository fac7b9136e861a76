#include "io/engine_speed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/sampling.hpp"

namespace phalanx {
namespace {

constexpr std::uint8_t poison = 0xa5;
constexpr std::size_t tag_bytes = 16;

/// Any bytes that do not repeat soon: no engine's speed depends on them.
std::vector<std::uint8_t> varied_bytes(std::size_t num_bytes) {
  std::vector<std::uint8_t> bytes(num_bytes);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

}  // namespace

RoundTrip::RoundTrip(const Cipher& cipher, std::size_t message_bytes)
    : cipher_(cipher),
      sealed_(parse_cipher_name(cipher.name()).mode == Mode::gcm),
      iv_(cipher.iv_bytes(), 0x3c),
      plaintext_(varied_bytes(message_bytes)),
      ciphertext_(message_bytes),
      decrypted_(message_bytes),
      tag_(sealed_ ? tag_bytes : 0) {}

void RoundTrip::encrypt() {
  if (sealed_) {
    cipher_.seal(iv_, {}, plaintext_, ciphertext_, tag_);
  } else {
    cipher_.encrypt(iv_, plaintext_, ciphertext_);
  }
}

void RoundTrip::decrypt() {
  if (sealed_) {
    cipher_.open(iv_, {}, ciphertext_, decrypted_, tag_);
  } else {
    cipher_.decrypt(iv_, ciphertext_, decrypted_);
  }
}

void RoundTrip::check() {
  std::ranges::fill(ciphertext_, poison);
  std::ranges::fill(decrypted_, poison);
  encrypt();
  decrypt();
  verify();
}

void RoundTrip::verify() const {
  if (ciphertext_ != plaintext_ && decrypted_ == plaintext_) return;
  throw Error(ErrorCode::runtime, fmt::format("{}: what {} decrypts is not what it encrypted: its speed means nothing",
                                              cipher_.engine(), cipher_.name()));
}

EngineSpeed measure_speed(const Cipher& cipher, std::size_t message_bytes, double seconds) {
  RoundTrip message(cipher, message_bytes);
  message.check();
  const Run runs[] = {[&] { message.encrypt(); }, [&] { message.decrypt(); }};
  const std::vector<Series> series = sample_in_turn(runs, seconds);
  message.check();
  const auto rate = [&](const Series& samples) {
    return static_cast<double>(message_bytes) / quartiles_of(samples.seconds).median;
  };
  return {.encryption = rate(series[0]), .decryption = rate(series[1])};
}

std::vector<std::uint8_t> key_to_measure(const NamedCipher& named) { return varied_bytes(key_bytes(named)); }

}  // namespace phalanx

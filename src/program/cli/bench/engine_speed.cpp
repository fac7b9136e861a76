#include "program/cli/bench/engine_speed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/library/keyed_mode.hpp"
#include "program/cli/bench/sampling.hpp"

namespace phalanx {
namespace {

constexpr std::uint8_t poison = 0xa5;

// Any bytes that do not repeat soon will do, since no engine's speed depends on them.
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

RoundTrip::Keyed RoundTrip::keyed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes) {
  constexpr CipherPolicy policy{.allow_legacy = true};  // the ciphertext is thrown away
  const std::vector<std::uint8_t> key = key_to_measure(named);
  if (is_aead(named.mode)) return Aead(full_name(named), key, options);
  if (named.mode == Mode::xts && message_bytes > KeyedMode::most_unit_bytes)
    return SectorCipher(full_name(named), key, options, policy);
  return Cipher(full_name(named), key, options, policy);
}

RoundTrip::RoundTrip(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes)
    : name_(full_name(named)),
      keyed_(keyed(named, options, message_bytes)),
      iv_(cipher_facts(name_).iv_bytes, 0x3c),
      plaintext_(varied_bytes(message_bytes)),
      ciphertext_(message_bytes),
      decrypted_(message_bytes),
      tag_(cipher_facts(name_).tag_bytes) {}

void RoundTrip::encrypt() {
  if (const Aead* aead = std::get_if<Aead>(&keyed_)) {
    aead->seal(iv_, {}, plaintext_, ciphertext_, tag_);
  } else if (const SectorCipher* sectors = std::get_if<SectorCipher>(&keyed_)) {
    sectors->encrypt(0, 1, KeyedMode::most_unit_bytes, plaintext_, ciphertext_);
  } else {
    std::get<Cipher>(keyed_).encrypt(iv_, plaintext_, ciphertext_);
  }
}

void RoundTrip::decrypt() {
  if (const Aead* aead = std::get_if<Aead>(&keyed_)) {
    aead->open(iv_, {}, ciphertext_, decrypted_, tag_);
  } else if (const SectorCipher* sectors = std::get_if<SectorCipher>(&keyed_)) {
    sectors->decrypt(0, 1, KeyedMode::most_unit_bytes, ciphertext_, decrypted_);
  } else {
    std::get<Cipher>(keyed_).decrypt(iv_, ciphertext_, decrypted_);
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
  const std::string& engine = std::visit([](const auto& keyed) -> const std::string& { return keyed.engine(); }, keyed_);
  throw Error(ErrorCode::runtime,
              fmt::format("{}: what {} decrypts is not what it encrypted: its speed means nothing", engine, name_));
}

EngineSpeed measure_speed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes,
                          double seconds) {
  RoundTrip message(named, options, message_bytes);
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

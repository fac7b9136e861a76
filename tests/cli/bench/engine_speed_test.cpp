// What stands between a speed and its reader: that a wrong output is found. And that measuring leaves the crossovers alone.
#include "program/cli/bench/engine_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/mode_facts.hpp"
#include "program/cli/bench/calibrating.hpp"

namespace phalanx {
namespace {

constexpr std::size_t message_bytes = 4096;

const EngineOptions one_thread{.engine = "cpu:scalar", .num_threads = 1};

RoundTrip message_under(const char* name) { return {parse_cipher_name(name), one_thread, message_bytes}; }

void expect_wrong(const RoundTrip& message, const std::string& name) {
  try {
    message.verify();
    FAIL() << name;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::runtime);
    EXPECT_NE(std::string(error.what()).find("cpu:scalar: what " + name), std::string::npos) << error.what();
  }
}

TEST(RoundTrip, IsRightForEveryCipherAndMode) {
  for (const CipherSpec& spec : all_ciphers()) {
    for (const ModeFacts& facts : mode_facts) {
      if (!is_mode_of(spec, facts.mode)) continue;
      const NamedCipher named{.cipher = &spec, .mode = facts.mode};
      EXPECT_NO_THROW(RoundTrip(named, one_thread, message_bytes).check()) << full_name(named);
    }
  }
}

TEST(RoundTrip, TakesMoreThanADataUnitMayHave) {
  constexpr std::size_t more_bytes = (std::size_t{16} << 20) + 32;
  EXPECT_NO_THROW(RoundTrip(parse_cipher_name("aes-128-xts"), one_thread, more_bytes).check());
}

TEST(RoundTrip, ShowsOneWrongBit) {
  for (const char* name : {"des-ede3-cbc", "aes-128-ctr", "serpent-256-xts", "twofish-192-ecb"}) {
    for (const std::size_t place : {std::size_t{0}, message_bytes / 2, message_bytes - 1}) {
      RoundTrip message = message_under(name);
      message.check();
      message.ciphertext()[place] ^= 0x10;
      message.decrypt();
      expect_wrong(message, name);
    }
  }
}

TEST(RoundTrip, ShowsThatNothingWasDone) {
  RoundTrip message = message_under("aes-256-ctr");
  message.encrypt();
  expect_wrong(message, "aes-256-ctr");
}

TEST(RoundTrip, OpensNoForgedSeal) {
  RoundTrip message = message_under("aes-256-gcm");
  message.check();
  message.ciphertext()[7] ^= 1;
  EXPECT_THROW(message.decrypt(), Error);
}

TEST(EngineSpeed, IsOfBothDirections) {
  const EngineSpeed speed = measure_speed(parse_cipher_name("aes-128-cbc"), one_thread, message_bytes, 0.001);
  EXPECT_GT(speed.encryption, 0);
  EXPECT_GT(speed.decryption, 0);
}

TEST(EngineSpeed, IsMeasuredUnderKeysThatAreNotWeak) {
  for (const CipherSpec& spec : all_ciphers()) {
    const auto key = key_to_measure({.cipher = &spec, .mode = is_mode_of(spec, Mode::xts) ? Mode::xts : Mode::ecb});
    const auto half = key.begin() + static_cast<std::ptrdiff_t>(key.size() / 2);
    EXPECT_FALSE(std::equal(key.begin(), half, half)) << spec.name;
  }
}

TEST(Calibrating, LeavesTheCrossoversAsTheyWere) {
  std::vector<std::size_t> before;
  for (const CipherSpec& spec : all_ciphers()) before.push_back(serial_blocks("cpu:scalar", spec));
  std::size_t num_reported = 0;
  const Calibration calibration = calibrate([&](const Crossover&, std::size_t) { ++num_reported; });
  EXPECT_EQ(calibration.crossovers.size(), num_reported);
  EXPECT_GE(num_reported, 6U);  // DES, three of AES, Serpent, Twofish, on one engine at least
  for (const Crossover& crossover : calibration.crossovers) EXPECT_LE(crossover.serial_blocks, 96U) << crossover.cipher;
  std::size_t i = 0;
  for (const CipherSpec& spec : all_ciphers()) EXPECT_EQ(serial_blocks("cpu:scalar", spec), before[i++]) << spec.name;
}

}  // namespace
}  // namespace phalanx

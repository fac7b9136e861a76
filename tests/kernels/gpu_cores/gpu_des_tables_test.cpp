// DES by tables as a GPU's thread computes it, on the host: blocks against the reference, and messages of any length at any
// address against the scalar engine.
#include "engine/ciphers/des/gpu_des_tables.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <phalanx/phalanx.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/modes/device_batches/messages_anywhere.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

class GpuDesTablesTest : public testing::Test {
 protected:
  std::mt19937_64 random{41};
  ByteVector shared = ByteVector(GpuDesByTables::shared_bytes, 0xa5);

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  static ByteVector crypt_by_reference(const std::string& name, Direction direction, Bytes key, const ByteVector& in) {
    ByteVector out(8);
    const auto cipher = reference::make_cipher(name, key);
    direction == Direction::encrypt ? cipher->encrypt_block(in.data(), out.data())
                                    : cipher->decrypt_block(in.data(), out.data());
    return out;
  }
  template <class Crypt>
  static ByteVector crypt_block(const ByteVector& in, Crypt crypt) {
    GpuBlock64 x = load_block<2>(in.data(), 0, false);
    crypt(x);
    ByteVector out(8);
    store_block<2>(out.data(), 0, x, false);
    return out;
  }

  template <unsigned num_passes, Direction direction>
  void expect_blocks_as_the_reference(const char* name) {
    constexpr std::size_t num_messages = 3;
    constexpr std::size_t key_bytes = 8 * num_passes;
    using OfKeys = GpuDesTablesOfKeys<num_passes>;
    const ByteVector keys = random_bytes(num_messages * key_bytes);
    ByteVector vectors(num_messages * 16 * OfKeys::key_vectors, 0xa5);
    for (std::size_t i = 0; i < num_messages; ++i) {
      OfKeys::template expand_key<direction>(&keys[i * key_bytes], key_bytes, {vectors.data(), num_messages, i});
    }
    for (unsigned trial = 0; trial < 96; ++trial) {
      const std::size_t message = trial % num_messages;
      const Bytes key = Bytes(keys).subspan(message * key_bytes, key_bytes);
      const ByteVector in = random_bytes(8);
      const ByteVector expected = crypt_by_reference(name, direction, key, in);
      OfKeys of_keys;
      of_keys.template prepare<direction>(shared.data());
      of_keys.tables.lane_bytes = trial % 32 * 4;
      const typename OfKeys::HeldKeys held({vectors.data(), num_messages, message});
      EXPECT_EQ(crypt_block(in, [&](GpuBlock64& x) { of_keys.crypt(held, x); }), expected) << name << ", a key each";

      static GpuDesSchedule schedule;
      GpuDes::expand_key(key.data(), key_bytes, schedule);
      GpuDesTables<> of_one;
      of_one.prepare<direction>(schedule, shared.data());
      of_one.tables.lane_bytes = trial % 32 * 4;
      EXPECT_EQ(crypt_block(in, [&](GpuBlock64& x) { of_one.crypt<direction>(schedule, &x); }), expected) << name;
    }
  }
};

TEST_F(GpuDesTablesTest, BlocksEqualTheReference) {
  expect_blocks_as_the_reference<1, Direction::encrypt>("des");
  expect_blocks_as_the_reference<1, Direction::decrypt>("des");
  expect_blocks_as_the_reference<2, Direction::encrypt>("2des");
  expect_blocks_as_the_reference<2, Direction::decrypt>("2des");
  expect_blocks_as_the_reference<3, Direction::encrypt>("des-ede3");
  expect_blocks_as_the_reference<3, Direction::decrypt>("des-ede3");
}

// A message's blocks are read four at a time, two in an access where they lie so.
TEST_F(GpuDesTablesTest, MessagesEqualTheScalarEngine) {
  const std::pair<const char*, Mode> modes[] = {
      {"ecb", Mode::ecb}, {"cbc", Mode::cbc}, {"ctr", Mode::ctr}, {"cfb", Mode::cfb}, {"ofb", Mode::ofb}};
  constexpr std::size_t key_bytes = 24;
  const ByteVector key = random_bytes(key_bytes);
  static GpuDesSchedule schedule;
  GpuDes::expand_key(key.data(), key_bytes, schedule);
  GpuDesTables<> core;
  core.prepare<Direction::encrypt>(schedule, shared.data());
  for (const auto& [name, mode] : modes) {
    const bool has_rests = mode != Mode::ecb && mode != Mode::cbc;
    const Cipher cpu(std::string("des-ede3-") + name, key, {.engine = "cpu:scalar", .num_threads = 1},
                     {.allow_legacy = true});
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const ModeStep step = step_of(mode, direction);
      const auto crypt = [&](GpuBlock64& x) {
        step.cipher_direction == Direction::encrypt ? core.crypt<Direction::encrypt>(schedule, &x)
                                                    : core.crypt<Direction::decrypt>(schedule, &x);
      };
      for (std::size_t size = 0; size < 110; size += has_rests ? 1 : 8) {
        const ByteVector in = random_bytes(size);
        ByteVector iv = random_bytes(8);
        if (mode == Mode::ctr) std::fill(iv.begin(), iv.begin() + 7, 0xff);  // a counter that carries far
        ByteVector expected(size);
        const Bytes used_iv = mode == Mode::ecb ? Bytes() : Bytes(iv);
        direction == Direction::encrypt ? cpu.encrypt(used_iv, in, expected) : cpu.decrypt(used_iv, in, expected);
        for (const std::size_t offset : {0, 8, 3}) {
          for (const bool in_place : {false, true}) {
            alignas(16) std::uint8_t text[128];
            alignas(16) std::uint8_t other[128];
            std::memset(other, 0xa5, sizeof other);
            std::memset(text, 0xa5, sizeof text);
            std::uint8_t* const from = text + offset;
            std::uint8_t* const to = in_place ? from : other + offset;
            std::memcpy(from, in.data(), size);
            GpuMessageStepsOf<2> steps{step, load_block<2>(iv.data(), 0, false), {}};
            crypt_message_anywhere({from, to, size / 8}, size % 8, steps, crypt);
            EXPECT_EQ(ByteVector(to, to + size), expected)
                << name << ", direction " << static_cast<int>(direction) << ", " << size << " bytes at " << offset;
            EXPECT_EQ(to[size], 0xa5);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace phalanx

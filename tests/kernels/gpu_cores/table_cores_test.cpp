// The GPU's table cores on the host: the same rounds and the same look-ups, over tables in plain memory, against the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/ciphers/aes/gpu_aes.hpp"
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

template <std::size_t bytes>
struct CipherOf {
  static constexpr std::size_t key_bytes = bytes;
};
template <class GpuCore, std::size_t bytes>
struct AesCase : CipherOf<bytes> {
  using Core = GpuCore;
  static std::string cipher() { return "aes-" + std::to_string(8 * bytes); }
};
template <class GpuCore, std::size_t bytes>
struct TwofishCase : CipherOf<bytes> {
  using Core = GpuCore;
  static std::string cipher() { return "twofish-" + std::to_string(8 * bytes); }
};
using WideTwofish = GpuTwofish<TwofishFourTables<LaneTables>>;
using NarrowTwofish = GpuTwofish<TwofishOneTable<LaneTables>>;

template <class Case>
class TableCore : public testing::Test {
 protected:
  using Core = typename Case::Core;
  using Schedule = typename Core::Schedule;

  std::mt19937_64 random{23};
  std::unique_ptr<Schedule> schedule = std::make_unique<Schedule>();
  std::vector<std::uint8_t> shared = std::vector<std::uint8_t>(Core::shared_bytes, 0xa5);
  ByteVector key;
  std::unique_ptr<reference::BlockCipher> cipher;
  Core core;

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  void new_key() {
    key = random_bytes(Case::key_bytes);
    cipher = reference::make_cipher(Case::cipher(), key);
    std::memset(schedule.get(), 0xa5, sizeof(Schedule));
    Core::expand_key(key.data(), key.size(), *schedule);
  }
  static GpuBlock128 words_of(const std::uint8_t* bytes) { return load_block<4>(bytes, 0, false); }
  static ByteVector bytes_of(const GpuBlock128& x) {
    ByteVector bytes(16);
    store_block<4>(bytes.data(), 0, x, false);
    return bytes;
  }

  template <Direction direction>
  void expect_blocks_as_the_reference() {
    core.template prepare<direction>(*schedule, shared.data());
    for (unsigned trial = 0; trial < 64; ++trial) {
      set_lane(trial % 32);
      const ByteVector in = random_bytes(16);
      ByteVector expected(16);
      direction == Direction::encrypt ? cipher->encrypt_block(in.data(), expected.data())
                                      : cipher->decrypt_block(in.data(), expected.data());
      GpuBlock128 x[1] = {words_of(in.data())};
      core.template crypt<direction>(*schedule, x);
      ASSERT_EQ(bytes_of(x[0]), expected) << Case::cipher() << ", lane " << trial % 32;
    }
  }
  // Every lane has its own copy of the tables.
  void set_lane(unsigned lane) { lane_bytes_of(core) = 4 * lane; }
  static std::uint32_t& lane_bytes_of(WideTwofish& c) { return c.boxes.tables.lane_bytes; }
  static std::uint32_t& lane_bytes_of(NarrowTwofish& c) { return c.boxes.tables.lane_bytes; }
  template <int num_rounds>
  static std::uint32_t& lane_bytes_of(GpuAes<num_rounds, LaneTables>& c) {
    return c.tables.lane_bytes;
  }
  template <int num_rounds>
  static std::uint32_t& lane_bytes_of(GpuAes<num_rounds, HalfLaneTables>& c) {
    return c.tables.tables.lane_bytes;
  }
};

using Cases = testing::Types<AesCase<GpuAes<10, LaneTables>, 16>, AesCase<GpuAes<12, LaneTables>, 24>,
                             AesCase<GpuAes<14, LaneTables>, 32>, AesCase<GpuAes<10, HalfLaneTables>, 16>,
                             AesCase<GpuAes<12, HalfLaneTables>, 24>, AesCase<GpuAes<14, HalfLaneTables>, 32>,
                             TwofishCase<WideTwofish, 16>, TwofishCase<WideTwofish, 24>, TwofishCase<WideTwofish, 32>,
                             TwofishCase<NarrowTwofish, 16>, TwofishCase<NarrowTwofish, 24>, TwofishCase<NarrowTwofish, 32>>;
TYPED_TEST_SUITE(TableCore, Cases);

TYPED_TEST(TableCore, EqualsTheReferenceUnderRandomKeys) {
  for (int trial = 0; trial < 4; ++trial) {
    this->new_key();
    this->template expect_blocks_as_the_reference<Direction::encrypt>();
    this->template expect_blocks_as_the_reference<Direction::decrypt>();
  }
}

// A Twofish table is as secret as the key.
TYPED_TEST(TableCore, LeavesNoSecretTablesBehind) {
  if constexpr (requires { this->core.finish(this->shared.data()); }) {
    this->new_key();
    this->core.template prepare<Direction::encrypt>(*this->schedule, this->shared.data());
    ASSERT_NE(std::count(this->shared.begin(), this->shared.end(), 0), std::ptrdiff_t(this->shared.size()));
    this->core.finish(this->shared.data());
    EXPECT_EQ(std::count(this->shared.begin(), this->shared.end(), 0), std::ptrdiff_t(this->shared.size()));
  }
}

// The rounds that counters share, over carries out of the last byte and out of the low half, forwards and back.
TYPED_TEST(TableCore, EncryptsCountersAsTheReference) {
  if constexpr (requires(std::uint64_t n, GpuBlock128 * x) { this->core.encrypt_counters(*this->schedule, n, n, x); }) {
    this->new_key();
    this->core.template prepare<Direction::encrypt>(*this->schedule, this->shared.data());
    const std::uint64_t starts[] = {0, 0xf0, 0xffffffffff70, ~std::uint64_t{0} - 300};
    for (const std::uint64_t start : starts) {
      for (unsigned i = 0; i < 600; i += 13) {
        const std::uint64_t low = start + i;
        const std::uint64_t high = 77 + (low < start ? 1 : 0);
        const ByteVector counter = this->bytes_of(counter_block<4>(high, low));
        ByteVector expected(16);
        this->cipher->encrypt_block(counter.data(), expected.data());
        GpuBlock128 x[1];
        this->core.encrypt_counters(*this->schedule, high, low, x);
        ASSERT_EQ(this->bytes_of(x[0]), expected) << "counter " << high << ":" << low;
      }
    }
  }
}

}  // namespace
}  // namespace phalanx

// What becomes of a range's last blocks where a core has narrower ones (engine/ciphers/block_core.hpp): every length through a
// chain of three cores, in every mode, whatever the crossover to single blocks; and that the groups are those that the
// contract names.
#include <gtest/gtest.h>

#include <algorithm>
#include <phalanx/error.hpp>
#include <random>

#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/engines/registry.hpp"
#include "engine/lanes/word_scalar.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx {
namespace {

// How many blocks each call of a core crypted: 1 for crypt_block.
std::vector<std::size_t> calls;

template <std::size_t num_groups>
struct CountingSerpent : SerpentCore<PlainWord128, PlainWord128, num_groups, 2> {
  using Base = SerpentCore<PlainWord128, PlainWord128, num_groups, 2>;
  template <Direction direction, class Load, class Store>
  static void crypt(const typename Base::Schedule& schedule, Load load, Store store) {
    calls.push_back(Base::lanes);
    Base::template crypt<direction>(schedule, load, store);
  }
  template <Direction direction>
  static void crypt_block(const typename Base::Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    calls.push_back(1);
    Base::template crypt_block<direction>(schedule, in, out);
  }
};

struct OneGroup : CountingSerpent<1> {};  // 4 blocks
struct TwoGroups : CountingSerpent<2> {
  using Narrower = OneGroup;
};
struct FourGroups : CountingSerpent<4> {
  using Narrower = TwoGroups;
};
// As FourGroups, but a rest is never padded to 16 blocks, nor to 8 unless there are 7.
struct TwoGroupsFrom7 : CountingSerpent<2> {
  using Narrower = OneGroup;
  static constexpr std::size_t padded_blocks = 7;
};
struct FourGroupsNeverPadded : CountingSerpent<4> {
  using Narrower = TwoGroupsFrom7;
  static constexpr std::size_t padded_blocks = lanes;
};

using ByteVector = std::vector<std::uint8_t>;

const Kernel plain_kernel = make_kernel<SerpentCore<PlainWord128, PlainWord128, 2, 0>, GhashScalar>();

class Tails : public testing::Test {
 protected:
  std::mt19937_64 random{5};
  SerpentSchedule schedule;
  ByteVector iv = random_bytes(16);
  ByteVector in = random_bytes(16 * 53);

  Tails() {
    const ByteVector key = random_bytes(32);
    plain_kernel.expand_key(key.data(), key.size(), &schedule);
  }
  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  // Each range in pieces of one whole group of the plain kernel is what ranges promise, and has no tails of its own.
  void expect_plain(const Kernel& kernel) {
    for (unsigned mode = 0; mode < num_range_modes; ++mode) {
      for (unsigned direction = 0; direction < num_directions; ++direction) {
        for (std::size_t num_blocks = 0; num_blocks <= in.size() / 16; ++num_blocks) {
          ByteVector want(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(16 * num_blocks));
          ByteVector want_iv = iv;
          for (std::size_t i = 0; i < num_blocks; ++i) {
            plain_kernel.range[mode][direction](&schedule, want_iv.data(), &want[16 * i], &want[16 * i], 1);
          }
          ByteVector out(want.size() + 1, 0xa5);
          ByteVector next = iv;
          kernel.range[mode][direction](&schedule, next.data(), in.data(), out.data(), num_blocks);
          ASSERT_EQ(out.back(), 0xa5) << "wrote behind";
          out.pop_back();
          ASSERT_EQ(out, want) << "mode " << mode << ", direction " << direction << ", " << num_blocks << " blocks";
          ASSERT_EQ(next, want_iv) << "mode " << mode << ", direction " << direction << ", " << num_blocks << " blocks";
          ByteVector in_place(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(16 * num_blocks));
          next = iv;
          kernel.range[mode][direction](&schedule, next.data(), in_place.data(), in_place.data(), num_blocks);
          ASSERT_EQ(in_place, want) << "in place, mode " << mode << ", direction " << direction << ", " << num_blocks;
        }
      }
    }
  }
  std::vector<std::size_t> groups_of(const Kernel& kernel, std::size_t num_blocks) {
    calls.clear();
    ByteVector out(16 * num_blocks);
    kernel.range[static_cast<int>(Mode::ecb)][0](&schedule, nullptr, in.data(), out.data(), num_blocks);
    return calls;
  }
};

using Groups = std::vector<std::size_t>;

TEST_F(Tails, EqualThePlainKernelAtEveryLengthAndCrossover) {
  const Kernel kernel = make_kernel<FourGroups, GhashScalar>();
  for (const std::size_t serial_blocks : {0, 2, 5, 16, 40}) {
    SCOPED_TRACE(std::to_string(serial_blocks) + " serial blocks");
    *kernel.serial_blocks = serial_blocks;
    expect_plain(kernel);
  }
  const Kernel other = make_kernel<FourGroupsNeverPadded, GhashScalar>();
  expect_plain(other);
}

TEST_F(Tails, AreCryptedByTheCoreThatFits) {
  const Kernel kernel = make_kernel<FourGroups, GhashScalar>();
  *kernel.serial_blocks = 2;
  EXPECT_EQ(groups_of(kernel, 0), Groups{});
  EXPECT_EQ(groups_of(kernel, 2), (Groups{1, 1}));
  EXPECT_EQ(groups_of(kernel, 3), Groups{4}) << "padded";
  EXPECT_EQ(groups_of(kernel, 4), Groups{4});
  EXPECT_EQ(groups_of(kernel, 5), Groups{8}) << "more than the narrower core's group";
  EXPECT_EQ(groups_of(kernel, 8), Groups{8});
  EXPECT_EQ(groups_of(kernel, 9), Groups{16});
  EXPECT_EQ(groups_of(kernel, 36), (Groups{16, 16, 4}));
  EXPECT_EQ(groups_of(kernel, 18), (Groups{16, 1, 1}));
  *kernel.serial_blocks = 0;
  EXPECT_EQ(groups_of(kernel, 18), (Groups{16, 4}));
}

TEST_F(Tails, GoToTheNarrowerCoreUntilPaddingIsWorthIt) {
  const Kernel kernel = make_kernel<FourGroupsNeverPadded, GhashScalar>();
  *kernel.serial_blocks = 0;
  EXPECT_EQ(groups_of(kernel, 15), (Groups{8, 8}));
  EXPECT_EQ(groups_of(kernel, 13), (Groups{8, 4, 4}));
  EXPECT_EQ(groups_of(kernel, 30), (Groups{16, 8, 4, 4}));
  EXPECT_EQ(groups_of(kernel, 31), (Groups{16, 8, 8}));
}

// In GCM the first 12 bytes of a counter are the nonce, which may be secret: what is called is the same whatever they are.
TEST_F(Tails, OfCountersDependOnTheLow32BitsAlone) {
  const Kernel kernel = make_kernel<FourGroups, GhashScalar>();
  *kernel.serial_blocks = 2;
  const auto calls_of = [&](std::uint8_t nonce_byte, std::uint8_t last_byte) {
    ByteVector counter(16, nonce_byte);
    std::fill(counter.begin() + 12, counter.end(), std::uint8_t{0xff});
    counter[15] = last_byte;
    calls.clear();
    ByteVector out(in.size());
    kernel.range[static_cast<int>(Mode::ctr)][0](&schedule, counter.data(), in.data(), out.data(), in.size() / 16);
    return calls;
  };
  for (unsigned last_byte = 0; last_byte < 256; ++last_byte) {
    const auto byte = static_cast<std::uint8_t>(last_byte);
    ASSERT_EQ(calls_of(0xff, byte), calls_of(0x31, byte)) << "the last byte is " << last_byte;
  }
}

TEST(Crossover, CanBeSetForAnEngine) {
  const CipherSpec& cipher = *parse_cipher_name("serpent-256-ecb").cipher;
  const std::size_t before = serial_blocks("cpu:scalar", cipher);
  set_serial_blocks("cpu:scalar", cipher, 7);
  EXPECT_EQ(serial_blocks("cpu:scalar", cipher), 7U);
  EXPECT_EQ(serial_blocks("cpu:scalar", *parse_cipher_name("serpent-128-ecb").cipher), 7U) << "the same kernel";
  set_serial_blocks("cpu:scalar", cipher, before);
  EXPECT_THROW(set_serial_blocks("cpu:unheard-of", cipher, 1), Error);
}

}  // namespace
}  // namespace phalanx

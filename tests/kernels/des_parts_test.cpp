// What the sliced DES cores are made of, each by itself: transposes, planes of counters, round keys. The words are those of
// any machine, and AVX-512's over the emulation; AVX2's are tested as parts of its kernel.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/ciphers/des/des_core.hpp"
#include "engine/lanes/transpose_avx512.hpp"
#include "engine/lanes/transpose_scalar.hpp"

namespace phalanx {
namespace {

template <class W, class Transpose_>
struct Sliced {
  using Word = W;
  using Transpose = Transpose_;
  static constexpr std::size_t lanes = 8 * sizeof(W);
};

template <class Case>
class DesPlanes : public testing::Test {
 protected:
  using W = typename Case::Word;
  using Transpose = typename Case::Transpose;
  static constexpr std::size_t lanes = Case::lanes;
  struct Planes {
    alignas(64) W plane[64];
  };

  static Planes planes_of(const std::vector<std::uint64_t>& blocks) {
    Planes planes;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(blocks.data());
    Transpose::to_planes([=](std::size_t i) { return W::load(bytes + i * sizeof(W)); },
                         [&](std::size_t n, W plane) { planes.plane[n] = plane; });
    return planes;
  }
  static unsigned bit(const Planes& planes, std::size_t n, std::size_t lane) {
    std::uint8_t bytes[sizeof(W)];
    planes.plane[n].store(bytes);
    const std::size_t position = Transpose::position(lane);
    return bytes[position / 8] >> position % 8 & 1;
  }
  static std::vector<std::uint64_t> random_blocks() {
    std::mt19937_64 random{lanes};
    std::vector<std::uint64_t> blocks(lanes);
    for (std::uint64_t& block : blocks) block = random();
    return blocks;
  }
};

using Cases = testing::Types<Sliced<PlainWord128, PlainTranspose<PlainWord128>>, Sliced<Word64, PlainTranspose<Word64>>,
                             Sliced<HalfWord512, MatrixTranspose<HalfWord512>>, Sliced<Word512, MatrixTranspose<Word512>>>;
TYPED_TEST_SUITE(DesPlanes, Cases);

TYPED_TEST(DesPlanes, HoldABitOfEveryBlock) {
  const auto blocks = this->random_blocks();
  const auto planes = this->planes_of(blocks);
  for (std::size_t lane = 0; lane < this->lanes; ++lane) {
    for (std::size_t n = 0; n < 64; ++n) {
      ASSERT_EQ(this->bit(planes, n, lane), reverse_bytes(blocks[lane]) >> (63 - n) & 1) << "lane " << lane << ", bit " << n;
    }
  }
}

TYPED_TEST(DesPlanes, GoBackToTheBlocksTheLastVectorFirst) {
  using Word = typename TypeParam::Word;
  const auto blocks = this->random_blocks();
  const auto planes = this->planes_of(blocks);
  std::vector<std::uint64_t> back(this->lanes);
  std::vector<std::size_t> stored;
  TypeParam::Transpose::from_planes([&](std::size_t n) { return planes.plane[n]; },
                                    [&](std::size_t i, Word v) {
                                      v.store(reinterpret_cast<std::uint8_t*>(back.data()) + i * sizeof(Word));
                                      stored.push_back(i);
                                    });
  EXPECT_EQ(back, blocks);
  ASSERT_EQ(stored.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(stored[i], 63 - i);
}

TYPED_TEST(DesPlanes, OfCountersAreThoseOfTheirBlocks) {
  using Word = typename TypeParam::Word;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x0123456789abcdef},
                                    0 - std::uint64_t{3}, (std::uint64_t{1} << 40) - 100, 0 - std::uint64_t{this->lanes}}) {
    std::vector<std::uint64_t> blocks(this->lanes);
    for (std::size_t lane = 0; lane < this->lanes; ++lane) blocks[lane] = reverse_bytes(first + lane);
    const auto want = this->planes_of(blocks);
    typename TestFixture::Planes got;
    make_counter_planes<Word, typename TypeParam::Transpose>(first,
                                                             [&](std::size_t n, Word plane) { got.plane[n] = plane; });
    for (std::size_t lane = 0; lane < this->lanes; ++lane) {
      for (std::size_t n = 0; n < 64; ++n) ASSERT_EQ(this->bit(got, n, lane), this->bit(want, n, lane)) << first << ' ' << n;
    }
  }
}

// FIPS 46-3's key schedule, a bit at a time: PC1, the shifts, PC2.
std::uint64_t plain_round_key(std::uint64_t key, std::size_t round) {
  bool cd[56];
  for (std::size_t i = 0; i < 56; ++i) cd[i] = (key >> (64 - PC1[i]) & 1) != 0;
  std::size_t turned = 0;
  for (std::size_t r = 0; r <= round; ++r) turned += shifts[r];
  std::uint64_t round_key = 0;
  for (std::size_t i = 0; i < 48; ++i) {
    const std::size_t half = PC2[i] > 28 ? 28 : 0;
    const bool bit = cd[half + (PC2[i] - 1U - half + turned) % 28];
    round_key |= static_cast<std::uint64_t>(bit) << (8 * (i / 6) + 5 - i % 6);  // six for each S-box in a byte
  }
  return round_key;
}

TEST(DesKeys, AreThoseOfTheStandard) {
  std::mt19937_64 random{3};
  for (int trial = 0; trial < 100; ++trial) {
    const std::uint64_t key = random();
    std::uint64_t round_key[16];
    select_round_keys(key, round_key);
    for (std::size_t round = 0; round < 16; ++round) ASSERT_EQ(round_key[round], plain_round_key(key, round));
  }
}

// A half that is R in rounds r and r + 2, and L in round r + 1, between them: what is folded into it must fit both uses.
TEST(DesKeys, FoldIntoTheHalves) {
  std::mt19937_64 random{4};
  std::uint64_t round_key[16];
  std::uint64_t folded[16];
  select_round_keys(random(), round_key);
  fold_round_keys(round_key, folded);
  for (std::size_t bit = 1; bit <= 32; ++bit) {
    const std::size_t first_use = folded_use_of(bit);
    ASSERT_EQ(E[first_use], bit);
    const auto of = [](std::uint64_t keys, std::size_t i) { return keys >> place_in_round_key(i) & 1; };
    std::uint64_t in_half[2] = {of(round_key[0], first_use), 0};  // R and L of the first round
    for (std::size_t round = 0; round < 16; ++round) {
      ASSERT_EQ(in_half[round % 2], of(round_key[round], first_use)) << "bit " << bit << ", round " << round;
      for (std::size_t i = 0; i < 48; ++i) {  // the second use, where there is one
        if (E[i] != bit || i == first_use) continue;
        ASSERT_EQ(in_half[round % 2] ^ of(folded[round], i), of(round_key[round], i));
      }
      in_half[(round + 1) % 2] ^= of(folded[round], first_use);
    }
    EXPECT_EQ(in_half[0], 0U);  // L of the last round has none left, R its own
    EXPECT_EQ(in_half[1], of(round_key[15], first_use));
  }
}

}  // namespace
}  // namespace phalanx

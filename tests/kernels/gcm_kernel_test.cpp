// GCM in one pass, of every instruction set: the text and the ciphertext's hash against the reference, at every length
// around a boundary of lanes, in place and not, misaligned, cut anywhere.
#include <algorithm>

#include "core_fixture.hpp"

namespace phalanx {
namespace {

class GcmKernels : public CoreFixture {
 protected:
  using Block = reference::GcmBlock;

  const GhashKernel* ghash = nullptr;
  std::unique_ptr<KeyMemory> hash_key = std::make_unique<KeyMemory>();
  ByteVector key;
  Block h{};

  void SetUp() override {
    CoreFixture::SetUp();
    for (const TestedGhash& hash : tested_ghash_kernels()) {
      if (hash.instruction_set == tested.instruction_set) ghash = hash.kernel;
    }
    ASSERT_NE(ghash, nullptr);
    ASSERT_LE(ghash->key_bytes, sizeof(KeyMemory));
    key = random_bytes(tested.key_bytes);
    expand(key);
    h = random_block();
    ghash->expand_key(h.data(), hash_key.get());
  }

  Block random_block() {
    Block block;
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random());
    return block;
  }
  void encrypt(Block& counter, Block& y, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    gcm(Direction::encrypt)(schedule.get(), hash_key.get(), counter.data(), y.data(), in, out, num_blocks, nullptr, 0);
  }
  GcmFunction gcm(Direction direction) const { return kernel.gcm[static_cast<unsigned>(direction)]; }
  // Decrypting what encrypting gives is the plaintext, and takes in the same hash.
  void check_decryption(const Block& counter, const Block& start, const ByteVector& text, const ByteVector& plain,
                        const ByteVector& last = {}) {
    ByteVector hashed = text;
    hashed.insert(hashed.end(), last.begin(), last.end());
    for (const bool in_place : {false, true}) {
      ByteVector out = in_place ? text : ByteVector(text.size());
      Block next = counter;
      Block y = start;
      gcm(Direction::decrypt)(schedule.get(), hash_key.get(), next.data(), y.data(), in_place ? out.data() : text.data(),
                              out.data(), text.size() / 16, last.data(), last.size() / 16);
      ASSERT_EQ(out, plain) << (in_place ? "in place" : "");
      ASSERT_EQ(y, expected_hash(start, hashed));
      ASSERT_EQ(next, count_on(counter, text.size() / 16));
    }
  }
  ByteVector expected_text(const Block& counter, const ByteVector& in) const {
    return reference::crypt(tested.cipher + "-ctr", Direction::encrypt, key, ByteVector(counter.begin(), counter.end()), in);
  }
  // The reference starts from zero: adding y to the first block is starting from y.
  Block expected_hash(const Block& y, ByteVector text) const {
    if (text.empty()) return y;
    for (std::size_t i = 0; i < 16; ++i) text[i] ^= y[i];
    return reference::ghash(h, text);
  }
  static Block count_on(const Block& counter, std::size_t num_blocks) {
    Block result = counter;
    for (; num_blocks != 0; --num_blocks) {
      for (std::size_t i = 16; i-- > 0 && ++result[i] == 0;) {
      }
    }
    return result;
  }
  // Up to four groups, and groups of half the size, and around the stretches of the cores that hash after them.
  std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> result{0, 1, 2, 3, 5, 8, 9, 15, 16, 17, 255, 256, 257, 512, 515};
    for (std::size_t groups = 1; groups <= 4; ++groups) {
      for (const std::size_t n : {groups * kernel.lanes - 1, groups * kernel.lanes, groups * kernel.lanes + 1}) {
        result.push_back(n);
      }
    }
    for (std::size_t halves = 1; halves <= 9; halves += 2) {
      for (const std::size_t n : {halves * kernel.lanes / 2 - 1, halves * kernel.lanes / 2}) result.push_back(n);
    }
    return result;
  }
};

TEST_P(GcmKernels, EqualsTheReferenceAtEveryLength) {
  for (const std::size_t num_blocks : lengths()) {
    SCOPED_TRACE(std::to_string(num_blocks) + " blocks");
    const Block counter = random_block();
    const Block start = random_block();
    const ByteVector in = random_bytes(16 * num_blocks);
    const ByteVector text = expected_text(counter, in);
    const std::size_t shift = num_blocks % 7;
    ByteVector out(in.size() + shift + 32, 0xa5);
    Block next = counter;
    Block y = start;
    encrypt(next, y, in.data(), out.data() + shift, num_blocks);
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(shift);
    const auto end = begin + static_cast<std::ptrdiff_t>(in.size());
    ASSERT_TRUE(std::equal(begin, end, text.begin()));
    ASSERT_TRUE(std::all_of(out.begin(), begin, [](auto byte) { return byte == 0xa5; })) << "wrote before";
    ASSERT_TRUE(std::all_of(end, out.end(), [](auto byte) { return byte == 0xa5; })) << "wrote behind";
    ASSERT_EQ(y, expected_hash(start, text));
    ASSERT_EQ(next, count_on(counter, num_blocks));

    ByteVector in_place = in;
    next = counter;
    y = start;
    encrypt(next, y, in_place.data(), in_place.data(), num_blocks);
    ASSERT_EQ(in_place, text) << "in place";
    ASSERT_EQ(y, expected_hash(start, text)) << "in place";
    check_decryption(counter, start, text, in);
  }
}

// The hash goes on with other blocks, which are not encrypted: padding, lengths.
TEST_P(GcmKernels, HashesWhatFollows) {
  for (const std::size_t num_blocks : lengths()) {
    for (const std::size_t num_last : {1, 2}) {
      const Block counter = random_block();
      const ByteVector in = random_bytes(16 * num_blocks);
      const ByteVector last = random_bytes(16 * num_last);
      ByteVector text = expected_text(counter, in);
      ByteVector out(in.size());
      Block next = counter;
      Block y{};
      gcm(Direction::encrypt)(schedule.get(), hash_key.get(), next.data(), y.data(), in.data(), out.data(), num_blocks,
                              last.data(), num_last);
      ASSERT_EQ(out, text) << num_blocks << " blocks";
      check_decryption(counter, Block{}, text, in, last);
      text.insert(text.end(), last.begin(), last.end());
      ASSERT_EQ(y, expected_hash(Block{}, text)) << num_blocks << " blocks and " << num_last;
    }
  }
}

TEST_P(GcmKernels, GoesOnWhereItStopped) {
  const std::size_t num_blocks = 12 * kernel.lanes + 5;
  const Block counter = random_block();
  const ByteVector in = random_bytes(16 * num_blocks);
  const ByteVector text = expected_text(counter, in);
  ByteVector out = in;
  Block next = counter;
  Block y{};
  for (std::size_t done = 0; done < num_blocks;) {
    const std::size_t step = std::min<std::size_t>(1 + random() % (5 * kernel.lanes), num_blocks - done);
    encrypt(next, y, out.data() + 16 * done, out.data() + 16 * done, step);
    done += step;
  }
  ASSERT_EQ(out, text);
  ASSERT_EQ(y, expected_hash(Block{}, text));
}

// Each byte of the counter carries that may: the low 32 bits never wrap within a call.
TEST_P(GcmKernels, CountersCarry) {
  const std::size_t num_blocks = 4 * kernel.lanes + 1;
  const ByteVector in = random_bytes(16 * num_blocks);
  for (const std::size_t num_ones : {1, 2, 3}) {
    for (std::size_t before = 0; before < 3 * kernel.lanes && before < 250; before += 1 + kernel.lanes / 4) {
      Block counter = random_block();
      std::fill(counter.end() - static_cast<std::ptrdiff_t>(num_ones), counter.end(), std::uint8_t{0xff});
      counter[15] = static_cast<std::uint8_t>(0xff - before);
      const ByteVector text = expected_text(counter, in);
      ByteVector out(in.size());
      Block y{};
      encrypt(counter, y, in.data(), out.data(), num_blocks);
      ASSERT_EQ(out, text) << num_ones << " bytes of ones, " << before << " blocks before";
      ASSERT_EQ(y, expected_hash(Block{}, text));
    }
  }
}

std::vector<TestedKernel> kernels_of_128_bit_blocks() {
  std::vector<TestedKernel> kernels = tested_kernels();
  std::erase_if(kernels, [](const TestedKernel& tested) { return tested.kernel->block_bytes != 16; });
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(All, GcmKernels, testing::ValuesIn(kernels_of_128_bit_blocks()), kernel_test_name);

}  // namespace
}  // namespace phalanx

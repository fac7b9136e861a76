// Every kernel of every instruction set against the reference: each mode over ranges of every interesting length, in place
// and not, misaligned, cut into smaller ranges, and with a key for each lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <phalanx/catalog.hpp>
#include <random>

#include "engine/modes/mode_facts.hpp"
#include "kernel_list.hpp"
#include "lane_keys.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

// Memory for an expanded key, aligned as kernels want it.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t size) : bytes_(size + 64) {}
  void* get() {
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(bytes_.data()) + 63) & ~std::uintptr_t{63});
  }

 private:
  ByteVector bytes_;
};

class KernelRange : public testing::TestWithParam<TestedKernel> {
 protected:
  const TestedKernel& tested = GetParam();
  const Kernel& kernel = *tested.kernel;
  std::mt19937_64 random{std::hash<std::string>{}(tested.cipher)};

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  // The reference's answer for whole blocks. For XTS, `iv` is the tweak already encrypted, so the mode is put together
  // here.
  ByteVector expected(Mode mode, Direction direction, const ByteVector& key, const ByteVector& iv,
                      const ByteVector& in) const {
    if (mode != Mode::xts) {
      const std::string name = tested.cipher + "-" + facts_of(mode).name.data();
      return reference::crypt(name, direction, key, mode == Mode::ecb ? ByteVector{} : iv, in);
    }
    const auto cipher = reference::make_cipher(tested.cipher, key);
    ByteVector tweak = iv;
    ByteVector out(in.size());
    for (std::size_t j = 0; j < in.size(); j += 16) {
      std::uint8_t x[16];
      for (std::size_t i = 0; i < 16; ++i) x[i] = in[j + i] ^ tweak[i];
      direction == Direction::encrypt ? cipher->encrypt_block(x, x) : cipher->decrypt_block(x, x);
      for (std::size_t i = 0; i < 16; ++i) out[j + i] = x[i] ^ tweak[i];
      unsigned carry = 0;  // IEEE 1619 section 5.2: times alpha, byte 0 the lowest
      for (std::uint8_t& byte : tweak) {
        const unsigned shifted = byte * 2U + carry;
        byte = static_cast<std::uint8_t>(shifted);
        carry = shifted >> 8;
      }
      if (carry != 0) tweak[0] ^= 0x87;
    }
    return out;
  }

  // Lengths in blocks around every boundary a kernel can have.
  std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> result{0, 1, 2, 3, 4, 5, 7, 8, 9};
    for (const std::size_t boundary : {kernel.lanes, 2 * kernel.lanes, kernel.lanes / 2, kernel.lanes / 4}) {
      for (const std::size_t n : {boundary - 1, boundary, boundary + 1}) result.push_back(n);
    }
    result.push_back(2 * kernel.lanes + kernel.lanes / 2 + 3);
    std::erase_if(result, [](std::size_t n) { return n > 100000; });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // Calls test(mode, direction, function) for every mode that the cipher has.
  template <class Test>
  void for_each_mode(const Test& test) const {
    for (unsigned mode = 0; mode < num_range_modes; ++mode) {
      const ModeFacts& facts = mode_facts[mode];
      if (facts.needs_16_byte_blocks && kernel.block_bytes != 16) continue;
      for (unsigned direction = 0; direction < num_directions; ++direction) {
        SCOPED_TRACE(std::string(facts.name) + (direction == 0 ? " encryption" : " decryption"));
        ASSERT_NE(kernel.range[mode][direction], nullptr) << "the kernel's table lacks it";
        test(static_cast<Mode>(mode), static_cast<Direction>(direction), kernel.range[mode][direction]);
      }
    }
  }
};

TEST_P(KernelRange, EqualsTheReferenceAtEveryLength) {
  const std::size_t most = lengths().back();
  const ByteVector key = random_bytes(tested.key_bytes);
  const ByteVector iv = random_bytes(kernel.block_bytes);
  const ByteVector in = random_bytes(most * kernel.block_bytes);
  AlignedMemory schedule(kernel.schedule_bytes);
  const ByteVector expanded = kernel_key(tested, key);
  kernel.expand_key(expanded.data(), expanded.size(), schedule.get());
  for_each_mode([&](Mode mode, Direction direction, RangeFunction crypt) {
    const ByteVector all = expected(mode, direction, key, iv, in);
    for (const std::size_t num_blocks : lengths()) {
      SCOPED_TRACE(std::to_string(num_blocks) + " blocks");
      const std::size_t size = num_blocks * kernel.block_bytes;
      const std::size_t shift = num_blocks % 7;  // misaligned
      ByteVector out(size + shift + 32, 0xa5);
      ByteVector state = iv;
      crypt(schedule.get(), state.data(), in.data(), out.data() + shift, num_blocks);
      ASSERT_TRUE(std::equal(out.begin() + shift, out.begin() + shift + size, all.begin()));
      ASSERT_TRUE(std::all_of(out.begin(), out.begin() + shift, [](auto byte) { return byte == 0xa5; })) << "wrote before";
      ASSERT_TRUE(std::all_of(out.begin() + shift + size, out.end(), [](auto byte) { return byte == 0xa5; }))
          << "wrote behind";

      ByteVector in_place(in.begin(), in.begin() + size);
      state = iv;
      crypt(schedule.get(), state.data(), in_place.data(), in_place.data(), num_blocks);
      ASSERT_TRUE(std::equal(in_place.begin(), in_place.end(), all.begin())) << "in place";
    }
  });
}

TEST_P(KernelRange, ChainsThroughAnySplit) {
  const std::size_t num_blocks = 3 * kernel.lanes + 5;
  const ByteVector key = random_bytes(tested.key_bytes);
  const ByteVector iv = random_bytes(kernel.block_bytes);
  const ByteVector in = random_bytes(num_blocks * kernel.block_bytes);
  AlignedMemory schedule(kernel.schedule_bytes);
  const ByteVector expanded = kernel_key(tested, key);
  kernel.expand_key(expanded.data(), expanded.size(), schedule.get());
  for_each_mode([&](Mode mode, Direction direction, RangeFunction crypt) {
    const ByteVector all = expected(mode, direction, key, iv, in);
    ByteVector out = in;
    ByteVector state = iv;
    for (std::size_t done = 0; done < num_blocks;) {
      const std::size_t widest = random() % 3 == 0 ? 2 * kernel.lanes : kernel.lanes / 3 + 2;
      const std::size_t step = std::min<std::size_t>(1 + random() % widest, num_blocks - done);
      std::uint8_t* piece = out.data() + done * kernel.block_bytes;
      crypt(schedule.get(), state.data(), piece, piece, step);
      done += step;
    }
    ASSERT_EQ(out, all);
  });
}

TEST_P(KernelRange, CountersWrapAtTheBlocksWidth) {
  const std::size_t num_blocks = 2 * kernel.lanes + 1;
  const ByteVector key = random_bytes(tested.key_bytes);
  const ByteVector in = random_bytes(num_blocks * kernel.block_bytes);
  AlignedMemory schedule(kernel.schedule_bytes);
  const ByteVector expanded = kernel_key(tested, key);
  kernel.expand_key(expanded.data(), expanded.size(), schedule.get());
  const RangeFunction crypt = kernel.range[static_cast<int>(Mode::ctr)][0];
  for (const std::size_t num_ones : {kernel.block_bytes, std::min<std::size_t>(8, kernel.block_bytes), std::size_t{4}}) {
    for (const std::size_t blocks_before :
         {std::size_t{0}, std::size_t{1}, kernel.lanes / 2, kernel.lanes, kernel.lanes + 1}) {
      ByteVector iv(kernel.block_bytes, 0x31);  // the lowest num_ones bytes wrap after blocks_before + 1 blocks
      std::fill(iv.end() - static_cast<std::ptrdiff_t>(num_ones), iv.end(), 0xff);
      iv[kernel.block_bytes - 1] = static_cast<std::uint8_t>(0xff - blocks_before % 256);
      iv[kernel.block_bytes - 2] = static_cast<std::uint8_t>(0xff - blocks_before / 256);
      const ByteVector all = expected(Mode::ctr, Direction::encrypt, key, iv, in);
      ByteVector out(in.size());
      crypt(schedule.get(), iv.data(), in.data(), out.data(), num_blocks);
      ASSERT_EQ(out, all) << num_ones << " bytes of ones, " << blocks_before << " blocks before";
    }
  }
}

TEST_P(KernelRange, AKeyForEveryLane) {
  const std::size_t kernel_key_bytes = kernel_key(tested, random_bytes(tested.key_bytes)).size();
  LaneKeys keys(kernel, kernel_key_bytes);
  std::vector<std::unique_ptr<reference::BlockCipher>> ciphers(kernel.lanes);
  const ByteVector in = random_bytes(kernel.lanes * kernel.block_bytes);
  const auto set_lane = [&](std::size_t lane) {
    const ByteVector key = random_bytes(tested.key_bytes);
    keys.set(lane, kernel_key(tested, key));
    ciphers[lane] = reference::make_cipher(tested.cipher, key);
  };
  const auto check = [&] {
    ByteVector want(in.size());
    ByteVector out(in.size());
    for (std::size_t j = 0; j < in.size(); j += kernel.block_bytes) {
      ciphers[j / kernel.block_bytes]->encrypt_block(in.data() + j, want.data() + j);
    }
    keys.crypt(Direction::encrypt, in.data(), out.data());
    ASSERT_EQ(out, want);
    keys.crypt(Direction::decrypt, out.data(), out.data());
    ASSERT_EQ(out, in);
  };
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) set_lane(lane);
  keys.expand_all();
  check();
  for (std::size_t lane = 0; lane < kernel.lanes; lane += 3) {  // lanes change keys while others keep theirs
    set_lane(lane);
    keys.expand(lane);
  }
  check();
}

INSTANTIATE_TEST_SUITE_P(All, KernelRange, testing::ValuesIn(tested_kernels()), kernel_test_name);

}  // namespace
}  // namespace phalanx

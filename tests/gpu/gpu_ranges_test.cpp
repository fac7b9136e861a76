// Every kernel over ranges of device memory, against the CPU's engine.
#include <algorithm>

#include "device_fixture.hpp"

namespace phalanx {
namespace {

class GpuRanges : public DeviceCipherTest {
 protected:
  static constexpr std::size_t guard_bytes = 64;
  static constexpr std::size_t most_blocks = 300001;

  // Out of place and in place, what lies behind the range left alone.
  void expect_as_the_cpu(const KeyedCipher& cpu, Mode mode, Direction direction, std::size_t num_blocks) {
    const ByteVector iv = random_iv(mode);
    const std::size_t num_bytes = num_blocks * block_bytes;
    const ByteVector in = random_bytes(num_bytes);
    ByteVector expected(num_bytes);
    ByteVector chain = iv;
    cpu.crypt_range(mode, direction, chain.data(), in.data(), expected.data(), num_blocks);
    expected.insert(expected.end(), guard_bytes, 0xa5);

    const DeviceBytes device_in(in);
    DeviceBytes out(num_bytes + guard_bytes);
    const DeviceBytes scratch(max_gpu_shares * 16);
    for (const bool in_place : {false, true}) {
      out.poison();
      if (in_place) out.set(in);
      GpuRange range{};
      range.in = in_place ? out.data() : device_in.data();
      range.out = out.data();
      range.num_blocks = num_blocks;
      range.share_states = scratch.data();
      std::memcpy(range.iv, iv.data(), 16);
      check_device(kernel.range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)](range, nullptr));
      check_device(cudaDeviceSynchronize());
      ASSERT_TRUE(out.get() == expected) << describe(cipher, mode, direction) << ", " << num_blocks << " blocks"
                                         << (in_place ? " in place" : "");
    }
  }

  template <class Test>
  void for_every_range_mode(Test test) {
    for (const Mode mode : range_modes) {
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        if (kernel.range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)] != nullptr) test(mode, direction);
      }
    }
  }
};

TEST_P(GpuRanges, EqualTheCpuAroundEveryTileBoundary) {
  const ByteVector key = random_bytes(cipher.key_bytes);
  put_key_in_place(cipher, key);
  const auto cpu = find_engine("cpu").set_key(cipher, key, 1);
  for_every_range_mode([&](Mode mode, Direction direction) {
    if (takes_few_data()) {
      for (const std::size_t num_blocks : {33U, 1025U}) expect_as_the_cpu(*cpu, mode, direction, num_blocks);
      return;
    }
    for (const std::size_t tile : {32, 64, 1024, 2048}) {
      for (const std::size_t num_blocks : {tile - 1, tile, tile + 1}) expect_as_the_cpu(*cpu, mode, direction, num_blocks);
    }
    for (const std::size_t num_blocks : {std::size_t{1}, std::size_t{2}, std::size_t{33000}, most_blocks}) {
      expect_as_the_cpu(*cpu, mode, direction, num_blocks);
    }
  });
}

TEST_P(GpuRanges, EqualTheCpuUnderManyKeys) {
  for (int trial = 0; trial < 20; ++trial) {
    const ByteVector key = random_bytes(cipher.key_bytes);
    put_key_in_place(cipher, key);
    const auto cpu = find_engine("cpu").set_key(cipher, key, 1);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      expect_as_the_cpu(*cpu, Mode::ecb, direction, 1500);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuRanges, testing::ValuesIn(every_cipher()), cipher_test_name);

class GpuLargeRanges : public DeviceCipherTest {};

// More than 4 GiB in one call: the key stream, in place over zeros.
TEST_P(GpuLargeRanges, CountBeyond32Bits) {
  const std::size_t num_bytes = (std::size_t{1} << 32) + 160 * cipher.block_bytes;
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check_device(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < num_bytes + (std::size_t{1} << 28)) GTEST_SKIP() << "not enough free memory on the GPU";
  const ByteVector key = random_bytes(cipher.key_bytes);
  put_key_in_place(cipher, key);
  const DeviceBytes memory(num_bytes);
  check_device(cudaMemset(memory.data(), 0, num_bytes));
  const DeviceBytes scratch(max_gpu_shares * 16);
  ByteVector counter = random_bytes(16);
  GpuRange range{};
  range.in = memory.data();
  range.out = memory.data();
  range.num_blocks = num_bytes / cipher.block_bytes;
  range.share_states = scratch.data();
  std::memcpy(range.iv, counter.data(), 16);
  check_device(kernel.range[static_cast<unsigned>(Mode::ctr)][0](range, nullptr));

  const auto cpu = find_engine("cpu").set_key(cipher, key, 0);
  const std::size_t piece_bytes = std::size_t{1} << 26;
  ByteVector expected(piece_bytes);
  ByteVector got(piece_bytes);
  for (std::size_t at = 0; at < num_bytes; at += piece_bytes) {
    const std::size_t size = std::min(piece_bytes, num_bytes - at);
    std::memset(expected.data(), 0, size);
    cpu->crypt_range(Mode::ctr, Direction::encrypt, counter.data(), expected.data(), expected.data(),
                     size / cipher.block_bytes);
    check_device(cudaMemcpy(got.data(), memory.data() + at, size, cudaMemcpyDeviceToHost));
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), size), 0) << "from byte " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Some, GpuLargeRanges,
                         testing::Values(find_cipher("des"), find_cipher("aes-128"), find_cipher("serpent-256"),
                                         find_cipher("twofish-256")),
                         cipher_test_name);

}  // namespace
}  // namespace phalanx

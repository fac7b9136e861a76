// GHASH on a GPU against the CPU's engine.
#include "engine/engines/cuda/gpu_hash.hpp"

#include "device_fixture.hpp"

namespace phalanx {
namespace {

class GpuHashes : public DeviceTest {
 protected:
  // state (16 bytes) after num_blocks blocks at `in` and then one more, by the GPU.
  static ByteVector hash_by_gpu(const DeviceBytes& key, const ByteVector& start, const std::uint8_t* in,
                                std::size_t num_blocks) {
    ByteVector state = start;
    state.resize(32, 0xa5);
    const DeviceBytes device_state(state);
    check_device(update_gpu_hash(key.data(), device_state.data(), in, num_blocks, nullptr));
    check_device(update_gpu_hash(key.data(), device_state.data(), in, 1, nullptr));
    check_device(cudaDeviceSynchronize());
    state = device_state.get();
    state.resize(16);
    return state;
  }
};

TEST_F(GpuHashes, EqualTheCpuAtEveryLength) {
  const std::size_t most_blocks = 300001;
  const ByteVector in = random_bytes(16 * (most_blocks + 1));
  const DeviceBytes device_in(in);
  const DeviceBytes key(gpu_hash_key_bytes());
  std::vector<std::size_t> lengths{0, 1, 2, 1023, 1024, 1025, 4096, 4097, 8193, 135168, 135169, most_blocks};
  if (takes_few_data()) lengths = {0, 1, 1025, 135169};
  for (const std::size_t num_blocks : lengths) {
    const ByteVector hash_subkey = random_bytes(16);
    const DeviceBytes device_subkey(hash_subkey);
    check_device(expand_gpu_hash_key(device_subkey.data(), key.data(), nullptr));
    const CpuHash cpu = best_cpu_engine().set_hash_key(hash_subkey.data(), 1);
    for (const std::size_t first : {std::size_t{0}, std::size_t{16}}) {  // bytes
      const ByteVector start = random_bytes(16);
      ByteVector expected = start;
      cpu.update(expected.data(), in.data() + first, num_blocks);
      cpu.update(expected.data(), in.data() + first, 1);
      EXPECT_EQ(hash_by_gpu(key, start, device_in.data() + first, num_blocks), expected) << num_blocks << " blocks";
    }
  }
}

}  // namespace
}  // namespace phalanx

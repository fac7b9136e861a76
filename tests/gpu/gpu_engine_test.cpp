// The engine cuda as the library offers it, where tests/library does not reach: data in the GPU's memory, batches that fill
// a GPU, and GPUs that fail.
#include <atomic>
#include <phalanx/phalanx.hpp>

#include "device_fixture.hpp"
#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx {
namespace {

constexpr const char* divisible_names[] = {"des-ede3-ecb", "2des-ctr",        "aes-128-ctr",
                                           "aes-256-xts",  "serpent-192-xts", "twofish-256-ctr"};

EngineOptions on(const std::string& engine) { return {.engine = engine}; }
const CipherPolicy with_legacy{.allow_legacy = true};

class GpuEngine : public DeviceTest {
 protected:
  ByteVector key_of(const char* name) { return random_bytes(key_bytes(parse_cipher_name(name))); }
  static ByteVector encrypted(const Cipher& cipher, const ByteVector& iv, const ByteVector& in) {
    ByteVector out(in.size());
    cipher.encrypt(iv, in, out);
    return out;
  }
};

// Encrypted by the one, decrypted by the other.
void on_device_and_back(const DeviceCipher& reader, const DeviceCipher& writer, Bytes iv, const DeviceBytes& memory) {
  writer.encrypt(iv, 0, memory.data(), memory.data(), 32);
  reader.decrypt(iv, 0, memory.data(), memory.data(), 32);
  check_device(cudaDeviceSynchronize());
}

template <class Call>
void expect_failure(ErrorCode code, const char* part, Call call) {
  try {
    call();
    FAIL() << "no error: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

// The cipher goes while its work is still on the stream: its key stays until that is done.
TEST_F(GpuEngine, WaitsForItsWorkWhenItGoes) {
  cudaStream_t stream = nullptr;
  check_device(cudaStreamCreate(&stream));
  const ByteVector plain = random_bytes(std::size_t{64} << 20);
  const DeviceBytes in(plain);
  DeviceBytes out(plain.size());
  for (int i = 0; i < 3; ++i) {
    const ByteVector key = key_of("aes-256-ctr"), iv = random_bytes(16);
    {
      const DeviceCipher cuda("aes-256-ctr", key, {"cuda:0", 0});
      for (int again = 0; again < 4; ++again) cuda.encrypt(iv, 0, in.data(), out.data(), plain.size(), stream);
    }
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(out.get(), encrypted(Cipher("aes-256-ctr", key, {"cpu", 0}), iv, plain));
  }
  check_device(cudaStreamDestroy(stream));
}

TEST_F(GpuEngine, CryptsDeviceMemoryOnAStream) {
  cudaStream_t stream = nullptr;
  check_device(cudaStreamCreate(&stream));
  for (const char* name : divisible_names) {
    const ByteVector key = key_of(name);
    const DeviceCipher cuda(name, key, on("cuda:0"), with_legacy);
    const Cipher cpu(name, key, on("cpu"), with_legacy);
    const ByteVector iv = random_bytes(cpu.facts().iv_bytes);
    for (const std::size_t num_blocks : {1U, 1023U, 1024U, 70001U}) {
      const ByteVector plain = random_bytes(num_blocks * cpu.facts().block_bytes);
      const ByteVector expected = encrypted(cpu, iv, plain);
      const DeviceBytes in(plain);
      DeviceBytes out(plain.size());
      out.poison();
      cuda.encrypt(iv, 0, in.data(), out.data(), plain.size(), stream);
      check_device(cudaStreamSynchronize(stream));
      EXPECT_EQ(out.get(), expected) << name << ", " << num_blocks << " blocks";
      cuda.decrypt(iv, 0, out.data(), out.data(), plain.size(), stream);
      check_device(cudaStreamSynchronize(stream));
      EXPECT_EQ(out.get(), plain) << name << ", in place";
    }
  }
  check_device(cudaStreamDestroy(stream));
}

// CTR and CFB end anywhere. What lies behind the message stays as it is.
TEST_F(GpuEngine, CryptsShortLastBlocksInDeviceMemory) {
  for (const char* name : {"des-ede3-ctr", "aes-192-ctr", "serpent-256-ctr", "des-cfb", "aes-128-cfb", "twofish-256-cfb"}) {
    const ByteVector key = key_of(name);
    const DeviceCipher cuda(name, key, on("cuda:0"), with_legacy);
    const Cipher cpu(name, key, on("cpu"), with_legacy);
    const std::size_t block_bytes = cpu.facts().block_bytes;
    const ByteVector iv(block_bytes, 0xff);  // a counter that carries through the whole block
    for (const std::size_t num_bytes : {std::size_t{1}, block_bytes - 1, block_bytes + 1, 5000 * block_bytes + 3}) {
      const ByteVector in = random_bytes(num_bytes);
      ByteVector expected(num_bytes + 1, 0xa5);
      cpu.decrypt(iv, in, MutableBytes(expected).first(num_bytes));
      const DeviceBytes device_in(in);
      DeviceBytes out(num_bytes + 1);
      for (const bool in_place : {false, true}) {
        out.poison();
        if (in_place) out.set(in);
        cuda.decrypt(iv, 0, in_place ? out.data() : device_in.data(), out.data(), num_bytes);
        check_device(cudaDeviceSynchronize());
        EXPECT_EQ(out.get(), expected) << name << ", " << num_bytes << " bytes" << (in_place ? " in place" : "");
      }
    }
  }
}

TEST_F(GpuEngine, EncryptsNoLongDataUnitAndUnderNoEqualHalves) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  const ByteVector iv(16, 1);
  const DeviceBytes memory(ByteVector(32, 7));
  const DeviceCipher good("aes-256-xts", key_of("aes-256-xts"), on("cuda:0"), with_legacy);
  const DeviceCipher weak("aes-256-xts", ByteVector(64, 7), on("cuda:0"), with_legacy);
  const auto expect_policy = [&](const DeviceCipher& cipher, std::uint64_t offset) {
    try {
      cipher.encrypt(iv, offset, memory.data(), memory.data(), 32);
      FAIL() << "it was encrypted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::policy) << error.what();
    }
  };
  expect_policy(good, most_bytes);
  expect_policy(good, most_bytes - 16);
  expect_policy(weak, 0);
  good.encrypt(iv, most_bytes - 32, memory.data(), memory.data(), 32);
  good.decrypt(iv, most_bytes - 32, memory.data(), memory.data(), 32);
  check_device(cudaDeviceSynchronize());
  EXPECT_EQ(memory.get(), ByteVector(32, 7));
  good.decrypt(iv, most_bytes, memory.data(), memory.data(), 32);
  weak.decrypt(iv, 0, memory.data(), memory.data(), 32);
  check_device(cudaDeviceSynchronize());
}

// The policy of tests/library/policy_test.cpp, for what only a GPU can make.
TEST_F(GpuEngine, EncryptsLegacyOnlyWithPermission) {
  const DeviceBytes memory(ByteVector(32, 7));
  for (const char* name : {"des-ctr", "des-ede3-ecb", "2des-ctr", "aes-128-ecb"}) {
    const ByteVector key = key_of(name);
    const ByteVector iv(cipher_facts(name).iv_bytes, 1);
    const DeviceCipher refused(name, key, {.engine = "cuda:0"});
    expect_failure(ErrorCode::policy, "allow_legacy", [&] { refused.encrypt(iv, 0, memory.data(), memory.data(), 32); });
    on_device_and_back(refused, DeviceCipher(name, key, on("cuda:0"), with_legacy), iv, memory);
    EXPECT_EQ(memory.get(), ByteVector(32, 7)) << name;
  }
}

TEST_F(GpuEngine, CryptsPartsOfAMessageInDeviceMemory) {
  const char* const name = "aes-256-xts";
  const ByteVector key = key_of(name);
  const DeviceCipher cuda(name, key, on("cuda:0"), with_legacy);
  const ByteVector iv = random_bytes(16);
  const ByteVector plain = random_bytes(16 * 5000);
  const DeviceBytes memory(plain);
  for (const std::size_t cut : {16 * 1234, 0}) {  // the end first
    const std::size_t end = cut == 0 ? 16 * 1234 : plain.size();
    cuda.encrypt(iv, cut, memory.data() + cut, memory.data() + cut, end - cut);
  }
  check_device(cudaDeviceSynchronize());
  EXPECT_EQ(memory.get(), encrypted(Cipher(name, key, on("cpu"), with_legacy), iv, plain));
}

TEST_F(GpuEngine, RefusesMemoryThatIsNotTheGpusOrNotAligned) {
  const DeviceCipher cuda("aes-128-ecb", random_bytes(16), on("cuda:0"), with_legacy);
  const DeviceBytes memory(64);
  ByteVector host(64);
  expect_failure(ErrorCode::usage, "not all to memory of one GPU",
                 [&] { cuda.encrypt({}, 0, host.data(), memory.data(), 32); });
  expect_failure(ErrorCode::usage, "aligned", [&] { cuda.encrypt({}, 0, memory.data() + 4, memory.data() + 48, 16); });
  expect_failure(ErrorCode::usage, "overlap", [&] { cuda.encrypt({}, 0, memory.data() + 16, memory.data(), 32); });
  expect_failure(ErrorCode::usage, "whole blocks", [&] { cuda.encrypt({}, 0, memory.data(), memory.data(), 31); });
  const ByteVector key = random_bytes(16);
  expect_failure(ErrorCode::usage, "choose cuda", [&] { DeviceCipher("aes-128-ecb", key, on("cpu"), with_legacy); });
}

TEST_F(GpuEngine, KeysTakeTurnsInTheConstantMemory) {
  const ByteVector keys[2] = {random_bytes(24), random_bytes(24)};
  const DeviceCipher ciphers[2] = {DeviceCipher("des-ede3-ecb", keys[0], on("cuda:0"), with_legacy),
                                   DeviceCipher("des-ede3-ecb", keys[1], on("cuda:0"), with_legacy)};
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const ByteVector plain = random_bytes(std::size_t{8} << 20);
  const DeviceBytes in(plain);
  const DeviceBytes out[2] = {DeviceBytes(plain.size()), DeviceBytes(plain.size())};
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 2; ++i) ciphers[i].encrypt({}, 0, in.data(), out[i].data(), plain.size(), streams[i]);
  }
  check_device(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(out[i].get(), encrypted(Cipher("des-ede3-ecb", keys[i], on("cpu"), with_legacy), {}, plain)) << i;
    check_device(cudaStreamDestroy(streams[i]));
  }
}

// Each call works on what the one before wrote, on other multiprocessors: a kernel may begin before those writes are
// everywhere, but not read them yet (range_kernel.hpp). Ciphers take turns, and keys, and streams.
TEST_F(GpuEngine, CallsBehindOneAnotherSeeWhatIsWritten) {
  struct Turn {
    const char* name;
    Direction direction;
    std::size_t first, last;  // blocks of 16 bytes
    ByteVector iv{};
    std::vector<DeviceCipher> gpu{};
    std::vector<Cipher> cpu{};
  };
  constexpr auto encrypt = Direction::encrypt, decrypt = Direction::decrypt;
  constexpr std::size_t num_blocks = 40000;
  constexpr unsigned key_order[] = {0, 0, 0, 1, 1, 0, 0};
  Turn turns[] = {{"aes-256-ctr", encrypt, 0, num_blocks},
                  {"aes-256-ctr", encrypt, 777, 9000},
                  {"aes-256-ecb", encrypt, 31, num_blocks},
                  {"aes-256-cbc", decrypt, 5, num_blocks},
                  {"aes-256-cfb", decrypt, 1, 20001},
                  {"twofish-256-ctr", encrypt, 0, 5001},
                  {"twofish-256-ecb", decrypt, 1000, num_blocks},
                  {"serpent-256-xts", encrypt, 17, 37},
                  {"serpent-256-xts", decrypt, 0, num_blocks},
                  {"des-ede3-ctr", encrypt, 3, num_blocks},
                  {"des-ede3-cbc", decrypt, 0, num_blocks}};
  for (Turn& turn : turns) {
    turn.iv = random_bytes(cipher_facts(turn.name).iv_bytes);
    for (const ByteVector& key : {key_of(turn.name), key_of(turn.name)}) {
      turn.gpu.emplace_back(turn.name, key, on("cuda:0"), with_legacy);
      turn.cpu.emplace_back(turn.name, key, on("cpu"), with_legacy);
    }
  }
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t done = nullptr;
  check_device(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  ByteVector expected = random_bytes(16 * num_blocks);
  const DeviceBytes memory(expected);
  for (int round = 0; round < 4; ++round) {  // all enqueued before the first has ended
    cudaStream_t const stream = streams[round % 2];
    check_device(cudaStreamWaitEvent(stream, done, 0));
    for (const Turn& turn : turns) {
      std::uint8_t* const at = memory.data() + 16 * turn.first;
      const std::size_t num_bytes = 16 * (turn.last - turn.first);
      for (const unsigned key : key_order) {
        turn.direction == encrypt ? turn.gpu[key].encrypt(turn.iv, 0, at, at, num_bytes, stream)
                                  : turn.gpu[key].decrypt(turn.iv, 0, at, at, num_bytes, stream);
      }
    }
    check_device(cudaEventRecord(done, stream));
  }
  check_device(cudaDeviceSynchronize());
  for (int round = 0; round < 4; ++round) {
    for (const Turn& turn : turns) {
      const MutableBytes text = MutableBytes(expected).subspan(16 * turn.first, 16 * (turn.last - turn.first));
      for (const unsigned key : key_order) {
        turn.direction == encrypt ? turn.cpu[key].encrypt(turn.iv, text, text) : turn.cpu[key].decrypt(turn.iv, text, text);
      }
    }
  }
  EXPECT_TRUE(memory.get() == expected);
  check_device(cudaEventDestroy(done));
  for (cudaStream_t& stream : streams) check_device(cudaStreamDestroy(stream));
}

// More messages than the engine leaves to the CPU, of lengths from 0 to 20 blocks, half of them under keys of their own.
TEST_F(GpuEngine, CryptsBatchesAsTheCpuDoes) {
  for (const char* name : {"des-ede3-cbc", "des-ede-cfb", "aes-192-cbc", "serpent-256-ofb", "twofish-128-cbc"}) {
    const ByteVector key = key_of(name);
    const Cipher cuda(name, key, on("cuda"), with_legacy);
    const Cipher cpu(name, key, on("cpu"), with_legacy);
    const std::size_t block = cpu.facts().block_bytes;
    constexpr std::size_t num_messages = 5000;
    const ByteVector keys = random_bytes(num_messages * key.size());
    const ByteVector ivs = random_bytes(num_messages * block);
    const ByteVector plain = random_bytes(num_messages * 20 * block);
    ByteVector got(plain.size());
    ByteVector expected(plain.size());
    std::vector<Message> messages[2];
    for (std::size_t i = 0; i < num_messages; ++i) {
      const std::size_t length = random() % 21 * block;
      const Bytes own = i % 2 == 0 ? Bytes() : Bytes(keys).subspan(i * key.size(), key.size());
      for (ByteVector* out : {&got, &expected}) {
        messages[out == &got ? 0 : 1].push_back({Bytes(ivs).subspan(i * block, block),
                                                 Bytes(plain).subspan(i * 20 * block, length),
                                                 MutableBytes(*out).subspan(i * 20 * block, length), own});
      }
    }
    cuda.encrypt_batch(messages[0]);
    cpu.encrypt_batch(messages[1]);
    EXPECT_EQ(got, expected) << name;
  }
}

std::atomic<int> starts_until_fault{0};
cudaError_t fail_at_last() { return --starts_until_fault == 0 ? cudaErrorLaunchFailure : cudaSuccess; }

// A GPU that fails at its third piece: an error, no wrong byte, and the next call works.
TEST_F(GpuEngine, AFaultIsAClearError) {
  const ByteVector key = key_of("aes-256-ctr");
  const Cipher cuda("aes-256-ctr", key, on("cuda:0"), with_legacy);
  const ByteVector iv = random_bytes(16);
  const ByteVector plain = random_bytes(5 * GpuDevice::slot_bytes);
  const ByteVector expected = encrypted(Cipher("aes-256-ctr", key, on("cpu"), with_legacy), iv, plain);
  ByteVector out(plain.size(), 0xa5);
  starts_until_fault = 3;
  injected_gpu_fault = fail_at_last;
  expect_failure(ErrorCode::runtime, "CUDA: starting a kernel failed", [&] { cuda.encrypt(iv, plain, out); });
  injected_gpu_fault = nullptr;
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(out[i] == expected[i] || out[i] == 0xa5) << i;
  EXPECT_EQ(encrypted(cuda, iv, plain), expected);
}

}  // namespace
}  // namespace phalanx

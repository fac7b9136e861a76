// Every kernel over batches in device memory, under one key and a key each, against the CPU's engine.
#include <phalanx/phalanx.hpp>

#include "device_fixture.hpp"

namespace phalanx {
namespace {

class GpuBatches : public DeviceCipherTest {
 protected:
  std::size_t num_messages = 0;
  std::vector<std::size_t> lengths;  // in blocks
  ByteVector keys, ivs, in;
  const GpuKernel* batches = &kernel;

  // DES has two kernels for batches, of which the number of messages chooses one: each of them by itself too.
  [[nodiscard]] std::vector<const GpuKernel*> kernels() const {
    if (cipher.family != CipherFamily::des) return {&kernel};
    return {&kernel, &des_tables_gpu_kernel, &des_sliced_gpu_kernel};
  }
  [[nodiscard]] std::string kernel_name() const {
    return batches == &des_tables_gpu_kernel ? ", by tables" : batches == &des_sliced_gpu_kernel ? ", sliced" : "";
  }

  // So many messages, message i of length_of(i) blocks.
  template <class LengthOf>
  void make_messages(std::size_t count, LengthOf length_of) {
    num_messages = count;
    std::size_t num_blocks = 0;
    for (std::size_t i = 0; i < num_messages; ++i) {
      lengths.push_back(length_of(i));
      num_blocks += lengths.back();
    }
    keys = random_bytes(num_messages * cipher.key_bytes);
    in = random_bytes(num_blocks * block_bytes);
  }

  [[nodiscard]] Bytes key_of(std::size_t i) const { return Bytes(keys).subspan(i * cipher.key_bytes, cipher.key_bytes); }
  // Puts the first message's key in place; the CPU's under it.
  [[nodiscard]] auto set_first_key(int num_threads) const {
    put_key_in_place(cipher, ByteVector(key_of(0).begin(), key_of(0).end()));
    return find_engine("cpu").set_key(cipher, key_of(0), num_threads);
  }
  // The messages of memory that holds them one after another.
  template <class MessageType, class Make>
  std::vector<MessageType> cut(Make make) const {
    std::vector<MessageType> messages;
    std::size_t at = 0;
    for (std::size_t i = 0; i < num_messages; at += lengths[i++] * block_bytes) messages.push_back(make(i, at));
    return messages;
  }
  ByteVector crypt_by_cpu(const KeyedCipher& cpu, bool own_keys, Mode mode, Direction direction, ByteVector& chains) const {
    ByteVector out(in.size());
    const auto messages = cut<BlockMessage>([&](std::size_t i, std::size_t at) {
      return BlockMessage{own_keys ? key_of(i) : Bytes(), &chains[16 * i], in.data() + at, out.data() + at, lengths[i]};
    });
    cpu.crypt_batch(mode, direction, messages);
    return out;
  }
  ByteVector crypt_by_gpu(bool own_keys, bool in_place, Mode mode, Direction direction, ByteVector& chains) const {
    const DeviceBytes device_in(in);
    DeviceBytes out(in.size());
    out.poison();
    if (in_place) out.set(in);
    const std::uint8_t* const from = in_place ? out.data() : device_in.data();
    const auto messages = cut<GpuMessage>([&](std::size_t i, std::size_t at) {
      return GpuMessage{from + at, out.data() + at, lengths[i]};
    });
    ByteVector message_bytes(num_messages * sizeof(GpuMessage));
    std::memcpy(message_bytes.data(), messages.data(), message_bytes.size());
    const DeviceBytes device_messages(message_bytes);
    const DeviceBytes device_chains(chains);
    const std::size_t key_bytes = kernel_key_bytes(cipher);
    ByteVector gpu_keys(num_messages * key_bytes);
    for (std::size_t i = 0; i < num_messages; ++i) set_gpu_key(cipher, key_of(i), &gpu_keys[i * key_bytes]);
    const DeviceBytes device_keys(gpu_keys);
    const DeviceBytes scratch(batches->batch_scratch_bytes(num_messages, own_keys ? num_messages : 0, key_bytes));
    GpuBatch batch{};
    batch.messages = reinterpret_cast<const GpuMessage*>(device_messages.data());
    batch.ivs = device_chains.data();
    batch.keys = own_keys ? device_keys.data() : nullptr;
    batch.key_bytes = key_bytes;
    batch.num_messages = num_messages;
    batch.scratch = scratch.data();
    check_device(batches->batch[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)](batch, nullptr));
    check_device(cudaDeviceSynchronize());
    chains = device_chains.get();
    return out.get();
  }
  // A chaining state fills 16 bytes of which a short block uses the first; a message of no blocks, and ECB, leave it alone.
  void expect_equal_chains(const ByteVector& a, const ByteVector& b) const {
    for (std::size_t i = 0; i < num_messages; ++i) {
      if (lengths[i] != 0) {
        ASSERT_EQ(std::memcmp(&a[16 * i], &b[16 * i], block_bytes), 0) << "message " << i;
      }
    }
  }

  // By every kernel, under one key and a key each, out of place and in place.
  void expect_as_the_cpu(const KeyedCipher& cpu, Mode mode, Direction direction) {
    ASSERT_NE(kernel.batch[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)], nullptr);
    for (const bool own_keys : {false, true}) {
      ByteVector start;
      for (std::size_t i = 0; i < num_messages; ++i) {
        const ByteVector iv = random_iv(mode);
        start.insert(start.end(), iv.begin(), iv.end());
      }
      ByteVector chains = start;
      const ByteVector expected = crypt_by_cpu(cpu, own_keys, mode, direction, chains);
      for (const GpuKernel* by : kernels()) {
        batches = by;
        for (const bool in_place : {false, true}) {
          ByteVector gpu_chains = start;
          ASSERT_TRUE(crypt_by_gpu(own_keys, in_place, mode, direction, gpu_chains) == expected)
              << describe(cipher, mode, direction) << (own_keys ? ", a key each" : ", one key") << kernel_name()
              << (in_place ? ", in place" : "");
          if (mode != Mode::ecb) expect_equal_chains(gpu_chains, chains);
        }
      }
    }
  }
};

TEST_P(GpuBatches, EqualTheCpu) {
  const std::size_t most_blocks = takes_few_data() ? 9 : 40;
  make_messages(takes_few_data() ? 70 : 700, [&](std::size_t i) { return i % (most_blocks + 1); });
  const auto cpu = set_first_key(1);
  for (const Mode mode : range_modes) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      if (is_mode_of(cipher, mode)) expect_as_the_cpu(*cpu, mode, direction);
    }
  }
}

// Messages with short blocks behind their whole ones, at any address, some of them under the same key.
class GpuBatchesAnywhere : public GpuBatches {
 protected:
  static constexpr std::size_t num_keys = 5, messages_of_each = 60;
  std::vector<std::size_t> sizes, places;
  std::vector<std::uint64_t> owners;
  ByteVector text, expected;

  void make_texts() {
    num_messages = num_keys * messages_of_each;
    keys = random_bytes(num_keys * cipher.key_bytes);
    std::size_t end = 0;
    for (std::size_t i = 0; i < num_messages; ++i) {
      owners.push_back(random() % num_keys);
      sizes.push_back(random() % (11 * block_bytes));
      places.push_back(end + random() % 5);
      end = places.back() + sizes.back();
    }
    text = random_bytes(end);
  }
  void crypt_by_cpu(Mode mode, Direction direction, bool own_keys) {
    expected.assign(text.size(), 0xa5);
    for (std::size_t i = 0; i < num_messages; ++i) {
      const Cipher cpu(full_name({&cipher, mode}), key_of(own_keys ? owners[i] : 0), {.engine = "cpu", .num_threads = 1},
                       {.allow_legacy = true});
      const Bytes iv = Bytes(ivs).subspan(16 * i, block_bytes);
      const Bytes from = Bytes(text).subspan(places[i], sizes[i]);
      const MutableBytes to = MutableBytes(expected).subspan(places[i], sizes[i]);
      direction == Direction::encrypt ? cpu.encrypt(iv, from, to) : cpu.decrypt(iv, from, to);
    }
  }
  template <class T>
  static ByteVector bytes_of(const std::vector<T>& values) {
    ByteVector bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  ByteVector crypt_by_gpu(Mode mode, Direction direction, bool own_keys) const {
    const DeviceBytes device_in(text), device_ivs(ivs);
    DeviceBytes out(text.size());
    out.poison();
    std::vector<GpuMessage> messages;
    ByteVector rests;
    for (std::size_t i = 0; i < num_messages; ++i) {
      messages.push_back({device_in.data() + places[i], out.data() + places[i], sizes[i] / block_bytes});
      rests.push_back(static_cast<std::uint8_t>(sizes[i] % block_bytes));
    }
    const std::size_t key_bytes = kernel_key_bytes(cipher);
    ByteVector gpu_keys(num_keys * key_bytes);
    for (std::size_t i = 0; i < num_keys; ++i) set_gpu_key(cipher, key_of(i), &gpu_keys[i * key_bytes]);
    const DeviceBytes device_messages(bytes_of(messages)), device_rests(rests), device_owners(bytes_of(owners));
    const DeviceBytes device_keys(gpu_keys);
    const DeviceBytes scratch(batches->batch_scratch_bytes(num_messages, own_keys ? num_keys : 0, key_bytes));
    GpuBatch batch{reinterpret_cast<const GpuMessage*>(device_messages.data()),
                   device_ivs.data(),
                   own_keys ? device_keys.data() : nullptr,
                   key_bytes,
                   num_messages,
                   scratch.data()};
    batch.rests = device_rests.data();
    if (own_keys) {
      batch.owners = reinterpret_cast<const std::uint64_t*>(device_owners.data());
      batch.num_owners = num_keys;
    }
    check_device(batches->batch[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)](batch, nullptr));
    check_device(cudaDeviceSynchronize());
    return out.get();
  }
};

TEST_P(GpuBatchesAnywhere, EqualTheCpu) {
  make_texts();
  put_key_in_place(cipher, ByteVector(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(cipher.key_bytes)));
  for (const Mode mode : {Mode::ctr, Mode::cfb, Mode::ofb}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (const bool own_keys : {false, true}) {
        ivs.clear();
        for (std::size_t i = 0; i < num_messages; ++i) {
          const ByteVector iv = random_iv(mode);
          ivs.insert(ivs.end(), iv.begin(), iv.end());
        }
        crypt_by_cpu(mode, direction, own_keys);
        for (const GpuKernel* by : kernels()) {
          batches = by;
          ASSERT_TRUE(crypt_by_gpu(mode, direction, own_keys) == expected)
              << describe(cipher, mode, direction) << (own_keys ? ", some keys" : ", one key") << kernel_name();
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuBatches, testing::ValuesIn(every_cipher()), cipher_test_name);
INSTANTIATE_TEST_SUITE_P(All, GpuBatchesAnywhere, testing::ValuesIn(every_cipher()), cipher_test_name);

class GpuCarriedBatches : public GpuBatches {};

// Just so many that each warp of the sliced kernels has 64 messages, whose windows it carries while it crypts.
TEST_P(GpuCarriedBatches, EqualTheCpu) {
  make_messages(257 * 64, [](std::size_t i) { return 24 + i % 3; });
  const auto cpu = set_first_key(0);
  expect_as_the_cpu(*cpu, Mode::cbc, Direction::encrypt);
  expect_as_the_cpu(*cpu, Mode::cfb, Direction::decrypt);
}

INSTANTIATE_TEST_SUITE_P(Some, GpuCarriedBatches, testing::Values(find_cipher("2des"), find_cipher("des-ede3")),
                         cipher_test_name);

class GpuLargeBatches : public GpuBatches {};

// As many as fill every bit of the sliced kernels' words, and a GPU by tables more than once; of one length but for a few, and
// of several of the windows that the sliced kernels carry.
TEST_P(GpuLargeBatches, EqualTheCpu) {
  make_messages(300000, [](std::size_t i) { return std::size_t{i % 50000 == 49999 ? 3U : 33U}; });
  const auto cpu = set_first_key(0);
  expect_as_the_cpu(*cpu, Mode::cbc, Direction::encrypt);
  expect_as_the_cpu(*cpu, Mode::cbc, Direction::decrypt);
}

INSTANTIATE_TEST_SUITE_P(Some, GpuLargeBatches, testing::Values(find_cipher("des-ede3"), find_cipher("aes-128")),
                         cipher_test_name);

}  // namespace
}  // namespace phalanx

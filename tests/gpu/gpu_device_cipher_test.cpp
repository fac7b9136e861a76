// Batches and sectors of DeviceCipher against the CPU's Cipher: every cipher and mode, messages at any address, keys of their
// own, offsets and lengths that do not fit.
#include <phalanx/device_batch.h>

#include <algorithm>
#include <functional>
#include <phalanx/phalanx.hpp>

#include "device_batch.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx {
namespace {

const EngineOptions on_cpu{.engine = "cpu"};
const EngineOptions on_gpu{.engine = "cuda"};
const CipherPolicy with_legacy{.allow_legacy = true};

class GpuDeviceCipher : public DeviceTest {
 protected:
  // Messages of these lengths, each up to `gap` bytes behind the one before, or at the next multiple of 16.
  HostBatch make_batch(const std::vector<std::uint64_t>& lengths, std::size_t gap, std::size_t iv_bytes) {
    HostBatch batch;
    batch.lengths = lengths;
    std::uint64_t in = gap, out = 0;
    for (const std::uint64_t length : lengths) {
      batch.in_offsets.push_back(in);
      batch.out_offsets.push_back(out);
      in += gap == 0 ? (length + 15) / 16 * 16 : length + random() % (gap + 1);
      out += gap == 0 ? (length + 15) / 16 * 16 : length + random() % (gap + 1);
    }
    batch.in = random_bytes(in + 1);
    batch.out = random_bytes(out + 1);
    batch.nonces = random_bytes(iv_bytes * lengths.size());
    if (iv_bytes != 0 && lengths.size() > 5) std::fill_n(batch.nonces.end() - iv_bytes * 3, iv_bytes * 2, 0xff);  // wraps
    return batch;
  }

  static DeviceBatch batch_of(const DeviceArrays& device) {
    DeviceBatch batch = device.batch;
    batch.associated_data = batch.associated_offsets = batch.tags = nullptr;
    batch.associated_bytes = 0;
    return batch;
  }

  // Those of `lengths` that the mode takes, or what comes next to them.
  static std::vector<std::uint64_t> lengths_for(const CipherSpec& cipher, Mode mode, std::vector<std::uint64_t> lengths) {
    for (std::uint64_t& length : lengths) {
      if (facts_of(mode).length == MessageLength::whole_blocks) length -= length % cipher.block_bytes;
      if (facts_of(mode).length == MessageLength::from_a_block) length = std::max<std::uint64_t>(length, 16);
    }
    return lengths;
  }

  static ByteVector crypt_on_cpu(const Cipher& cpu, Direction direction, const HostBatch& batch, bool in_place,
                                 const ByteVector& keys) {
    ByteVector out = batch.out;
    const std::size_t iv_bytes = cpu.facts().iv_bytes, key_bytes = cpu.facts().key_bytes;
    std::vector<Message> messages;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const MutableBytes to = MutableBytes(out).subspan(batch.out_offsets[i], batch.lengths[i]);
      const Bytes from = in_place ? Bytes(to) : Bytes(batch.in).subspan(batch.in_offsets[i], batch.lengths[i]);
      const Bytes key = keys.empty() ? Bytes() : Bytes(keys).subspan(i * key_bytes, key_bytes);
      messages.push_back({Bytes(batch.nonces).subspan(i * iv_bytes, iv_bytes), from, to, key});
    }
    direction == Direction::encrypt ? cpu.encrypt_batch(messages) : cpu.decrypt_batch(messages);
    return out;
  }

  struct Shape {
    std::size_t gap;
    bool in_place, has_keys;
  };
  void expect_like_the_cpu(const std::string& name, const std::vector<std::uint64_t>& lengths, Shape shape) {
    const std::size_t key_bytes = cipher_facts(name).key_bytes;
    const ByteVector key = random_bytes(key_bytes);
    const DeviceCipher gpu(name, key, on_gpu, with_legacy);
    const Cipher cpu(name, key, on_cpu, with_legacy);
    const ByteVector keys = shape.has_keys ? random_bytes(key_bytes * lengths.size()) : ByteVector();
    const DeviceBytes device_keys(keys);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const HostBatch host = make_batch(lengths, shape.gap, gpu.facts().iv_bytes);
      const DeviceArrays device(host, shape.in_place);
      DeviceBatch batch = batch_of(device);
      if (shape.has_keys) batch.keys = device_keys.data();
      direction == Direction::encrypt ? gpu.encrypt_batch(batch) : gpu.decrypt_batch(batch);
      ASSERT_TRUE(device.out.get() == crypt_on_cpu(cpu, direction, host, shape.in_place, keys))
          << name << (direction == Direction::encrypt ? " encryption" : " decryption")
          << (shape.in_place ? ", in place" : "") << (shape.has_keys ? ", a key each" : "") << ", gap " << shape.gap;
    }
  }

  std::vector<std::uint64_t> mixed_lengths() {
    if (takes_few_data()) return {0, 1, 7, 8, 17, 0, 33, 100};
    std::vector<std::uint64_t> lengths = {0,  1,   7,   8,   9,   15,   16,   17,   0,     0,   0,   31,  32,
                                          33, 255, 256, 257, 271, 272,  273,  511,  512,   513, 767, 768, 769,
                                          1,  0,   783, 784, 785, 4095, 4096, 4097, 65537, 0,   3};
    for (int i = 0; i < 30; ++i) lengths.push_back(random() % 3000);
    return lengths;
  }

  void expect_misplaced(const DeviceCipher& gpu, const HostBatch& host) {
    const DeviceArrays device(host);
    const DeviceVerdicts verdicts = gpu.encrypt_batch_async(batch_of(device));
    const std::vector<DeviceVerdict> each = verdicts.read();
    EXPECT_EQ(std::ranges::count(each, DeviceVerdict::misplaced), static_cast<std::ptrdiff_t>(host.size()));
    std::uint32_t word = 7;
    check_device(cudaMemcpy(&word, verdicts.all_authentic(), sizeof word, cudaMemcpyDeviceToHost));
    EXPECT_EQ(word, 0U);
    EXPECT_TRUE(device.out.get() == host.out);
    expect_failure(ErrorCode::usage, [&] { verdicts.wait(); });
    expect_failure(ErrorCode::usage, [&] { gpu.decrypt_batch(batch_of(device)); });
    EXPECT_TRUE(device.out.get() == host.out);
  }

  static void expect_failure(ErrorCode code, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
    }
  }
};

class GpuDeviceCiphers : public GpuDeviceCipher, public testing::WithParamInterface<const CipherSpec*> {};

TEST_P(GpuDeviceCiphers, BatchesEqualTheCpu) {
  const CipherSpec& cipher = *GetParam();
  for (const Mode mode : range_modes) {
    if (!is_mode_of(cipher, mode)) continue;
    for (const Shape shape :
         {Shape{0, false, false}, Shape{21, true, false}, Shape{0, true, true}, Shape{21, false, true}}) {
      expect_like_the_cpu(full_name({&cipher, mode}), lengths_for(cipher, mode, mixed_lengths()), shape);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuDeviceCiphers, testing::ValuesIn(every_cipher()), cipher_test_name);

TEST_F(GpuDeviceCipher, ManyMessagesEqualTheCpu) {
  for (const char* name : {"aes-256-cbc", "aes-256-ctr", "des-ede3-cbc", "serpent-256-xts"}) {
    const NamedCipher named = parse_cipher_name(name);
    std::vector<std::uint64_t> lengths(9000);
    for (std::uint64_t& length : lengths) length = random() % 4 == 0 ? 0 : random() % 130;
    expect_like_the_cpu(name, lengths_for(*named.cipher, named.mode, lengths), {5, false, false});
    expect_like_the_cpu(name, std::vector<std::uint64_t>(4096, 48), {0, true, true});
    expect_like_the_cpu(name, {}, {0, false, false});
    expect_like_the_cpu(name, {}, {0, false, true});
    expect_like_the_cpu(name, {16}, {0, false, false});
  }
}

// Pieces far into a message, whose chaining states are powers and sums of large numbers.
TEST_F(GpuDeviceCipher, LongMessagesEqualTheCpu) {
  for (const char* name : {"aes-256-xts", "aes-128-ctr", "twofish-256-cfb", "des-cbc", "des-ctr"}) {
    expect_like_the_cpu(name, {1008, 16'000'000, 48, (16 << 20) - 8, 24}, {0, false, false});
  }
  expect_like_the_cpu("aes-128-xts", {16'000'001, 17, 3'000'007}, {3, true, true});
}

// To decrypt, a data unit may be longer than to encrypt.
TEST_F(GpuDeviceCipher, DataUnitsHaveTheirLimits) {
  const ByteVector key = random_bytes(64);
  const DeviceCipher gpu("aes-256-xts", key);
  const Cipher cpu("aes-256-xts", key, on_cpu, with_legacy);
  const HostBatch host = make_batch({(33 << 20) + 5}, 0, 16);
  const DeviceArrays device(host);
  gpu.decrypt_batch(batch_of(device));
  EXPECT_TRUE(device.out.get() == crypt_on_cpu(cpu, Direction::decrypt, host, false, {}));
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_batch(batch_of(device)); });
  const ByteVector equal(64, 7);
  const DeviceCipher weak("aes-256-xts", equal);
  expect_failure(ErrorCode::policy, [&] { weak.encrypt_batch(batch_of(device)); });
  expect_failure(ErrorCode::policy, [&] { weak.encrypt_sectors({device.in.data(), device.out.data(), 512}); });
}

TEST_F(GpuDeviceCipher, SectorsEqualTheCpu) {
  for (const char* name : {"aes-256-xts", "serpent-256-xts", "twofish-128-xts"}) {
    const ByteVector key = random_bytes(cipher_facts(name).key_bytes);
    const DeviceCipher gpu(name, key);
    const SectorCipher cpu(name, key, on_cpu, with_legacy);
    for (const auto& [sector_bytes, num_bytes] : std::initializer_list<std::pair<std::size_t, std::size_t>>{
             {512, 512 * 1000}, {512, 512 * 777 + 17}, {4096, 4096 * 300}, {16, 16 * 100 - 16}, {1 << 20, (5 << 20) + 40}}) {
      const ByteVector plain = random_bytes(num_bytes);
      ByteVector expected(num_bytes);
      const DeviceBytes in(plain);
      DeviceBytes out(num_bytes);
      out.poison();
      cpu.encrypt(~std::uint64_t{0} - 5, 8, sector_bytes, plain, expected);
      gpu.encrypt_sectors({in.data(), out.data(), num_bytes, sector_bytes, ~std::uint64_t{0} - 5, 8});
      ASSERT_TRUE(out.get() == expected) << name << ' ' << sector_bytes << ' ' << num_bytes;
      gpu.decrypt_sectors({out.data(), out.data(), num_bytes, sector_bytes, ~std::uint64_t{0} - 5, 8});
      ASSERT_TRUE(out.get() == plain) << name << ' ' << sector_bytes << ' ' << num_bytes;
    }
  }
}

TEST_F(GpuDeviceCipher, SectorsOfAListEqualTheCpu) {
  constexpr std::size_t num_sectors = 500, sector_bytes = 4096, num_bytes = num_sectors * sector_bytes - 100;
  const ByteVector key = random_bytes(64), plain = random_bytes(num_bytes), numbers = random_bytes(8 * num_sectors);
  ByteVector expected(num_bytes);
  const SectorCipher cpu("aes-256-xts", key, on_cpu, with_legacy);
  for (std::size_t i = 0; i < num_sectors; ++i) {
    std::uint64_t number = 0;
    std::memcpy(&number, &numbers[8 * i], 8);
    const std::size_t size = std::min(sector_bytes, num_bytes - i * sector_bytes);
    cpu.encrypt(number, 1, sector_bytes, Bytes(plain).subspan(i * sector_bytes, size),
                MutableBytes(expected).subspan(i * sector_bytes, size));
  }
  const DeviceBytes in(plain), list(numbers);
  DeviceBytes out(num_bytes);
  out.poison();
  DeviceSectors sectors{in.data(), out.data(), num_bytes, sector_bytes};
  sectors.numbers = reinterpret_cast<const std::uint64_t*>(list.data());
  const DeviceCipher gpu("aes-256-xts", key);
  gpu.encrypt_sectors(sectors);
  EXPECT_TRUE(out.get() == expected);
  sectors.numbers = reinterpret_cast<const std::uint64_t*>(list.data() + 4);
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_sectors(sectors); });
  sectors.numbers = reinterpret_cast<const std::uint64_t*>(out.data());
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_sectors(sectors); });
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_sectors({in.data(), out.data(), num_bytes, 500}); });
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_sectors({plain.data(), out.data(), num_bytes, 512}); });
  expect_failure(ErrorCode::usage, [&] { gpu.encrypt_sectors({in.data(), out.data(), 512 + 15, 512}); });
  const DeviceCipher ctr("aes-256-ctr", random_bytes(32));
  expect_failure(ErrorCode::usage, [&] { ctr.encrypt_sectors({in.data(), out.data(), num_bytes}); });
}

// Whatever one number of the arrays is, nothing is written.
TEST_F(GpuDeviceCipher, HostileOffsetsWriteNothing) {
  const DeviceCipher ciphers[] = {DeviceCipher("aes-256-cbc", random_bytes(32)),
                                  DeviceCipher("aes-256-xts", random_bytes(64)),
                                  DeviceCipher("des-ede3-ctr", random_bytes(24), on_gpu, with_legacy)};
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  for (const DeviceCipher& gpu : ciphers) {
    std::vector<std::uint64_t> lengths(1500, 48);  // more than one group of the checking kernel
    lengths[1023] = 70000;
    for (const std::size_t at : {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, std::size_t{1499}}) {
      for (const std::uint64_t value : {huge - 47, huge / 2 + 1, std::uint64_t{1} << 36}) {
        for (int which = 0; which < 3; ++which) {
          HostBatch batch = make_batch(lengths, 9, gpu.facts().iv_bytes);
          std::vector<std::uint64_t>* const arrays[] = {&batch.lengths, &batch.in_offsets, &batch.out_offsets};
          (*arrays[which])[at] = value;
          expect_misplaced(gpu, batch);
        }
      }
      HostBatch overlapping = make_batch(lengths, 9, gpu.facts().iv_bytes);
      if (at == 0) continue;
      overlapping.out_offsets[at] = overlapping.out_offsets[at - 1] + overlapping.lengths[at - 1] - 1;
      expect_misplaced(gpu, overlapping);
    }
  }
}

TEST_F(GpuDeviceCipher, LengthsThatTheModeDoesNotTakeAreMisplaced) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"aes-128-ecb", 17}, {"aes-128-cbc", 8}, {"des-cbc", 12}, {"aes-128-xts", 0}, {"aes-128-xts", 15}};
  for (const auto& [name, length] : cases) {
    const DeviceCipher gpu(name, random_bytes(cipher_facts(name).key_bytes), on_gpu, with_legacy);
    expect_misplaced(gpu, make_batch({160, length, 32}, 4, gpu.facts().iv_bytes));
  }
}

TEST_F(GpuDeviceCipher, WhatTheHostSeesThrows) {
  const DeviceCipher gpu("aes-128-ctr", random_bytes(16));
  const HostBatch host = make_batch({100, 200}, 3, 16);
  const DeviceArrays device(host);
  const std::vector<std::function<void(DeviceBatch&)>> changes = {
      [&](DeviceBatch& b) { b.in = host.in.data(); },  // of the host
      [](DeviceBatch& b) {
        b.in = static_cast<std::uint8_t*>(b.out) + 1;
        b.in_bytes = 10;
      },
      [](DeviceBatch& b) { b.tags = const_cast<void*>(b.nonces); },
      [](DeviceBatch& b) { b.associated_offsets = b.in_offsets; },
      [](DeviceBatch& b) { b.nonces = nullptr; },
      [](DeviceBatch& b) { b.nonces = b.out; },
      [](DeviceBatch& b) { b.keys = static_cast<const std::uint8_t*>(b.nonces) + 4; },
      [](DeviceBatch& b) { b.in_offsets = nullptr; },
      [](DeviceBatch& b) { b.offset_bytes = 2; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DeviceBatch batch = batch_of(device);
    changes[i](batch);
    SCOPED_TRACE(i);
    expect_failure(ErrorCode::usage, [&] { gpu.encrypt_batch(batch); });
  }
  EXPECT_TRUE(device.out.get() == host.out);
  const DeviceCipher legacy("des-cbc", random_bytes(8));
  expect_failure(ErrorCode::policy, [&] { legacy.encrypt_batch(batch_of(device)); });
  const DeviceCipher ofb("aes-128-ofb", random_bytes(16));
  const ByteVector iv(16);
  expect_failure(ErrorCode::usage, [&] { ofb.encrypt(iv, 0, device.in.data(), device.out.data(), 16); });
}

// Offsets of four bytes that end where the next one begins, in place; the same from C.
TEST_F(GpuDeviceCipher, InC) {
  const std::vector<std::uint32_t> offsets = {4, 4, 20, 1100, 1107};
  const ByteVector key = random_bytes(32), plain = random_bytes(1110), ivs = random_bytes(64);
  ByteVector numbers(4 * offsets.size()), expected = plain;
  std::memcpy(numbers.data(), offsets.data(), numbers.size());
  const Cipher cpu("serpent-256-cfb", key, on_cpu, with_legacy);
  for (std::size_t i = 0; i < 4; ++i) {
    const MutableBytes text = MutableBytes(expected).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    cpu.encrypt(Bytes(ivs).subspan(16 * i, 16), text, text);
  }
  const DeviceBytes device_offsets(numbers), device_ivs(ivs), text(plain);
  phalanx_device_batch batch = PHALANX_DEVICE_BATCH_INIT;
  batch.num_messages = 4;
  batch.in = batch.out = text.data();
  batch.in_bytes = batch.out_bytes = plain.size();
  batch.offset_bytes = 4;
  batch.in_offsets = device_offsets.data();
  batch.nonces = device_ivs.data();
  phalanx_device_cipher* cipher = nullptr;
  ASSERT_EQ(phalanx_device_cipher_new(&cipher, "serpent-256-cfb", key.data(), key.size(), nullptr, nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_device_cipher_encrypt_batch(cipher, &batch, nullptr), PHALANX_OK);
  EXPECT_TRUE(text.get() == expected);
  phalanx_device_verdicts* verdicts = nullptr;
  ASSERT_EQ(phalanx_device_cipher_decrypt_batch_async(&verdicts, cipher, &batch, nullptr), PHALANX_OK);
  EXPECT_EQ(phalanx_device_verdicts_wait(verdicts), PHALANX_OK);
  EXPECT_TRUE(text.get() == plain);
  phalanx_device_verdicts_free(verdicts);
  phalanx_device_sectors sectors = PHALANX_DEVICE_SECTORS_INIT;
  EXPECT_EQ(phalanx_device_cipher_encrypt_sectors(cipher, &sectors, nullptr), PHALANX_USAGE) << "CFB has none";
  phalanx_device_cipher_free(cipher);
  ByteVector xts_key = random_bytes(32), by_cpu(1110);
  ASSERT_EQ(phalanx_device_cipher_new(&cipher, "aes-128-xts", xts_key.data(), xts_key.size(), nullptr, nullptr), PHALANX_OK);
  sectors.in = sectors.out = text.data();
  sectors.size = plain.size();
  sectors.first_tweak = 7;
  ASSERT_EQ(phalanx_device_cipher_encrypt_sectors(cipher, &sectors, nullptr), PHALANX_OK);
  SectorCipher("aes-128-xts", xts_key, on_cpu, with_legacy).encrypt(7, 1, 512, plain, by_cpu);
  EXPECT_TRUE(text.get() == by_cpu);
  ASSERT_EQ(phalanx_device_cipher_decrypt_sectors(cipher, &sectors, nullptr), PHALANX_OK);
  EXPECT_TRUE(text.get() == plain);
  phalanx_device_cipher_free(cipher);
}

}  // namespace
}  // namespace phalanx

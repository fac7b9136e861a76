// DeviceAead against the CPU's Aead: one message, batches at any address, forged messages, offsets that do not fit.
#include <phalanx/device_aead.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <phalanx/device_aead.hpp>
#include <phalanx/phalanx.hpp>

#include "device_batch.hpp"
#include "engine/engines/cuda/gpu_gcm.hpp"

namespace phalanx {
namespace {

class GpuDeviceAead : public DeviceTest {
 protected:
  ByteVector key = random_bytes(32);

  // Messages of these lengths, each so many bytes behind the one before, up to `gap`, or at the next multiple of 16.
  HostBatch make_batch(const std::vector<std::uint64_t>& lengths, std::size_t gap, std::size_t nonce_size = nonce_bytes) {
    HostBatch batch;
    batch.lengths = lengths;
    std::uint64_t in = gap, out = 0, associated = 0;
    for (const std::uint64_t length : lengths) {
      batch.in_offsets.push_back(in);
      batch.out_offsets.push_back(out);
      batch.associated_offsets.push_back(associated);
      in += gap == 0 ? (length + 15) / 16 * 16 : length + random() % (gap + 1);
      out += gap == 0 ? (length + 15) / 16 * 16 : length + random() % (gap + 1);
      associated += random() % 3 == 0 ? random() % 100 : 0;
    }
    batch.associated_offsets.push_back(associated);
    batch.in = random_bytes(in + 1);
    batch.out = ByteVector(out + 1, poison);
    batch.associated = random_bytes(associated + 1);
    batch.nonces = random_bytes(nonce_size * lengths.size());
    batch.tags = ByteVector(tag_bytes * lengths.size(), poison);
    return batch;
  }

  // What sealing makes of `out` and `tags`.
  static void seal_on_cpu(const Aead& cpu, HostBatch& batch, const ByteVector& in,
                          const std::vector<std::uint64_t>& offsets) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      cpu.seal(batch.nonce(i), batch.associated_data(i), Bytes(in).subspan(offsets[i], batch.lengths[i]),
               MutableBytes(batch.out).subspan(batch.out_offsets[i], batch.lengths[i]),
               MutableBytes(batch.tags).subspan(tag_bytes * i, tag_bytes));
    }
  }

  void expect_like_the_cpu(const std::string& name, const ByteVector& cipher_key, const std::vector<std::uint64_t>& lengths,
                           std::size_t gap) {
    const DeviceAead gpu(name, cipher_key);
    const Aead cpu(name, cipher_key, {"cpu", 0});
    for (const bool in_place : {false, true}) {
      HostBatch batch = make_batch(lengths, gap, gpu.facts().iv_bytes);
      if (in_place) batch.out = random_bytes(batch.out.size());
      DeviceArrays device(batch, in_place);
      gpu.seal_batch(device.batch);
      const ByteVector plain = in_place ? batch.out : batch.in;
      HostBatch sealed = batch;
      seal_on_cpu(cpu, sealed, plain, in_place ? batch.out_offsets : batch.in_offsets);
      ASSERT_TRUE(device.out.get() == sealed.out) << name << (in_place ? " in place" : "");
      ASSERT_TRUE(device.tags.get() == sealed.tags) << name;
      expect_opened(gpu, sealed, plain, in_place ? batch.out_offsets : batch.in_offsets, in_place);
    }
  }

  // All messages but every seventh, which are forged.
  void expect_opened(const DeviceAead& gpu, HostBatch sealed, const ByteVector& plain,
                     const std::vector<std::uint64_t>& plain_offsets, bool in_place) {
    const auto is_forged = [](std::size_t i) { return i % 7 == 3; };
    HostBatch batch = sealed;
    batch.in = sealed.out;
    batch.in_offsets = sealed.out_offsets;
    if (!in_place) std::fill(batch.out.begin(), batch.out.end(), poison);
    ByteVector expected = batch.out;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (is_forged(i)) batch.tags[tag_bytes * i + random() % tag_bytes] ^= static_cast<std::uint8_t>(1 << random() % 8);
      const auto to = expected.begin() + static_cast<std::ptrdiff_t>(batch.out_offsets[i]);
      const auto from = plain.begin() + static_cast<std::ptrdiff_t>(plain_offsets[i]);
      if (!is_forged(i)) std::copy_n(from, batch.lengths[i], to);
      if (is_forged(i) && !in_place) std::fill_n(to, batch.lengths[i], 0);
    }
    DeviceArrays device(batch, in_place);
    const DeviceVerdicts verdicts = gpu.open_batch_async(device.batch);
    const std::vector<DeviceVerdict> each = verdicts.read();
    ASSERT_TRUE(device.out.get() == expected);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_EQ(each[i], is_forged(i) ? DeviceVerdict::forged : DeviceVerdict::authentic) << i;
    }
    EXPECT_EQ(word_of(verdicts), batch.size() > 3 ? 0U : 1U);
  }

  void expect_one_message_like_the_cpu(const char* name) {
    const DeviceAead gpu(name, key);
    const Aead cpu(name, key, {"cpu", 0});
    for (const std::size_t size : {0, 1, 16, 100, 4096, 1'000'003}) {
      const ByteVector plain = random_bytes(size), nonce = random_bytes(gpu.facts().iv_bytes);
      const ByteVector associated = random_bytes(size % 77);
      ByteVector expected(size), expected_tag(tag_bytes);
      cpu.seal(nonce, associated, plain, expected, expected_tag);
      DeviceBytes text(plain), tag(tag_bytes), opened(size);
      gpu.seal(nonce, associated, text.data(), text.data(), size, tag.data());
      EXPECT_TRUE(text.get() == expected && tag.get() == expected_tag) << size;
      opened.poison();
      gpu.open(nonce, associated, text.data(), opened.data(), size, tag.data());
      EXPECT_TRUE(opened.get() == plain) << size;
      expected_tag[5] ^= 4;
      tag.set(expected_tag);
      opened.poison();
      EXPECT_THROW(gpu.open(nonce, associated, text.data(), opened.data(), size, tag.data()), Error);
      EXPECT_TRUE(opened.get() == ByteVector(size)) << size;
      EXPECT_THROW(gpu.open(nonce, associated, text.data(), text.data(), size, tag.data()), Error);
      EXPECT_TRUE(text.get() == expected) << size;
    }
  }

  void expect_keys_of_messages_like_the_cpu(const std::string& name, std::size_t key_bytes) {
    const DeviceAead gpu(name, random_bytes(key_bytes));
    HostBatch batch = make_batch(mixed_lengths(), 9);
    const ByteVector keys = random_bytes(key_bytes * batch.size());
    const DeviceBytes device_keys(keys);
    DeviceArrays device(batch);
    device.batch.keys = device_keys.data();
    gpu.seal_batch(device.batch);
    HostBatch sealed = batch;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Aead cpu(name, Bytes(keys).subspan(i * key_bytes, key_bytes), {"cpu", 1});
      cpu.seal(batch.nonce(i), batch.associated_data(i), Bytes(batch.in).subspan(batch.in_offsets[i], batch.lengths[i]),
               MutableBytes(sealed.out).subspan(batch.out_offsets[i], batch.lengths[i]),
               MutableBytes(sealed.tags).subspan(tag_bytes * i, tag_bytes));
    }
    ASSERT_TRUE(device.out.get() == sealed.out && device.tags.get() == sealed.tags) << name;
    sealed.in = sealed.out;
    sealed.in_offsets = sealed.out_offsets;
    sealed.tags[tag_bytes * 12 + 1] ^= 2;
    DeviceArrays to_open(sealed);
    to_open.batch.keys = device_keys.data();
    const std::vector<DeviceVerdict> each = gpu.open_batch_async(to_open.batch).read();
    const ByteVector opened = to_open.out.get();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_EQ(each[i], i == 12 ? DeviceVerdict::forged : DeviceVerdict::authentic) << name << i;
      const Bytes text = Bytes(opened).subspan(batch.out_offsets[i], batch.lengths[i]);
      const Bytes plain = Bytes(batch.in).subspan(batch.in_offsets[i], batch.lengths[i]);
      ASSERT_TRUE(i == 12 || std::ranges::equal(text, plain)) << name << i;
    }
  }

  static std::uint32_t word_of(const DeviceVerdicts& verdicts) {
    std::uint32_t word = 7;
    check_device(cudaMemcpy(&word, verdicts.all_authentic(), sizeof word, cudaMemcpyDeviceToHost));
    return word;
  }

  void expect_misplaced(const DeviceAead& gpu, const HostBatch& batch) {
    DeviceArrays device(batch);
    const DeviceVerdicts verdicts = gpu.seal_batch_async(device.batch);
    const std::vector<DeviceVerdict> each = verdicts.read();
    EXPECT_EQ(std::ranges::count(each, DeviceVerdict::misplaced), static_cast<std::ptrdiff_t>(batch.size()));
    EXPECT_EQ(word_of(verdicts), 0U);
    EXPECT_NE(failure_of(verdicts, ErrorCode::usage), "");
    EXPECT_TRUE(device.out.get() == batch.out && device.tags.get() == batch.tags);
    EXPECT_EQ(gpu.open_batch_async(device.batch).read().front(), DeviceVerdict::misplaced);
    EXPECT_TRUE(device.out.get() == batch.out);
  }

  static std::string failure_of(const DeviceVerdicts& verdicts, ErrorCode code) {
    try {
      verdicts.wait();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "";
  }

  std::vector<std::uint64_t> mixed_lengths() {
    if (takes_few_data()) return {0, 1, 15, 16, 17, 0, 0, 33, 511, 512, 513, 0, 1025, 4097};
    std::vector<std::uint64_t> lengths = {0,  1,   15,  16,  17,   0,    0,    0,    31,   32,
                                          33, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097};
    for (const std::uint64_t length : {8192, 65536, 65537, 300000, 1 << 20, 0, 3}) lengths.push_back(length);
    for (int i = 0; i < 40; ++i) lengths.push_back(random() % 3000);
    return lengths;
  }
};

TEST_F(GpuDeviceAead, BatchesEqualTheCpu) {
  for (const std::size_t gap : {0, 21}) {
    expect_like_the_cpu("aes-128-gcm", random_bytes(16), mixed_lengths(), gap);
    expect_like_the_cpu("aes-192-gcm", random_bytes(24), mixed_lengths(), gap);
    for (const char* name : {"aes-256-gcm", "serpent-256-gcm", "twofish-256-gcm", "xaes-256-gcm"}) {
      expect_like_the_cpu(name, key, mixed_lengths(), gap);
    }
  }
}

TEST_F(GpuDeviceAead, ManyShortMessagesEqualTheCpu) {
  std::vector<std::uint64_t> lengths(9000);
  for (std::uint64_t& length : lengths) length = random() % 4 == 0 ? 0 : random() % 130;
  expect_like_the_cpu("aes-256-gcm", key, lengths, 5);
  expect_like_the_cpu("xaes-256-gcm", key, lengths, 5);
  expect_like_the_cpu("aes-256-gcm", key, {}, 5);
  expect_like_the_cpu("xaes-256-gcm", key, {}, 5);
  expect_like_the_cpu("aes-256-gcm", key, {0}, 0);
  expect_like_the_cpu("aes-256-gcm", key, std::vector<std::uint64_t>(2048, 48), 0);
}

TEST_F(GpuDeviceAead, KeysOfMessagesEqualTheCpu) {
  const std::pair<const char*, std::size_t> ciphers[] = {
      {"aes-128-gcm", 16}, {"aes-192-gcm", 24}, {"aes-256-gcm", 32}, {"serpent-256-gcm", 32}, {"twofish-192-gcm", 24}};
  for (const auto& [name, key_bytes] : ciphers) expect_keys_of_messages_like_the_cpu(name, key_bytes);
}

// What older GPUs do, and long messages in place of short ones and the other way round.
TEST_F(GpuDeviceAead, EveryWayToHashEqualsTheCpu) {
  for (const GcmHashing hashing : {GcmHashing::by_matrices, GcmHashing::without_matrices}) {
    gcm_hashing = hashing;
    for (const std::size_t gap : {0, 21}) expect_like_the_cpu("aes-256-gcm", key, mixed_lengths(), gap);
    for (const std::size_t gap : {0, 4}) expect_like_the_cpu("aes-128-gcm", random_bytes(16), {3'000'005, 70'000}, gap);
    expect_like_the_cpu("aes-256-gcm", key, std::vector<std::uint64_t>(3000, 100), 3);
    expect_keys_of_messages_like_the_cpu("aes-256-gcm", 32);
    expect_one_message_like_the_cpu("aes-256-gcm");
  }
  gcm_hashing = GcmHashing::as_it_fits;
}

TEST_F(GpuDeviceAead, OneMessageEqualsTheCpu) {
  for (const char* name : {"aes-256-gcm", "xaes-256-gcm"}) expect_one_message_like_the_cpu(name);
}

TEST_F(GpuDeviceAead, VerdictsAreWhatWasFound) {
  const DeviceAead gpu("aes-256-gcm", key);
  HostBatch batch = make_batch({100, 0, 5000}, 3);
  seal_on_cpu(Aead("aes-256-gcm", key, {"cpu", 0}), batch, batch.in, batch.in_offsets);
  batch.in = batch.out;
  batch.in_offsets = batch.out_offsets;
  DeviceArrays good(batch);
  EXPECT_NO_THROW(gpu.open_batch(good.batch));
  const DeviceVerdicts verdicts = gpu.open_batch_async(good.batch);
  EXPECT_EQ(word_of(verdicts), 1U);
  verdicts.require(nullptr);
  check_device(cudaDeviceSynchronize());
  batch.associated[0] ^= 1;  // of the first message that has any, or of none
  batch.nonces[nonce_bytes] ^= 1;
  DeviceArrays forged(batch);
  EXPECT_NE(failure_of(gpu.open_batch_async(forged.batch), ErrorCode::authentication), "");
  EXPECT_EQ(gpu.open_batch_async(forged.batch).read()[1], DeviceVerdict::forged);
}

// Whatever one number of the arrays is, nothing is written, and every message has the verdict of its own.
TEST_F(GpuDeviceAead, HostileOffsetsWriteNothing) {
  const DeviceAead gpu("aes-256-gcm", key);
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  std::vector<std::uint64_t> lengths(2000, 40);  // more than one group of the checking kernel
  lengths[1023] = 70000;
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1}, std::size_t{1022}, std::size_t{1023}, std::size_t{1024}, std::size_t{1999}}) {
    for (const std::uint64_t value : {huge, huge - 39, huge / 2, std::uint64_t{1} << 36}) {
      for (int which = 0; which < 4; ++which) {
        HostBatch batch = make_batch(lengths, 9);
        std::vector<std::uint64_t>* const arrays[] = {&batch.lengths, &batch.in_offsets, &batch.out_offsets,
                                                      &batch.associated_offsets};
        (*arrays[which])[at] = value;
        expect_misplaced(gpu, batch);
      }
    }
    HostBatch overlapping = make_batch(lengths, 9);
    if (at == 0) continue;
    overlapping.out_offsets[at] = overlapping.out_offsets[at - 1] + overlapping.lengths[at - 1] - 1;
    expect_misplaced(gpu, overlapping);
  }
}

TEST_F(GpuDeviceAead, OffsetsOfFourBytesAndShortTags) {
  const std::vector<std::uint32_t> offsets = {4, 4, 20, 1100, 1107};
  const Aead cpu("aes-256-gcm", key, {"cpu", 0});
  const ByteVector plain = random_bytes(1107), nonces = random_bytes(4 * nonce_bytes);
  ByteVector sealed = plain, tags;
  for (std::size_t i = 0; i < 4; ++i) {
    ByteVector tag(tag_bytes);
    const MutableBytes text = MutableBytes(sealed).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    cpu.seal(Bytes(nonces).subspan(i * nonce_bytes, nonce_bytes), {}, text, text, tag);
    tags.insert(tags.end(), tag.begin(), tag.begin() + 13);
  }
  ByteVector numbers(4 * offsets.size());
  std::memcpy(numbers.data(), offsets.data(), numbers.size());
  const DeviceBytes device_offsets(numbers), device_nonces(nonces), text(sealed);
  DeviceBytes device_tags(tags);
  DeviceBatch batch;
  batch.num_messages = 4;
  batch.in = batch.out = text.data();
  batch.in_bytes = batch.out_bytes = sealed.size();
  batch.offset_bytes = 4;
  batch.in_offsets = device_offsets.data();
  batch.nonces = device_nonces.data();
  batch.tags = device_tags.data();
  const DeviceAead gpu("aes-256-gcm", key, {}, {.tag_bytes = 13});
  EXPECT_THROW(gpu.seal_batch(batch), Error);
  gpu.open_batch(batch);
  EXPECT_TRUE(text.get() == plain);
}

TEST_F(GpuDeviceAead, WhatTheHostSeesThrows) {
  const DeviceAead gpu("aes-256-gcm", key);
  const HostBatch host = make_batch({100, 200}, 3);
  const DeviceArrays device(host);
  const std::vector<std::function<void(DeviceBatch&)>> changes = {
      [&](DeviceBatch& b) { b.in = host.in.data(); },  // of the host
      [](DeviceBatch& b) {
        b.in = static_cast<std::uint8_t*>(b.out) + 1;
        b.in_bytes = 10;
      },
      [](DeviceBatch& b) {
        b.in = b.out;
        b.in_bytes = b.out_bytes - 1;
      },
      [](DeviceBatch& b) { b.tags = b.out; },
      [](DeviceBatch& b) { b.tags = const_cast<void*>(b.nonces); },
      [](DeviceBatch& b) { b.nonces = nullptr; },
      [](DeviceBatch& b) { b.keys = static_cast<const std::uint8_t*>(b.nonces) + 4; },
      [](DeviceBatch& b) { b.in_offsets = nullptr; },
      [](DeviceBatch& b) { b.offset_bytes = 2; },
      [](DeviceBatch& b) { b.in_offsets = static_cast<const std::uint8_t*>(b.in_offsets) + 4; },
      [](DeviceBatch& b) {
        b.associated_data = b.out;
        b.associated_bytes = 5;
      }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DeviceBatch batch = device.batch;
    changes[i](batch);
    try {
      gpu.seal_batch(batch);
      ADD_FAILURE() << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << i;
    }
  }
  EXPECT_THROW(DeviceAead("xaes-256-gcm", key, {}, {.tag_bytes = 12}), Error);
  DeviceBatch with_keys = device.batch;
  with_keys.keys = device.in.data();
  EXPECT_THROW(DeviceAead("xaes-256-gcm", key).seal_batch(with_keys), Error);
  EXPECT_THROW(DeviceAead("aes-256-ctr", key), Error);
  EXPECT_THROW(DeviceAead("aes-256-gcm", key, {"cpu", 0}), Error);
}

// The same from C: a batch sealed and opened, one of its tags changed between.
TEST_F(GpuDeviceAead, InC) {
  HostBatch host = make_batch({100, 0, 5000}, 3);
  DeviceArrays device(host);
  phalanx_device_batch batch = PHALANX_DEVICE_BATCH_INIT;
  batch.num_messages = host.size();
  batch.in = device.batch.in;
  batch.in_bytes = device.batch.in_bytes;
  batch.out = device.batch.out;
  batch.out_bytes = device.batch.out_bytes;
  batch.in_offsets = device.batch.in_offsets;
  batch.lengths = device.batch.lengths;
  batch.out_offsets = device.batch.out_offsets;
  batch.nonces = device.batch.nonces;
  batch.tags = device.batch.tags;
  phalanx_device_aead* aead = nullptr;
  ASSERT_EQ(phalanx_device_aead_new(&aead, "twofish-256-gcm", key.data(), key.size(), nullptr, nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_device_aead_seal_batch(aead, &batch, nullptr), PHALANX_OK);
  batch.in = batch.out;
  batch.in_bytes = batch.out_bytes;
  batch.in_offsets = nullptr;
  EXPECT_EQ(phalanx_device_aead_open_batch(aead, &batch, nullptr), PHALANX_USAGE);
  batch.in_offsets = batch.out_offsets;
  ByteVector tags = device.tags.get();
  tags[2 * tag_bytes] ^= 1;
  device.tags.set(tags);
  phalanx_device_verdicts* verdicts = nullptr;
  ASSERT_EQ(phalanx_device_aead_open_batch_async(&verdicts, aead, &batch, nullptr), PHALANX_OK);
  EXPECT_EQ(phalanx_device_verdicts_wait(verdicts), PHALANX_AUTHENTICATION);
  std::uint8_t each[3];
  ASSERT_EQ(phalanx_device_verdicts_read(verdicts, each, 3), PHALANX_OK);
  EXPECT_EQ(phalanx_device_verdicts_read(verdicts, each, 2), PHALANX_USAGE);
  EXPECT_EQ(each[0], PHALANX_DEVICE_AUTHENTIC);
  EXPECT_EQ(each[1], PHALANX_DEVICE_AUTHENTIC);
  EXPECT_EQ(each[2], PHALANX_DEVICE_FORGED);
  const std::uint32_t* word = nullptr;
  ASSERT_EQ(phalanx_device_verdicts_pointers(verdicts, &word, nullptr), PHALANX_OK);
  std::uint32_t all_authentic = 7;
  check_device(cudaMemcpy(&all_authentic, word, sizeof all_authentic, cudaMemcpyDeviceToHost));
  EXPECT_EQ(all_authentic, 0U);
  phalanx_device_verdicts_free(verdicts);
  phalanx_device_aead_free(aead);
  const Bytes opened = Bytes(host.in).subspan(host.in_offsets[0], 100);
  const ByteVector out = device.out.get();
  EXPECT_TRUE(std::ranges::equal(opened, Bytes(out).first(100)));
}

// Two keys on two streams, each behind its own work.
TEST_F(GpuDeviceAead, KeysTakeTurns) {
  const ByteVector other_key = random_bytes(32);
  const DeviceAead gpus[] = {DeviceAead("aes-256-gcm", key), DeviceAead("aes-256-gcm", other_key)};
  const Aead cpus[] = {Aead("aes-256-gcm", key, {"cpu", 0}), Aead("aes-256-gcm", other_key, {"cpu", 0})};
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const ByteVector plain = random_bytes(700'001), nonce = random_bytes(nonce_bytes);
  DeviceBytes texts[] = {DeviceBytes(plain), DeviceBytes(plain)};
  DeviceBytes tags[] = {DeviceBytes(tag_bytes), DeviceBytes(tag_bytes)};
  for (int round = 0; round < 9; ++round) {  // sealed again and again, in place
    for (int i = 0; i < 2; ++i)
      gpus[i].seal(nonce, {}, texts[i].data(), texts[i].data(), plain.size(), tags[i].data(), streams[i]);
  }
  check_device(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    ByteVector expected = plain, tag(tag_bytes);
    for (int round = 0; round < 9; ++round) cpus[i].seal(nonce, {}, expected, expected, tag);
    EXPECT_TRUE(texts[i].get() == expected && tags[i].get() == tag);
    check_device(cudaStreamDestroy(streams[i]));
  }
}

// In a process of its own, since it ends all that this one could do with the GPU.
TEST_F(GpuDeviceAead, AFaultIsRaisedByRequire) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto require_forged = [this] {
    const DeviceAead gpu("aes-256-gcm", key);
    HostBatch batch = make_batch({100}, 0);
    DeviceArrays device(batch);
    const DeviceVerdicts verdicts = gpu.open_batch_async(device.batch);
    verdicts.require(nullptr);
    std::_Exit(cudaDeviceSynchronize() == cudaSuccess ? 1 : 7);
  };
  EXPECT_EXIT(require_forged(), testing::ExitedWithCode(7), "");
}

using GpuLargeDeviceAead = GpuDeviceAead;

// One message long enough for every table of powers, and others beside it.
TEST_F(GpuLargeDeviceAead, LongMessagesEqualTheCpu) {
  expect_like_the_cpu("aes-256-gcm", key, {1000, 3, (std::uint64_t{600} << 20) + 5, 0, 17, 20'000'000}, 0);
}

}  // namespace
}  // namespace phalanx

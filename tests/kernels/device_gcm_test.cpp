// GCM over a GPU's memory, on the host: the checks of a batch's offsets, and the steps of every warp's lanes, one after
// another, against the reference.
#include "device_gcm_test.hpp"

namespace phalanx {
namespace {

class DeviceGcmSteps : public testing::Test {
 protected:
  std::mt19937_64 random{29};

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  // Messages of these lengths with some bytes between them, and associated data of some.
  HostBatch make_batch(const std::vector<std::size_t>& lengths) {
    HostBatch batch;
    std::uint64_t in = 3, out = 0, associated = 0;
    for (const std::size_t length : lengths) {
      batch.lengths.push_back(length);
      batch.in_offsets.push_back(in);
      batch.out_offsets.push_back(out);
      batch.associated_offsets.push_back(associated);
      in += length + random() % 20;
      out += length + random() % 2 * 7;
      associated += random() % 3 == 0 ? random() % 70 : random() % 2 * 16;
    }
    batch.associated_offsets.push_back(associated);
    batch.in = random_bytes(in);
    batch.out = ByteVector(out, 0xa5);
    batch.associated = random_bytes(associated);
    batch.nonces = random_bytes(12 * lengths.size());
    batch.tags = ByteVector(16 * lengths.size(), 0xa5);
    return batch;
  }

  static ByteVector part(const ByteVector& bytes, std::uint64_t offset, std::uint64_t size) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

  // Every byte of `out` and every tag, by the reference; nothing between the messages has changed.
  static void expect_sealed(const reference::BlockCipher& cipher, const HostBatch& batch, const ByteVector& plain,
                            const Numbers& plain_offsets, const ByteVector& before) {
    ByteVector expected = before;
    ByteVector tags;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const ByteVector associated =
          part(batch.associated, batch.associated_offsets[i], batch.associated_offsets[i + 1] - batch.associated_offsets[i]);
      const ByteVector sealed = reference::gcm_seal(cipher, part(batch.nonces, 12 * i, 12), associated,
                                                    part(plain, plain_offsets[i], batch.lengths[i]));
      std::copy(sealed.begin(), sealed.end() - 16, expected.begin() + static_cast<std::ptrdiff_t>(batch.out_offsets[i]));
      tags.insert(tags.end(), sealed.end() - 16, sealed.end());
    }
    EXPECT_TRUE(batch.out == expected);
    EXPECT_TRUE(batch.tags == tags);
  }

  template <class Core>
  void expect_like_the_reference(const char* name, std::size_t key_bytes) {
    const ByteVector key = random_bytes(key_bytes);
    const auto cipher = reference::make_cipher(name, key);
    DeviceGcm<Core> gcm(name, key);
    const std::vector<std::size_t> lengths = {0,   1,    15,   16,   17,   0,    0,     31,   511, 512,
                                              513, 1023, 1024, 1025, 4096, 2000, 12345, 8192, 0,   100};
    for (const std::uint64_t num_shares : {1, 2, 7, 61}) {
      for (const bool in_place : {false, true}) {
        HostBatch batch = make_batch(lengths);
        if (in_place) batch.out = random_bytes(batch.out.size());
        const ByteVector before = batch.out;
        ASSERT_EQ(batch.plan(false, 32 * Core::blocks_per_thread, in_place), 0U);
        gcm.run(batch, num_shares);
        expect_sealed(*cipher, batch, in_place ? before : batch.in, in_place ? batch.out_offsets : batch.in_offsets, before);
        expect_opened(gcm, batch, num_shares, in_place, before);
      }
    }
  }

  template <class KeyedCore>
  void expect_keyed_like_the_reference(const char* name, std::size_t key_bytes) {
    KeyedDeviceAead<KeyedCore> gcm;
    for (const std::uint64_t num_shares : {1, 23}) {
      HostBatch batch = make_batch({0, 1, 16, 17, 513, 4096, 0, 3000});
      const ByteVector keys = random_bytes(key_bytes * batch.size());
      ASSERT_EQ(batch.plan(false, 32, false), 0U);
      gcm.run(batch, keys, key_bytes, num_shares);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const ByteVector associated = part(batch.associated, batch.associated_offsets[i],
                                           batch.associated_offsets[i + 1] - batch.associated_offsets[i]);
        const auto cipher = reference::make_cipher(name, part(keys, i * key_bytes, key_bytes));
        ByteVector sealed = part(batch.out, batch.out_offsets[i], batch.lengths[i]);
        const ByteVector tag = part(batch.tags, 16 * i, 16);
        sealed.insert(sealed.end(), tag.begin(), tag.end());
        EXPECT_EQ(sealed, reference::gcm_seal(*cipher, part(batch.nonces, 12 * i, 12), associated,
                                              part(batch.in, batch.in_offsets[i], batch.lengths[i])));
      }
      HostBatch opened = batch;
      opened.in = batch.out;
      opened.in_offsets = batch.out_offsets;
      opened.tags[16 * 5] ^= 1;
      ASSERT_EQ(opened.plan(true, 32, false), 0U);
      gcm.run(opened, keys, key_bytes, num_shares);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        EXPECT_EQ(opened.verdicts[i], i == 5 ? verdict_forged : verdict_authentic);
        EXPECT_EQ(part(opened.out, batch.out_offsets[i], batch.lengths[i]),
                  i == 5 ? ByteVector(batch.lengths[i]) : part(batch.in, batch.in_offsets[i], batch.lengths[i]));
      }
    }
  }

  // Opens what was sealed, two of its messages forged: their places get zeros, or in place nothing.
  template <class Core>
  void expect_opened(DeviceGcm<Core>& gcm, const HostBatch& sealed, std::uint64_t num_shares, bool in_place,
                     const ByteVector& before) {
    HostBatch batch = sealed;
    batch.tags[16 * 14 + 15] ^= 1;  // 4,096 bytes
    batch.tags[16 * 5] ^= 0x80;     // none
    if (!in_place) {
      batch.in_offsets = sealed.out_offsets;
      batch.in = sealed.out;
      batch.out = ByteVector(sealed.out.size(), 0xa5);
    }
    const ByteVector ciphertext = sealed.out;
    ByteVector expected = in_place ? before : batch.out;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto to = expected.begin() + static_cast<std::ptrdiff_t>(batch.out_offsets[i]);
      const bool forged = i == 5 || i == 14;
      const ByteVector text = forged && in_place ? part(ciphertext, batch.out_offsets[i], batch.lengths[i])
                              : forged           ? ByteVector(batch.lengths[i])
                              : in_place         ? part(before, batch.out_offsets[i], batch.lengths[i])
                                                 : part(sealed.in, sealed.in_offsets[i], batch.lengths[i]);
      std::copy(text.begin(), text.end(), to);
    }
    ASSERT_EQ(batch.plan(true, 32 * Core::blocks_per_thread, in_place), 0U);
    gcm.run(batch, num_shares);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(batch.verdicts[i], i == 5 || i == 14 ? verdict_forged : verdict_authentic) << i;
      EXPECT_EQ(batch.hashes[i], (std::array<std::uint32_t, 4>{})) << i;
    }
    EXPECT_TRUE(batch.out == expected);
  }
};

TEST_F(DeviceGcmSteps, AesEqualsTheReference) {
  expect_like_the_reference<GpuAes<10, LaneTables>>("aes-128", 16);
  expect_like_the_reference<GpuAes<14, HalfLaneTables>>("aes-256", 32);
}
TEST_F(DeviceGcmSteps, SerpentEqualsTheReference) { expect_like_the_reference<GpuSerpent<2>>("serpent-256", 32); }
TEST_F(DeviceGcmSteps, TwofishEqualsTheReference) {
  expect_like_the_reference<GpuTwofish<TwofishFourTables<LaneTables>>>("twofish-256", 32);
}

TEST_F(DeviceGcmSteps, KeysOfMessagesEqualTheReference) {
  expect_keyed_like_the_reference<GpuAesOfKeys<10>>("aes-128", 16);
  expect_keyed_like_the_reference<GpuAesOfKeys<14>>("aes-256", 32);
  expect_keyed_like_the_reference<GpuAesOfKeys<14, LaneTables>>("aes-256", 32);
  expect_keyed_like_the_reference<GpuSerpentOfKeys>("serpent-192", 24);
  expect_keyed_like_the_reference<GpuTwofishOfKeys>("twofish-256", 32);
}

// More messages than a group has, most of them empty: every unit is of the message whose it is.
TEST_F(DeviceGcmSteps, UnitsAreFoundAmongEmptyMessages) {
  std::vector<std::size_t> lengths(3000);
  for (const std::size_t full : {0, 1, 1023, 1024, 1500, 2047, 2999}) lengths[full] = 600 + full;
  HostBatch batch = make_batch(lengths);
  ASSERT_EQ(batch.plan(false, 32, false), 0U);
  for (const std::uint64_t num_shares : {1, 5, 1000}) {
    std::vector<std::uint64_t> seen(lengths.size());
    for (std::uint64_t share = 0; share < num_shares; ++share) {
      for_each_gcm_piece(GcmUnits{batch.job.crypt_starts, lengths.size()}, share, num_shares,
                         [&](std::uint64_t message, std::uint64_t first, std::uint64_t stop) {
                           EXPECT_EQ(seen[message], first);
                           seen[message] = stop;
                         });
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(seen[i], (lengths[i] + 511) / 512) << i;
  }
}

TEST_F(DeviceGcmSteps, PowersReachOverLongMessages) {
  const DeviceGcm<GpuAes<10, LaneTables>> gcm("aes-128", random_bytes(16));
  const GhashElement x{{1, 2, 3, 4}};
  const auto expect_equal = [](const GhashElement& a, const GhashElement& b, std::uint64_t steps) {
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(a.word[i], b.word[i]) << steps;
  };
  for (const std::uint64_t steps : {0, 1, 1023, 1024, 1025, 5000}) {
    expect_equal(gcm.key().move(x, steps), gcm.move_slowly(x, steps), steps);
  }
  const std::uint64_t most = std::uint64_t{1} << 28;  // 2^33 blocks
  expect_equal(gcm.key().move(gcm.key().move(x, most - 1), 1), gcm.key().move(x, most), most);
  expect_equal(gcm.key().move(gcm.key().move(x, 1 << 20), (1 << 20) - 1), gcm.key().move(x, (1 << 21) - 1), 1 << 21);
}

// Offsets that nobody has checked. Each changes a batch that fits.
TEST_F(DeviceGcmSteps, WhatDoesNotFitIsMisplaced) {
  const std::vector<std::size_t> lengths = {100, 0, 33, 4096, 16};
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::function<void(HostBatch&)>> changes = {
      [](HostBatch& b) { b.lengths[3] = b.out.size(); },
      [](HostBatch& b) { b.lengths[3] = huge; },
      [](HostBatch& b) { b.lengths[3] = huge - b.in_offsets[3] + 1; },  // ends at 0
      [](HostBatch& b) { b.in_offsets[1] = b.in.size() + 1; },
      [](HostBatch& b) { b.in_offsets[4] = huge - 7; },
      [](HostBatch& b) { b.in_offsets[4] = b.in.size() - 15; },
      [](HostBatch& b) { b.out_offsets[4] = b.out.size() - 15; },
      [](HostBatch& b) { b.out_offsets[4] = huge - 7; },
      [](HostBatch& b) {
        --b.out_offsets[3];
        b.out_offsets[2] = b.out_offsets[3] - 32;
      },  // reaches into the next
      [](HostBatch& b) { std::swap(b.out_offsets[0], b.out_offsets[2]); },
      [](HostBatch& b) { b.associated_offsets[2] = huge; },
      [](HostBatch& b) { b.associated_offsets[5] = b.associated.size() + 1; },
      [](HostBatch& b) { b.associated_offsets[0] = b.associated_offsets[1] + 1; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    HostBatch batch = make_batch(lengths);
    ASSERT_EQ(batch.plan(false, 32, false), 0U);
    changes[i](batch);
    EXPECT_NE(batch.plan(false, 32, false), 0U) << i;
    for (const DeviceBatchMessage& message : batch.messages) {
      EXPECT_TRUE(fits_gcm_arena(message.in, message.num_bytes, batch.in.size()) &&
                  fits_gcm_arena(message.out, message.num_bytes, batch.out.size()));
    }
  }
  HostBatch batch = make_batch(lengths);  // in place, read from one place and written to another
  batch.plan(false, 32, true);
  Numbers moved = batch.out_offsets;
  ++moved[4];
  DeviceBatchArrays arrays = batch.arrays;
  arrays.in_offsets = moved.data();
  DeviceBatchMessage message;
  EXPECT_TRUE(read_gcm_message(arrays, 3, message));
  EXPECT_FALSE(read_gcm_message(arrays, 4, message));
}

// Offsets of four bytes and one more than there are messages, as columns of strings have them.
TEST_F(DeviceGcmSteps, OffsetsOfColumnsAreRead) {
  const std::uint32_t offsets[] = {4, 4, 20, 100};
  ByteVector in(100), nonces = random_bytes(36), tags(48);
  DeviceBatchArrays arrays{};
  arrays.in = arrays.out = in.data();
  arrays.in_bytes = arrays.out_bytes = in.size();
  arrays.in_offsets = offsets;
  arrays.nonces = nonces.data();
  arrays.num_messages = 3;
  arrays.offset_bytes = 4;
  arrays.nonce_bytes = 12;
  const std::uint64_t sizes[] = {0, 16, 80};
  for (std::size_t i = 0; i < 3; ++i) {
    DeviceBatchMessage message;
    ASSERT_TRUE(read_gcm_message(arrays, i, message));
    EXPECT_EQ(message.in, offsets[i]);
    EXPECT_EQ(message.out, offsets[i]);
    EXPECT_EQ(message.num_bytes, sizes[i]);
  }
  arrays.in_bytes = arrays.out_bytes = 99;
  DeviceBatchMessage message;
  EXPECT_FALSE(read_gcm_message(arrays, 2, message));
}

// Tags that stand behind their texts, as those of chunks do: to seal and to open.
TEST_F(DeviceGcmSteps, TagsBehindTextsEqualTheReference) {
  const ByteVector key = random_bytes(16);
  const auto cipher = reference::make_cipher("aes-128", key);
  DeviceGcm<GpuAes<10, LaneTables>> gcm("aes-128", key);
  HostBatch batch = make_batch({100, 0, 4096, 17, 513});
  for (std::size_t i = 0; i < batch.size(); ++i) batch.out_offsets[i] += 16 * i;
  batch.out.resize(batch.out_offsets.back() + 513 + 16, 0xa5);
  batch.tag_place = TagPlace::behind_out;
  ASSERT_EQ(batch.plan(false, 32, false), 0U);
  gcm.run(batch, 3);
  EXPECT_EQ(batch.tags, ByteVector(batch.tags.size(), 0xa5));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const ByteVector associated =
        part(batch.associated, batch.associated_offsets[i], batch.associated_offsets[i + 1] - batch.associated_offsets[i]);
    EXPECT_EQ(part(batch.out, batch.out_offsets[i], batch.lengths[i] + 16),
              reference::gcm_seal(*cipher, part(batch.nonces, 12 * i, 12), associated,
                                  part(batch.in, batch.in_offsets[i], batch.lengths[i])));
  }
  HostBatch opened = batch;
  opened.in = batch.out;
  opened.in_offsets = batch.out_offsets;
  opened.in[opened.in_offsets[2] + 4096 + 15] ^= 1;
  opened.tag_place = TagPlace::behind_in;
  ASSERT_EQ(opened.plan(true, 32, false), 0U);
  gcm.run(opened, 3);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(opened.verdicts[i], i == 2 ? verdict_forged : verdict_authentic) << i;
  }
  opened.in.pop_back();  // of the last tag
  EXPECT_NE(opened.plan(true, 32, false), 0U);
  batch.out_offsets[3] = batch.out_offsets[2] + 4096 + 15;  // the last byte of a tag
  EXPECT_NE(batch.plan(false, 32, false), 0U);
}

// The key of a message, and the half of its nonce that GCM takes.
TEST_F(DeviceGcmSteps, XaesKeysEqualTheReference) {
  for (int round = 0; round < 64; ++round) {
    const ByteVector key = random_bytes(32), nonces = random_bytes(2 * reference::xaes_nonce_bytes);
    const reference::XaesDerivation wanted = reference::derive_xaes(key, part(nonces, 24, 24));
    const auto aes = reference::make_cipher("aes-256", key);
    ByteVector derived(32);
    GpuBlock128 inputs[2];
    make_xaes_inputs(load_block<4>(wanted.L.data(), 0, false), nonces.data() + 24, inputs);
    for (unsigned i = 0; i < 2; ++i) {
      store_block<4>(derived.data(), i, inputs[i], false);
      aes->encrypt_block(derived.data() + 16 * i, derived.data() + 16 * i);
    }
    EXPECT_TRUE(std::ranges::equal(derived, wanted.Kx));
    const std::uint64_t offsets[] = {0, 0, 0};
    DeviceBatchArrays arrays{};
    arrays.in_offsets = offsets;
    arrays.nonces = nonces.data();
    arrays.offset_bytes = 8;
    arrays.nonce_bytes = reference::xaes_nonce_bytes;
    DeviceBatchMessage message;
    ASSERT_TRUE(read_gcm_message(arrays, 1, message));
    EXPECT_EQ(message.nonce_high, load_big_endian(wanted.Nx.data(), 8));
    EXPECT_EQ(message.nonce_low, load_big_endian(wanted.Nx.data() + 8, 4));
  }
}

TEST_F(DeviceGcmSteps, ShortTagsCountTheirBytesAlone) {
  const GpuBlock128 tag{{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}};
  for (unsigned num_bytes = 12; num_bytes <= 16; ++num_bytes) {
    for (unsigned changed = 0; changed < 16; ++changed) {
      std::uint32_t given[4];
      std::memcpy(given, tag.word, 16);
      given[changed / 4] ^= std::uint32_t{1} << (changed % 4 * 8);
      EXPECT_EQ(is_gcm_tag(tag, given, num_bytes), changed >= num_bytes);
    }
    EXPECT_TRUE(is_gcm_tag(tag, tag.word, num_bytes));
  }
}

}  // namespace
}  // namespace phalanx

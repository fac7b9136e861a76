// Far into a message: counters that wrap at 2^64 and 2^128, offsets past 2^32, XTS tweaks there, and runs of sectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/bytes/byte_order.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/chaining.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

// CTR one block at a time, the counter added to byte by byte.
Buffer plain_counter_mode(const std::string& cipher_name, Bytes key, Buffer counter, std::uint64_t first_block, Bytes in) {
  const auto cipher = reference::make_cipher(cipher_name, key);
  const auto add = [&counter](std::uint64_t number) {
    unsigned carry = 0;
    for (std::size_t i = counter.size(); i-- != 0; number >>= 8) {
      const unsigned sum = counter[i] + static_cast<unsigned>(number & 0xff) + carry;
      counter[i] = static_cast<std::uint8_t>(sum);
      carry = sum >> 8;
    }
  };
  add(first_block);
  Buffer out(in.begin(), in.end());
  Buffer keystream(counter.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % counter.size() == 0) {
      cipher->encrypt_block(counter.data(), keystream.data());
      add(1);
    }
    out[i] ^= keystream[i % counter.size()];
  }
  return out;
}

class Positions : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(Positions);

// Ivs from which some later block wraps: the whole counter, its low half, its low 32 bits.
TEST_P(Positions, CountersWrapAtTheBlocksWidth) {
  Random random(30);
  for (const char* cipher_name : {"des", "des-ede3", "aes-128", "serpent-256", "twofish-192"}) {
    const CipherSpec& spec = *find_cipher(cipher_name);
    const Buffer key = random.bytes(spec.key_bytes);
    const Cipher cipher(std::string(cipher_name) + "-ctr", key, options(), with_legacy);
    const std::size_t lanes = lanes_of(spec);
    const Buffer in = random.bytes((2 * lanes + 5) * spec.block_bytes + 3);
    for (const std::size_t ones : {spec.block_bytes, std::size_t{8}, std::size_t{4}}) {
      for (const std::size_t before : {std::size_t{0}, std::size_t{1}, lanes / 2, lanes - 1, lanes, 2 * lanes + 2}) {
        Buffer iv(spec.block_bytes, 0x42);
        std::fill(iv.end() - static_cast<std::ptrdiff_t>(ones), iv.end(), std::uint8_t{0xff});
        iv[iv.size() - 1] = static_cast<std::uint8_t>(iv[iv.size() - 1] - before % 256);
        iv[iv.size() - 2] = static_cast<std::uint8_t>(iv[iv.size() - 2] - before / 256);
        ASSERT_EQ(crypt(cipher, Direction::encrypt, iv, in), plain_counter_mode(cipher_name, key, iv, 0, in))
            << cipher_name << ", " << ones << " bytes of ones, " << before << " blocks before the wrap";
      }
    }
  }
}

TEST_P(Positions, CounterOffsetsPast32Bits) {
  Random random(31);
  for (const char* cipher_name : {"des", "aes-256", "serpent-128", "twofish-256"}) {
    const CipherSpec& spec = *find_cipher(cipher_name);
    const Buffer key = random.bytes(spec.key_bytes);
    const Buffer iv = random.bytes(spec.block_bytes);
    const Cipher cipher(std::string(cipher_name) + "-ctr", key, options(), with_legacy);
    const Buffer in = random.bytes((lanes_of(spec) + 2) * spec.block_bytes);
    const std::uint64_t four_gib = std::uint64_t{1} << 32;
    for (const std::uint64_t offset :
         {four_gib - 2 * spec.block_bytes, four_gib, four_gib + spec.block_bytes, four_gib << 28}) {
      Buffer out(in.size());
      cipher.encrypt_part(iv, offset, in, out);
      ASSERT_EQ(out, plain_counter_mode(cipher_name, key, iv, offset / spec.block_bytes, in))
          << cipher_name << " at " << offset;
      Buffer shifted(in.size() - 5);  // and not at a block's start
      cipher.encrypt_part(iv, offset + 5, Bytes(in).subspan(5), shifted);
      ASSERT_TRUE(std::equal(shifted.begin(), shifted.end(), out.begin() + 5)) << cipher_name << " at " << offset + 5;
    }
  }
}

TEST_P(Positions, OffsetsPast32BitsInTheOtherModes) {
  Random random(32);
  const std::uint64_t offset = (std::uint64_t{1} << 32) + 16;
  for (const char* name : {"des-ede3-ecb", "aes-128-ecb"}) {
    const NamedCipher named = parse_cipher_name(name);
    const Cipher cipher(name, random.bytes(key_bytes(named)), options(), with_legacy);
    const Buffer in = random.bytes(4096);
    Buffer out(in.size());
    cipher.encrypt_part({}, offset, in, out);
    ASSERT_EQ(out, crypt(cipher, Direction::encrypt, {}, in)) << name;
  }
  for (const char* name : {"des-ede3-cbc", "serpent-256-cfb"}) {
    const NamedCipher named = parse_cipher_name(name);
    const Cipher cipher(name, random.bytes(key_bytes(named)), options(), with_legacy);
    const Buffer in = random.bytes(4096);
    const Buffer previous = random.bytes(named.cipher->block_bytes);
    Buffer out(in.size());
    cipher.decrypt_part(previous, offset, in, out);
    ASSERT_EQ(out, crypt(cipher, Direction::decrypt, previous, in)) << name;
  }
}

// The tweak of a block 4 GiB into the unit, doubled block by block.
TEST_P(Positions, TweaksPast32Bits) {
  Random random(33);
  const Buffer key = random.bytes(64);
  const Buffer tweak = random.bytes(16);
  const auto tweak_cipher = reference::make_cipher("aes-256", Bytes(key).subspan(32));
  const auto data_cipher = reference::make_cipher("aes-256", Bytes(key).first(32));
  Buffer first(16);
  tweak_cipher->encrypt_block(tweak.data(), first.data());
  std::uint64_t t[2] = {load_u64(first.data()), load_u64(first.data() + 8)};
  const auto times_alpha = [&t] {
    const std::uint64_t carry = t[1] >> 63;
    t[1] = t[1] << 1 | t[0] >> 63;
    t[0] = t[0] << 1 ^ (carry != 0 ? 0x87 : 0);
  };
  const std::uint64_t first_block = (std::uint64_t{1} << 28) + 1;
  for (std::uint64_t i = 0; i < first_block; ++i) times_alpha();
  const Buffer in = random.bytes(80);
  reference::XtsTweak far_tweak;
  for (std::size_t i = 0; i < 2; ++i) store_u64(far_tweak.data() + 8 * i, t[i]);
  const Buffer expected = reference::xts_from(*data_cipher, Direction::encrypt, far_tweak, in);
  const Cipher cipher("aes-256-xts", key, options(), with_legacy);
  Buffer out(in.size());
  KeyedMode::state_of(cipher).crypt_part(Direction::encrypt, tweak, first_block * 16, in, out);  // what no user may
  EXPECT_EQ(out, expected);
  cipher.decrypt_part(tweak, first_block * 16, out, out);
  EXPECT_EQ(out, in);
}

// Each sector is its own data unit; the last may be short, and steal.
TEST_P(Positions, SectorsAreDataUnits) {
  Random random(34);
  for (const char* name : {"aes-128-xts", "serpent-256-xts", "twofish-256-xts"}) {
    const Buffer key = random.bytes(key_bytes(parse_cipher_name(name)));
    const SectorCipher cipher(name, key, options(2), with_legacy);
    for (const std::size_t sector_bytes : {16, 512, 4096}) {
      for (const std::size_t rest : {std::size_t{0}, std::size_t{16}, std::size_t{23}}) {
        if (rest > sector_bytes || (rest == 23 && sector_bytes == 16)) continue;
        const std::uint64_t first_tweak = 0xfffffffe;  // carries into the upper half of the number
        const std::uint64_t step = sector_bytes / 16;
        const Buffer in = random.bytes(11 * sector_bytes + (rest == sector_bytes ? 0 : rest));
        Buffer expected;
        for (std::size_t place = 0; place < in.size(); place += sector_bytes) {
          std::uint64_t number = first_tweak + place / sector_bytes * step;
          Buffer tweak(16);
          for (std::size_t i = 0; i < 8; ++i, number >>= 8) tweak[i] = static_cast<std::uint8_t>(number);
          const Bytes sector = Bytes(in).subspan(place, std::min(sector_bytes, in.size() - place));
          const Buffer out = reference::crypt(name, Direction::encrypt, key, tweak, sector);
          expected.insert(expected.end(), out.begin(), out.end());
        }
        Buffer buffer = in;
        cipher.encrypt(first_tweak, step, sector_bytes, buffer, buffer);
        ASSERT_EQ(buffer, expected) << name << ", sectors of " << sector_bytes << ", the last " << rest;
        cipher.decrypt(first_tweak, step, sector_bytes, buffer, buffer);
        ASSERT_EQ(buffer, in) << name << ", sectors of " << sector_bytes;
      }
    }
  }
}

// More sectors than the library takes at once.
TEST_P(Positions, ManySectors) {
  Random random(35);
  const Buffer key = random.bytes(32);
  const SectorCipher cipher("aes-128-xts", key, options(), with_legacy);
  const Buffer in = random.bytes(9000 * 16);
  Buffer all(in.size());
  cipher.encrypt(7, 1, 16, in, all);
  Buffer later(100 * 16);
  cipher.encrypt(7 + 8850, 1, 16, Bytes(in).subspan(8850 * 16, later.size()), later);
  EXPECT_TRUE(std::equal(later.begin(), later.end(), all.begin() + 8850 * 16));
  cipher.decrypt(7, 1, 16, all, all);
  EXPECT_EQ(all, in);
}

TEST(Chaining, PowersOfAlphaAreRepeatedDoublings) {
  std::uint8_t once[16];
  std::uint8_t doubled[16];
  for (std::size_t i = 0; i < 16; ++i) once[i] = doubled[i] = static_cast<std::uint8_t>(200 + 37 * i);
  const FieldElement alpha = power_of_alpha(1);
  EXPECT_EQ(alpha.low, 2U);
  EXPECT_EQ(alpha.high, 0U);
  for (std::uint64_t n = 0; n < 600; ++n) {
    std::uint8_t jumped[16];
    std::memcpy(jumped, once, 16);
    multiply_tweak(jumped, power_of_alpha(n));
    ASSERT_EQ(std::memcmp(jumped, doubled, 16), 0) << n;
    multiply_tweak(doubled, alpha);
  }
}

}  // namespace
}  // namespace phalanx::test

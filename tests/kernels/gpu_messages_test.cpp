// A GPU's batches on the host: the steps of every mode over one message, the pieces of messages, and the cores for messages
// with a key each.
#include "engine/modes/gpu_messages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/ciphers/aes/gpu_aes.hpp"
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/device_batches/device_pieces.hpp"
#include "engine/modes/device_batches/messages_anywhere.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;
using reference::Bytes;

class GpuMessages : public testing::Test {
 protected:
  std::mt19937_64 random{58};

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  // In two pieces and in place: what one leaves as chaining state the next takes up.
  static ByteVector crypt_in_pieces(const reference::BlockCipher& cipher, Mode mode, Direction direction,
                                    const ByteVector& iv, const ByteVector& in, std::size_t first_blocks) {
    ByteVector out = in;
    const bool encrypts = direction == Direction::encrypt || mode == Mode::ctr || mode == Mode::cfb || mode == Mode::ofb;
    GpuMessageSteps steps{step_of(mode, direction), load_block<4>(iv.data(), 0, false), {}};
    const auto crypt = [&](GpuBlock128& x) { crypt_block(cipher, encrypts, x); };
    crypt_message(GpuMessage{out.data(), out.data(), first_blocks}, steps, crypt);
    std::uint8_t* const rest = out.data() + 16 * first_blocks;
    crypt_message(GpuMessage{rest, rest, in.size() / 16 - first_blocks}, steps, crypt);
    return out;
  }

  static void crypt_block(const reference::BlockCipher& cipher, bool encrypts, GpuBlock128& x) {
    std::uint8_t bytes[16];
    store_block<4>(bytes, 0, x, false);
    encrypts ? cipher.encrypt_block(bytes, bytes) : cipher.decrypt_block(bytes, bytes);
    x = load_block<4>(bytes, 0, false);
  }

  static void crypt_whole(const reference::BlockCipher& cipher, Mode mode, Direction direction, const ByteVector& iv,
                          const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
    const ModeStep step = step_of(mode, direction);
    GpuMessageSteps steps{step, load_block<4>(iv.data(), 0, false), {}};
    const auto crypt = [&](GpuBlock128& x) { crypt_block(cipher, step.cipher_direction == Direction::encrypt, x); };
    crypt_message_anywhere({in, out, size / 16}, size % 16, steps, crypt);
  }
};

TEST_F(GpuMessages, EveryModeEqualsTheReference) {
  const std::pair<const char*, Mode> modes[] = {{"ecb", Mode::ecb}, {"cbc", Mode::cbc}, {"ctr", Mode::ctr},
                                                {"cfb", Mode::cfb}, {"ofb", Mode::ofb}, {"xts", Mode::xts}};
  for (const auto& [name, mode] : modes) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (const std::size_t num_blocks : {1, 2, 7, 40}) {
        const ByteVector key = random_bytes(mode == Mode::xts ? 32 : 16);
        const auto cipher = reference::make_cipher("aes-128", Bytes(key).first(16));
        ByteVector iv = random_bytes(16);
        for (std::size_t i = 4; i < 16 && num_blocks == 40; ++i) iv[i] = 0xff;  // a counter that carries far
        const ByteVector in = random_bytes(16 * num_blocks);
        const ByteVector expected =
            reference::crypt(std::string("aes-128-") + name, direction, key, mode == Mode::ecb ? Bytes() : Bytes(iv), in);
        if (mode == Mode::xts) reference::make_cipher("aes-128", Bytes(key).last(16))->encrypt_block(iv.data(), iv.data());
        for (const std::size_t first_blocks : {std::size_t{0}, num_blocks / 2, num_blocks}) {
          EXPECT_EQ(crypt_in_pieces(*cipher, mode, direction, iv, in, first_blocks), expected)
              << name << ", direction " << static_cast<int>(direction) << ", " << first_blocks << " of " << num_blocks;
        }
      }
    }
  }
}

// Of any length and at any address, a short block or a stolen one at the end, in place and not.
TEST_F(GpuMessages, EndsEqualTheReference) {
  const std::pair<const char*, Mode> modes[] = {
      {"ctr", Mode::ctr}, {"cfb", Mode::cfb}, {"ofb", Mode::ofb}, {"xts", Mode::xts}};
  for (const auto& [name, mode] : modes) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (std::size_t size = 16; size < 80; ++size) {
        const ByteVector key = random_bytes(mode == Mode::xts ? 32 : 16);
        const auto cipher = reference::make_cipher("aes-128", Bytes(key).first(16));
        ByteVector iv = random_bytes(16);
        const ByteVector in = random_bytes(size);
        const ByteVector expected = reference::crypt(std::string("aes-128-") + name, direction, key, iv, in);
        if (mode == Mode::xts) reference::make_cipher("aes-128", Bytes(key).last(16))->encrypt_block(iv.data(), iv.data());
        for (const bool in_place : {false, true}) {
          ByteVector text(size + 1, 0xa5), out(size + 9, 0xa5);
          std::copy(in.begin(), in.end(), text.begin() + 1);
          if (in_place) std::copy(in.begin(), in.end(), out.begin() + 3);
          crypt_whole(*cipher, mode, direction, iv, in_place ? out.data() + 3 : text.data() + 1, out.data() + 3, size);
          EXPECT_EQ(ByteVector(out.begin() + 3, out.end() - 6), expected)
              << name << ", direction " << static_cast<int>(direction) << ", " << size << (in_place ? " in place" : "");
          EXPECT_EQ(out[2], 0xa5);
          EXPECT_EQ(out[size + 3], 0xa5);
        }
      }
    }
  }
}

// Batches of a bare cipher, cut into pieces as a GPU does it: each with the chaining state before it.
class DevicePieces : public GpuMessages {
 protected:
  static void set_powers(DevicePiecesJob& call) {
    for (unsigned k = 0; k < DevicePiecesJob::num_powers; ++k) {
      const FieldElement power = power_of_alpha(std::uint64_t{DevicePiecesJob::power_blocks} << k);
      std::memcpy(call.powers[k], &power, sizeof power);
    }
  }

  // One message, out of place, under AES-128: cut into pieces of four blocks, which are crypted in reverse.
  void expect_like_the_reference(const std::string& name, Mode mode, Direction direction, std::size_t size) {
    const ByteVector key = random_bytes(mode == Mode::xts ? 32 : 16), in = random_bytes(size);
    const auto cipher = reference::make_cipher("aes-128", Bytes(key).first(16));
    ByteVector iv = random_bytes(16), out(size, 0xa5);
    for (std::size_t i = 8; i < 16; ++i) iv[i] = 0xff;  // a counter that carries far
    const ByteVector expected =
        reference::crypt("aes-128-" + name, direction, key, mode == Mode::ecb ? Bytes() : Bytes(iv), in);

    const std::uint64_t offset = 0, length = size;
    DevicePiecesJob call{};
    DeviceBatchArrays& arrays = call.job.arrays;
    arrays.in = in.data();
    arrays.out = out.data();
    arrays.in_bytes = arrays.out_bytes = size;
    arrays.in_offsets = &offset;
    arrays.lengths = &length;
    arrays.nonces = iv.data();
    arrays.num_messages = 1;
    arrays.offset_bytes = 8;
    arrays.nonce_bytes = 16;
    arrays.steals = mode == Mode::xts;
    call.job.step_blocks = 4;
    call.mode = mode;
    call.direction = direction;
    call.block_bytes = 16;
    call.is_whole = !is_divisible(mode, direction);
    set_powers(call);
    std::uint32_t num_misplaced = 0;
    std::uint8_t verdict = 0xa5;
    DeviceBatchMessage message{};
    ASSERT_TRUE(read_gcm_message(arrays, 0, message));
    std::uint64_t start = 0, groups[2] = {0, gcm_crypt_units(message, 4, arrays.steals)};
    call.job.messages = &message;
    call.job.crypt_starts = {&start, groups};
    call.job.num_misplaced = &num_misplaced;
    call.job.verdicts = &verdict;
    ByteVector tweak(16);
    call.tweaks = tweak.data();
    judge_message(call, 0);
    EXPECT_EQ(verdict, verdict_authentic);
    if (mode == Mode::xts) reference::make_cipher("aes-128", Bytes(key).last(16))->encrypt_block(tweak.data(), tweak.data());
    call.num_pieces = call.is_whole ? 1 : size / 64 + 1;
    std::vector<GpuMessage> pieces(call.num_pieces);
    ByteVector ivs(16 * call.num_pieces);
    std::vector<std::uint64_t> owners(call.num_pieces);
    ByteVector rests(call.num_pieces);
    call.pieces = pieces.data();
    call.ivs = ivs.data();
    call.owners = owners.data();
    call.rests = rests.data();
    for (std::uint64_t i = 0; i < call.num_pieces; ++i) cut_piece(call, i);
    const ModeStep step = step_of(mode, direction);
    for (std::uint64_t i = call.num_pieces; i-- != 0;) {
      GpuMessageSteps steps{step, load_block<4>(ivs.data(), i, false), {}};
      crypt_message_anywhere(pieces[i], rests[i], steps, [&](GpuBlock128& x) {
        std::uint8_t bytes[16];
        store_block<4>(bytes, 0, x, false);
        step.cipher_direction == Direction::encrypt ? cipher->encrypt_block(bytes, bytes)
                                                    : cipher->decrypt_block(bytes, bytes);
        x = load_block<4>(bytes, 0, false);
      });
    }
    EXPECT_EQ(out, expected) << name << ' ' << size << ' ' << static_cast<int>(direction);

    num_misplaced = 1;
    judge_message(call, 0);
    EXPECT_EQ(verdict, verdict_misplaced);
    cut_piece(call, 0);
    EXPECT_EQ(pieces[0].num_blocks + rests[0], 0U);
  }
};

TEST_F(DevicePieces, EqualTheReference) {
  const std::pair<const char*, Mode> modes[] = {{"ecb", Mode::ecb}, {"cbc", Mode::cbc}, {"ctr", Mode::ctr},
                                                {"cfb", Mode::cfb}, {"ofb", Mode::ofb}, {"xts", Mode::xts}};
  for (const auto& [name, mode] : modes) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (std::size_t size = 16; size < 300; size += mode == Mode::ecb || mode == Mode::cbc ? 16 : 1) {
        expect_like_the_reference(name, mode, direction, size);
      }
    }
  }
}

TEST_F(DevicePieces, TweaksOfAnyBlock) {
  DevicePiecesJob call{};
  set_powers(call);
  for (const std::uint64_t block :
       {0ULL, 1ULL, 31ULL, 32ULL, 1023ULL, 1024ULL, 1'048'575ULL, 123'456'789'012ULL, (1ULL << 39) + 5}) {
    ByteVector tweak = random_bytes(16);
    const GpuBlock128 got = tweak_at(call, load_block<4>(tweak.data(), 0, false), block);
    multiply_tweak(tweak.data(), power_of_alpha(block));
    EXPECT_EQ(std::memcmp(got.word, tweak.data(), 16), 0) << block;
  }
}

template <class GpuCore, std::size_t bytes>
struct KeyedCase {
  using Core = GpuCore;
  static constexpr std::size_t key_bytes = bytes;
  static std::string cipher() {
    return (std::is_same_v<GpuCore, GpuTwofishOfKeys> ? "twofish-" : "aes-") + std::to_string(8 * bytes);
  }
};

template <class Case>
class KeyedCores : public GpuMessages {
 protected:
  using Core = typename Case::Core;
  static constexpr std::size_t num_messages = 5;

  template <Direction direction>
  void expect_blocks_as_the_reference() {
    ByteVector vectors(num_messages * Core::key_vectors * 16, 0xa5);
    std::vector<ByteVector> keys;
    for (std::size_t i = 0; i < num_messages; ++i) {
      keys.push_back(random_bytes(Case::key_bytes));
      Core::template expand_key<direction>(keys[i].data(), Case::key_bytes, GpuMessageKeys{vectors.data(), num_messages, i});
    }
    ByteVector shared(Core::shared_bytes, 0xa5);
    Core core;
    core.template prepare<direction>(shared.data());
    for (std::size_t i = 0; i < 4 * num_messages; ++i) {
      const ByteVector in = random_bytes(16);
      ByteVector out(16);
      ByteVector expected(16);
      const auto cipher = reference::make_cipher(Case::cipher(), keys[i % num_messages]);
      direction == Direction::encrypt ? cipher->encrypt_block(in.data(), expected.data())
                                      : cipher->decrypt_block(in.data(), expected.data());
      GpuBlock128 x = load_block<4>(in.data(), 0, false);
      core.template crypt<direction>(GpuMessageKeys{vectors.data(), num_messages, i % num_messages}, Case::key_bytes, x);
      store_block<4>(out.data(), 0, x, false);
      ASSERT_EQ(out, expected) << Case::cipher() << ", message " << i % num_messages;
    }
  }
};

using KeyedCases =
    testing::Types<KeyedCase<GpuAesOfKeys<10>, 16>, KeyedCase<GpuAesOfKeys<12>, 24>, KeyedCase<GpuAesOfKeys<14>, 32>,
                   KeyedCase<GpuTwofishOfKeys, 16>, KeyedCase<GpuTwofishOfKeys, 24>, KeyedCase<GpuTwofishOfKeys, 32>>;
TYPED_TEST_SUITE(KeyedCores, KeyedCases);

TYPED_TEST(KeyedCores, EqualTheReferenceUnderTheKeyOfEachStream) {
  this->template expect_blocks_as_the_reference<Direction::encrypt>();
  this->template expect_blocks_as_the_reference<Direction::decrypt>();
}

}  // namespace
}  // namespace phalanx

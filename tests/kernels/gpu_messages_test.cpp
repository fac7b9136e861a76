// A GPU's batches on the host: the steps of every mode over one message, and the cores for messages with a key each.
#include "modes/gpu_messages.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ciphers/aes/gpu_aes.hpp"
#include "ciphers/twofish/gpu_twofish.hpp"
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
    const auto crypt = [&](GpuBlock128& x) {
      std::uint8_t bytes[16];
      store_block<4>(bytes, 0, x, false);
      encrypts ? cipher.encrypt_block(bytes, bytes) : cipher.decrypt_block(bytes, bytes);
      x = load_block<4>(bytes, 0, false);
    };
    crypt_message({out.data(), out.data(), first_blocks}, steps, crypt);
    std::uint8_t* const rest = out.data() + 16 * first_blocks;
    crypt_message({rest, rest, in.size() / 16 - first_blocks}, steps, crypt);
    return out;
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

// The contract of a core (engine/ciphers/block_core.hpp) by a toy cipher: whatever a core's traits say, every mode, range, batch and
// message gives what the standards say of the cipher.
#include "toy_core.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "engine/engines/cpu/cpu_cipher.hpp"
#include "engine/engines/cpu/cpu_gcm.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "reference/plain_gcm.hpp"
#include "reference/plain_modes.hpp"
#include "reference/plain_xts.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;
constexpr std::size_t toy_key_bytes = 16;

class PlainToy final : public reference::BlockCipher {
 public:
  PlainToy(Bytes key, std::size_t block_bytes) : block_bytes_(block_bytes) { std::memcpy(key_, key.data(), toy_key_bytes); }
  [[nodiscard]] std::size_t block_bytes() const override { return block_bytes_; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override {
    toy_crypt_bytes<Direction::encrypt>(key_, in, out, block_bytes_);
  }
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override {
    toy_crypt_bytes<Direction::decrypt>(key_, in, out, block_bytes_);
  }

 private:
  std::uint64_t key_[2];
  std::size_t block_bytes_;
};

// Of a range, whose tweak comes encrypted.
class NoCipher final : public reference::BlockCipher {
 public:
  [[nodiscard]] std::size_t block_bytes() const override { return 16; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override { std::memmove(out, in, 16); }
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override { std::memmove(out, in, 16); }
};

ByteVector expected(const reference::BlockCipher& cipher, Mode mode, Direction direction, const ByteVector& iv,
                    const ByteVector& in) {
  switch (mode) {
    case Mode::ecb:
      return reference::ecb(cipher, direction, in);
    case Mode::cbc:
      return reference::cbc(cipher, direction, iv, in);
    case Mode::cfb:
      return reference::cfb(cipher, direction, iv, in);
    case Mode::ofb:
      return reference::ofb(cipher, iv, in);
    case Mode::ctr:
      return reference::ctr(cipher, iv, in);
    default:
      return in.empty() ? ByteVector{} : reference::xts(cipher, NoCipher(), direction, iv, in);
  }
}

// So many powers that a group's blocks are hashed beside its rounds.
using ToyGhash = Ghash<Block128, Block128, 20, GhashIntegers>;

struct ToyKernel {
  const char* name;
  const Kernel* kernel;
};

template <class Core>
const Kernel& kernel_of() {
  static const Kernel kernel = make_kernel<Core, ToyGhash>();
  return kernel;
}
// 64-bit blocks have no GCM.
template <class Core>
const Kernel& small_kernel_of() {
  static const Kernel kernel = make_kernel<Core>();
  return kernel;
}

constexpr ToyTraits plain_traits{};
constexpr ToyTraits last_first{.stores_last_first = true};
constexpr ToyTraits ahead{.lanes = 16, .serial_blocks = 3, .stores_last_first = true, .fetches = Fetches::ahead};
constexpr ToyTraits far_ahead{
    .lanes = 4, .key_lanes = 2, .sets_lanes = SetsLanes::by_direction, .fetches = Fetches::far_ahead};
constexpr ToyTraits beside{
    .key_lanes = 8, .sets_lanes = SetsLanes::never, .fetches = Fetches::far_ahead, .num_steps_beside = 9};
constexpr ToyTraits serial{.serial_blocks = 100, .serial_messages = 100};
constexpr ToyTraits small{.block_bytes = 8};
constexpr ToyTraits small_last_first{
    .block_bytes = 8, .key_lanes = 4, .sets_lanes = SetsLanes::never, .stores_last_first = true};

struct Narrow : ToyRangeCore<ToyTraits{.lanes = 2, .stores_last_first = true}> {};
struct Middle : ToyRangeCore<ToyTraits{.lanes = 4, .padded_blocks = 3}> {
  using Narrower = Narrow;
};
struct Wide : ToyCore<ToyTraits{.lanes = 16, .padded_blocks = 16, .key_lanes = 1, .stores_last_first = true}> {
  using Narrower = Middle;
};

const ToyKernel toy_kernels[] = {
    {"plain", &kernel_of<ToyCore<plain_traits>>()},
    {"last_first", &kernel_of<ToyCore<last_first>>()},
    {"ahead", &kernel_of<ToyCore<ahead>>()},
    {"far_ahead", &kernel_of<ToyCore<far_ahead>>()},
    {"beside", &kernel_of<ToyCore<beside>>()},
    {"serial", &kernel_of<ToyCore<serial>>()},
    {"narrower", &kernel_of<Wide>()},
    {"small", &small_kernel_of<ToyCore<small>>()},
    {"small_last_first", &small_kernel_of<ToyCore<small_last_first>>()},
};

class ToyCores : public testing::TestWithParam<ToyKernel> {
 protected:
  const Kernel& kernel = *GetParam().kernel;
  const std::size_t block_bytes = kernel.block_bytes;
  const CipherSpec spec{"toy", CipherFamily::aes, CipherKernel::aes_128, toy_key_bytes, block_bytes};
  std::mt19937_64 random{7};
  const ByteVector key = random_bytes(toy_key_bytes);
  const ByteVector iv = random_bytes(block_bytes);
  const PlainToy plain{key, block_bytes};

  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  [[nodiscard]] std::vector<Mode> modes() const {
    std::vector<Mode> all{Mode::ecb, Mode::cbc, Mode::ctr, Mode::cfb, Mode::ofb};
    if (block_bytes == 16) all.push_back(Mode::xts);
    return all;
  }
  void for_each_mode(const std::function<void(Mode, Direction)>& test) const {
    for (const Mode mode : modes()) {
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) +
                     (direction == Direction::encrypt ? " encrypts" : ""));
        test(mode, direction);
      }
    }
  }
};

TEST_P(ToyCores, CryptRangesOfEveryLength) {
  const CpuCipher cipher(spec, kernel, key, 1);
  for_each_mode([&](Mode mode, Direction direction) {
    for (std::size_t num_blocks = 0; num_blocks <= 3 * kernel.lanes + 2; ++num_blocks) {
      const ByteVector in = random_bytes(num_blocks * block_bytes);
      const ByteVector want = expected(plain, mode, direction, iv, in);
      ByteVector out(in.size(), 0xa5), in_place = in, state = iv;
      cipher.crypt_range(mode, direction, state.data(), in.data(), out.data(), num_blocks);
      ASSERT_EQ(out, want) << num_blocks << " blocks";
      state = iv;
      cipher.crypt_range(mode, direction, state.data(), in_place.data(), in_place.data(), num_blocks);
      ASSERT_EQ(in_place, want) << num_blocks << " blocks in place";
    }
  });
}

TEST_P(ToyCores, ChainThroughEverySplit) {
  const CpuCipher cipher(spec, kernel, key, 1);
  const std::size_t num_blocks = 2 * kernel.lanes + 3;
  const ByteVector in = random_bytes(num_blocks * block_bytes);
  for_each_mode([&](Mode mode, Direction direction) {
    const ByteVector want = expected(plain, mode, direction, iv, in);
    for (std::size_t first = 0; first <= num_blocks; ++first) {
      ByteVector out = in, state = iv;
      cipher.crypt_range(mode, direction, state.data(), out.data(), out.data(), first);
      std::uint8_t* const rest = out.data() + first * block_bytes;
      cipher.crypt_range(mode, direction, state.data(), rest, rest, num_blocks - first);
      ASSERT_EQ(out, want) << "cut at " << first;
    }
  });
}

// Every third message has a key of its own, or all have.
TEST_P(ToyCores, CryptBatches) {
  const CpuCipher cipher(spec, kernel, key, 1);
  const std::size_t num_messages = 2 * kernel.lanes + 3;
  for (const std::size_t keyed : {0, 1, 3}) {
    for_each_mode([&](Mode mode, Direction direction) {
      std::vector<ByteVector> keys, ivs, texts, wants;
      for (std::size_t i = 0; i < num_messages; ++i) {
        keys.push_back(keyed != 0 && i % keyed == 0 ? random_bytes(toy_key_bytes) : ByteVector{});
        ivs.push_back(random_bytes(block_bytes));
        texts.push_back(random_bytes(random() % 20 * block_bytes));
        const PlainToy own(keys[i].empty() ? key : keys[i], block_bytes);
        wants.push_back(expected(own, mode, direction, ivs[i], texts[i]));
      }
      std::vector<BlockMessage> messages;
      for (std::size_t i = 0; i < num_messages; ++i) {
        messages.push_back({keys[i], ivs[i].data(), texts[i].data(), texts[i].data(), texts[i].size() / block_bytes});
      }
      cipher.crypt_batch(mode, direction, messages);
      ASSERT_EQ(texts, wants) << "a key for each of " << keyed;
    });
  }
}

TEST_P(ToyCores, SealAndOpenGcm) {
  if (block_bytes != 16) GTEST_SKIP() << "GCM needs blocks of 16 bytes";
  const GhashKernel hash_kernel = make_ghash_kernel<ToyGhash>();  // CpuGcm refers to it
  const CpuGcm gcm(spec, kernel, hash_kernel, key, 1);
  const ByteVector nonce = random_bytes(12), associated = random_bytes(21);
  for (std::size_t size = 0; size <= 40 * kernel.lanes; size = size + 1 + size / 9) {
    const ByteVector in = random_bytes(size);
    ByteVector sealed = in, tag(16);
    AeadMessage message{{.nonce = nonce.data(),
                         .nonce_bytes = nonce.size(),
                         .associated_data = associated.data(),
                         .associated_bytes = associated.size(),
                         .in = in.data(),
                         .out = sealed.data(),
                         .num_bytes = size,
                         .tag = tag.data(),
                         .expected_tag = tag.data(),
                         .tag_bytes = tag.size()}};
    gcm.crypt(Direction::encrypt, {&message, 1}, Unverified::never_written);
    ByteVector both = sealed;
    both.insert(both.end(), tag.begin(), tag.end());
    ASSERT_EQ(both, reference::gcm_seal(plain, nonce, associated, in)) << size << " bytes";
    for (const Unverified unverified : {Unverified::never_written, Unverified::wiped}) {
      ByteVector opened = sealed;
      message.in = message.out = opened.data();
      gcm.crypt(Direction::decrypt, {&message, 1}, unverified);
      ASSERT_TRUE(message.is_authentic && opened == in) << size << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ToyCores, testing::ValuesIn(toy_kernels),
                         [](const testing::TestParamInfo<ToyKernel>& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace phalanx

// The reference against every other library that was found (bench/peers), on random keys, ivs, messages and lengths, for
// every cipher and mode that each of them has.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "bench/measuring/contender.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/mode_facts.hpp"
#include "reference/reference.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

constexpr int num_messages = 60;

using bench::Contender;

struct Case {
  const Contender* library;
  std::string full_name;
};

std::string mode_of(const std::string& full_name) { return full_name.substr(full_name.rfind('-') + 1); }

// One message as a library crypts it: the text, and the tag of GCM after it. Nothing if the library has no such cipher,
// mode, length or nonce.
std::optional<ByteVector> crypt_there(const Contender& library, const std::string& full_name, Direction direction,
                                      const ByteVector& key, const ByteVector& iv, const ByteVector& in,
                                      const ByteVector& associated_data = {}) {
  const std::size_t tag_bytes = mode_of(full_name) == "gcm" ? 16 : 0;
  ByteVector out(in.size() + tag_bytes);
  const bench::Task task{.cipher = parse_cipher_name(full_name),
                         .direction = direction,
                         .key_each = false,
                         .messages = {{.key = key,
                                       .iv = iv,
                                       .associated_data = associated_data,
                                       .in = in,
                                       .out = MutableBytes(out).first(in.size()),
                                       .tag = MutableBytes(out).last(tag_bytes)}}};
  const Run run = library.prepare(task);
  if (!run) return std::nullopt;
  run();
  return out;
}

class Random {
 public:
  explicit Random(const std::string& seed) {
    std::seed_seq sequence(seed.begin(), seed.end());
    engine_.seed(sequence);
  }

  std::size_t up_to(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit)(engine_); }

  ByteVector bytes(std::size_t count) {
    ByteVector result(count);
    for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(engine_());
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

std::size_t block_bytes(const std::string& cipher) { return cipher.find("des") == std::string::npos ? 16 : 8; }

// Mostly short messages, around a few blocks, and now and then some thousand bytes.
std::size_t random_length(Random& random, const std::string& mode, std::size_t block) {
  std::size_t length = random.up_to(random.up_to(7) == 0 ? 5000 : 100);
  if (mode == "ecb" || mode == "cbc") length -= length % block;
  if (mode == "xts") length += 16;
  return length;
}

// Every third counter stands just before it wraps round.
ByteVector random_iv(Random& random, const std::string& mode, std::size_t block) {
  if (mode == "ecb") return {};
  ByteVector iv = random.bytes(block);
  if (mode == "ctr" && random.up_to(2) == 0) {
    std::fill(iv.begin(), iv.end(), std::uint8_t{0xff});
    iv.back() = static_cast<std::uint8_t>(0xff - random.up_to(3));
  }
  return iv;
}

class OtherLibraries : public testing::TestWithParam<Case> {
 protected:
  void compare_messages() {
    const auto& [library, full_name] = GetParam();
    const std::string mode = mode_of(full_name);
    Random random(library->name() + full_name);
    const std::size_t block = block_bytes(full_name);
    for (int i = 0; i < num_messages; ++i) {
      SCOPED_TRACE("message " + std::to_string(i));
      const ByteVector key = random.bytes(reference::key_bytes(full_name));
      const ByteVector iv = random_iv(random, mode, block);
      const ByteVector in = random.bytes(random_length(random, mode, block));
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        const auto there = crypt_there(*library, full_name, direction, key, iv, in);
        if (!there) continue;
        ASSERT_EQ(to_hex(reference::crypt(full_name, direction, key, iv, in)), to_hex(*there));
        ++num_compared;
      }
    }
  }

  void compare_gcm() {
    const auto& [library, full_name] = GetParam();
    Random random(library->name() + full_name);
    for (int i = 0; i < num_messages; ++i) {
      SCOPED_TRACE("message " + std::to_string(i));
      const ByteVector key = random.bytes(reference::key_bytes(full_name));
      const ByteVector nonce = random.bytes(i % 2 == 0 ? 12 : 1 + random.up_to(70));
      const ByteVector associated_data = random.bytes(random.up_to(50));
      const ByteVector in = random.bytes(random_length(random, "gcm", 16));
      const auto cipher = reference::make_cipher(full_name.substr(0, full_name.rfind('-')), key);
      const ByteVector sealed = gcm_seal(*cipher, nonce, associated_data, in);
      ASSERT_EQ(gcm_open(*cipher, nonce, associated_data, sealed), in);
      const auto there = crypt_there(*library, full_name, Direction::encrypt, key, nonce, in, associated_data);
      if (!there) continue;
      ASSERT_EQ(to_hex(sealed), to_hex(*there));
      ++num_compared;
    }
  }

  int num_compared = 0;
};

TEST_P(OtherLibraries, Agree) {
  if (mode_of(GetParam().full_name) == "gcm") {
    compare_gcm();
  } else {
    compare_messages();
  }
  EXPECT_GT(num_compared, 0);
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const auto& library : bench::all_peers()) {
    for (const CipherSpec& cipher : all_ciphers()) {
      for (std::size_t mode = 0; mode < num_modes; ++mode) {
        if (!is_mode_of(cipher, static_cast<Mode>(mode))) continue;
        const std::string full_name = std::string(cipher.name) + "-" + std::string(mode_facts[mode].name);
        ByteVector key(reference::key_bytes(full_name));
        std::iota(key.begin(), key.end(), std::uint8_t{1});  // some refuse keys with equal halves
        const ByteVector iv(mode_of(full_name) == "ecb" ? 0 : mode_of(full_name) == "gcm" ? 12 : cipher.block_bytes);
        if (crypt_there(*library, full_name, Direction::encrypt, key, iv, ByteVector(16))) {
          cases.push_back({library.get(), full_name});
        }
      }
    }
  }
  return cases;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.library->name() + "_" + info.param.full_name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, OtherLibraries, testing::ValuesIn(every_case()), test_name);

// Single DES, wherever it is, gives double DES by two passes: E(K2, E(K1, P)).
TEST(DoubleDes, IsDesTwiceInEveryLibrary) {
  Random random("2des");
  for (const auto& library : bench::all_peers()) {
    if (!crypt_there(*library, "des-ecb", Direction::encrypt, ByteVector(8, 0x5a), {}, ByteVector(8))) continue;
    for (int i = 0; i < num_messages; ++i) {
      const ByteVector key = random.bytes(16);
      const ByteVector K1(key.begin(), key.begin() + 8), K2(key.begin() + 8, key.end());
      const ByteVector in = random.bytes(8 + 8 * random.up_to(20));
      const auto pass = [&](Direction direction, const ByteVector& K, const ByteVector& text) {
        return crypt_there(*library, "des-ecb", direction, K, {}, text).value();
      };
      ASSERT_EQ(to_hex(reference::crypt("2des-ecb", Direction::encrypt, key, {}, in)),
                to_hex(pass(Direction::encrypt, K2, pass(Direction::encrypt, K1, in))));
      ASSERT_EQ(to_hex(reference::crypt("2des-ecb", Direction::decrypt, key, {}, in)),
                to_hex(pass(Direction::decrypt, K1, pass(Direction::decrypt, K2, in))));
    }
  }
}

}  // namespace
}  // namespace phalanx::test

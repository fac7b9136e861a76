// The reference against libgcrypt, nettle and OpenSSL's libcrypto on random keys, ivs, messages and lengths, for every cipher
// and mode that each of them has.
#include <gtest/gtest.h>

#include <random>

#include "other_library.hpp"
#include "reference/reference.hpp"

namespace phalanx::test {
namespace {

constexpr int num_messages = 60;

struct Case {
  std::string library_name;
  const OtherLibrary* library;
  std::string full_name;
};

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
    const auto& [library_name, library, full_name] = GetParam();
    const auto [cipher, mode] = split_name(full_name);
    Random random(library_name + full_name);
    for (int i = 0; i < num_messages; ++i) {
      SCOPED_TRACE("message " + std::to_string(i));
      const ByteVector key = random.bytes(reference::key_bytes(full_name));
      const ByteVector iv = random_iv(random, mode, block_bytes(cipher));
      const ByteVector in = random.bytes(random_length(random, mode, block_bytes(cipher)));
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        ASSERT_EQ(to_hex(reference::crypt(full_name, direction, key, iv, in)),
                  to_hex(library->crypt(full_name, direction, key, iv, in)));
      }
    }
  }

  void compare_gcm() {
    const auto& [library_name, library, full_name] = GetParam();
    Random random(library_name + full_name);
    for (int i = 0; i < num_messages; ++i) {
      SCOPED_TRACE("message " + std::to_string(i));
      const ByteVector key = random.bytes(reference::key_bytes(full_name));
      const ByteVector nonce = random.bytes(i % 2 == 0 ? 12 : 1 + random.up_to(70));
      const ByteVector associated_data = random.bytes(random.up_to(50));
      const ByteVector in = random.bytes(random_length(random, "gcm", 16));
      const auto cipher = reference::make_cipher(split_name(full_name).cipher, key);
      const ByteVector sealed = gcm_seal(*cipher, nonce, associated_data, in);
      ASSERT_EQ(to_hex(sealed), to_hex(library->seal(full_name, key, nonce, associated_data, in)));
      ASSERT_EQ(gcm_open(*cipher, nonce, associated_data, sealed), in);
    }
  }
};

TEST_P(OtherLibraries, Agree) {
  if (split_name(GetParam().full_name).mode == "gcm") {
    compare_gcm();
  } else {
    compare_messages();
  }
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  const auto add = [&cases](const std::string& library_name, const OtherLibrary& library) {
    for (const std::string& full_name : library.names()) cases.push_back({library_name, &library, full_name});
  };
  add("libgcrypt", libgcrypt());
  add("nettle", nettle());
  add("openssl", openssl());
  return cases;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.library_name + "_" + info.param.full_name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, OtherLibraries, testing::ValuesIn(every_case()), test_name);

// Each library, as a source of single DES, gives double DES by two passes: E(K2, E(K1, P)).
TEST(DoubleDes, IsDesTwiceInEveryLibrary) {
  Random random("2des");
  for (const OtherLibrary* library : {&libgcrypt(), &nettle(), &openssl()}) {
    for (int i = 0; i < num_messages; ++i) {
      const ByteVector key = random.bytes(16);
      const ByteVector K1(key.begin(), key.begin() + 8), K2(key.begin() + 8, key.end());
      const ByteVector in = random.bytes(8 * random.up_to(20));
      const auto pass = [&](Direction direction, const ByteVector& K, const ByteVector& text) {
        return library->crypt("des-ecb", direction, K, {}, text);
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

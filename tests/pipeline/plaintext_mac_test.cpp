// The value by which two readings are compared: the same however they are cut, and another for every other plaintext.
#include "files/pipeline/plaintext_mac.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace phalanx {
namespace {

using Plaintext = std::vector<std::uint8_t>;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Plaintext make_plaintext(std::size_t size) {
  Plaintext plain(size);
  for (std::size_t i = 0; i < size; ++i) plain[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
  return plain;
}

// In pieces of part_bytes, the last first.
std::string mac_of(const PlaintextMacKey& key, Bytes plain, std::size_t part_bytes) {
  PlaintextMac mac(key);
  for (std::size_t number = plain.size() / part_bytes + 1; number-- > 0;) {
    const std::size_t begin = number * part_bytes;
    mac.add(begin, plain.subspan(begin, std::min(part_bytes, plain.size() - begin)));
  }
  EXPECT_EQ(mac.num_bytes(), plain.size());
  return mac.finish();
}

TEST(PlaintextMac, IsTheSameHoweverThePlaintextIsCut) {
  const PlaintextMacKey key;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 77}) {
    const Plaintext plain = make_plaintext(size);
    PlaintextMac whole(key);
    whole.add(0, plain);
    for (const std::size_t part : {mebibyte, 2 * mebibyte, 5 * mebibyte}) {
      EXPECT_EQ(mac_of(key, plain, part), whole.finish()) << size << " in parts of " << part;
    }
  }
}

TEST(PlaintextMac, TakesPartsOnAnyThread) {
  const PlaintextMacKey key;
  const Plaintext plain = make_plaintext(8 * mebibyte + 3);
  PlaintextMac mac(key);
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 3; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t leaf = first; leaf <= 8; leaf += 3) {
        mac.add(leaf * mebibyte, Bytes(plain).subspan(leaf * mebibyte, std::min(mebibyte, plain.size() - leaf * mebibyte)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mac.finish(), mac_of(key, plain, mebibyte));
}

TEST(PlaintextMac, IsAnotherForEveryChangeAndEveryLength) {
  const PlaintextMacKey key;
  const Plaintext plain = make_plaintext(2 * mebibyte + 100);
  std::set<std::string> all{mac_of(key, plain, mebibyte)};
  for (const std::size_t place : {std::size_t{0}, std::size_t{15}, mebibyte - 1, mebibyte, 2 * mebibyte + 99}) {
    Plaintext changed = plain;
    changed[place] ^= 1;
    EXPECT_TRUE(all.insert(mac_of(key, changed, mebibyte)).second) << place;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, mebibyte, 2 * mebibyte, 2 * mebibyte + 99}) {
    EXPECT_TRUE(all.insert(mac_of(key, Bytes(plain).first(size), mebibyte)).second) << size;
  }
  Plaintext swapped(plain.begin() + mebibyte, plain.begin() + 2 * mebibyte);
  swapped.insert(swapped.end(), plain.begin(), plain.begin() + mebibyte);
  swapped.insert(swapped.end(), plain.begin() + 2 * mebibyte, plain.end());
  EXPECT_TRUE(all.insert(mac_of(key, swapped, mebibyte)).second);
}

TEST(PlaintextMac, ZerosOfDifferentLengthsDiffer) {
  const PlaintextMacKey key;
  std::set<std::string> all;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16}, mebibyte - 1, mebibyte, mebibyte + 1}) {
    EXPECT_TRUE(all.insert(mac_of(key, Plaintext(size), mebibyte)).second) << size;
  }
}

TEST(PlaintextMac, IsAnotherUnderAnotherKey) {
  const PlaintextMacKey one, other;
  const Plaintext plain = make_plaintext(100);
  EXPECT_NE(mac_of(one, plain, 100), mac_of(other, plain, 100));
}

}  // namespace
}  // namespace phalanx

// One message against the reference: every cipher and mode, the lengths at which kernels change their path, in place,
// misaligned.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

class OneMessage : public OnEveryEngine {
 protected:
  // 0, 1, a block and its neighbours, and the boundaries of one and two groups of lanes with theirs.
  [[nodiscard]] static std::set<std::size_t> lengths_of(const NamedCipher& named) {
    const std::size_t block = named.cipher->block_bytes;
    const std::size_t group = lanes_of(*named.cipher) * block;
    std::set<std::size_t> lengths{0, 1, block - 1, block, block + 1, 2 * block, 3 * block, 4 * block + 1, group / 2};
    for (const std::size_t boundary : {group, 2 * group}) {
      for (const std::size_t length : {boundary - block, boundary - 1, boundary, boundary + 1, boundary + block}) {
        lengths.insert(length);
      }
    }
    std::erase_if(lengths, [&](std::size_t length) {
      return (takes_whole_blocks(named.mode) && length % block != 0) || (named.mode == Mode::xts && length < block);
    });
    return lengths;
  }

  // The reference's ciphertext of the first `length` bytes. In all modes but XTS it is the start of a longer message's.
  struct Expected {
    std::string name;
    Buffer key, iv, plaintext, ciphertext;

    [[nodiscard]] Buffer of(std::size_t length) const {
      const Bytes start = Bytes(plaintext).first(length);
      if (name.ends_with("xts")) return reference::crypt(name, Direction::encrypt, key, iv, start);
      return {ciphertext.begin(), ciphertext.begin() + static_cast<std::ptrdiff_t>(length)};
    }
  };

  static Expected expect(const NamedCipher& named, std::size_t longest, std::uint64_t seed) {
    Random random(seed);
    Expected e{full_name(named), random.bytes(key_bytes(named)), random.bytes(iv_bytes(named)), random.bytes(longest), {}};
    if (named.mode != Mode::xts) e.ciphertext = reference::crypt(e.name, Direction::encrypt, e.key, e.iv, e.plaintext);
    return e;
  }
};
PHALANX_ON_EVERY_ENGINE(OneMessage);

TEST_P(OneMessage, IsTheReferencesAtEveryLength) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    const std::set<std::size_t> lengths = lengths_of(named);
    const Expected expected = expect(named, *lengths.rbegin(), 1);
    const Cipher cipher(expected.name, expected.key, options(), with_legacy);
    for (const std::size_t length : lengths) {
      const Buffer plaintext(expected.plaintext.begin(), expected.plaintext.begin() + static_cast<std::ptrdiff_t>(length));
      const Buffer ciphertext = expected.of(length);
      ASSERT_EQ(crypt(cipher, Direction::encrypt, expected.iv, plaintext), ciphertext) << expected.name << " of " << length;
      ASSERT_EQ(crypt(cipher, Direction::decrypt, expected.iv, ciphertext), plaintext) << expected.name << " of " << length;
    }
  }
}

TEST_P(OneMessage, MayBeAnywhereAndInPlace) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    const std::size_t block = named.cipher->block_bytes;
    const std::size_t length = (lanes_of(*named.cipher) + 3) * block + (takes_whole_blocks(named.mode) ? 0 : 5);
    const Expected expected = expect(named, length, 2);
    const Cipher cipher(expected.name, expected.key, options(), with_legacy);
    const Buffer ciphertext = expected.of(length);
    for (const std::size_t shift : {0, 1, 7, 63}) {
      Buffer memory(length + 64, 0x5a);
      const MutableBytes place = MutableBytes(memory).subspan(shift, length);
      std::copy(expected.plaintext.begin(), expected.plaintext.end(), place.begin());
      cipher.encrypt(expected.iv, place, place);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), ciphertext.begin())) << expected.name << " shifted by " << shift;
      cipher.decrypt(expected.iv, place, place);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), expected.plaintext.begin())) << expected.name;
      std::fill(place.begin(), place.end(), 0x5a);
      ASSERT_EQ(memory, Buffer(length + 64, 0x5a)) << expected.name << " wrote beside the message";

      Buffer out(length + 64, 0x5a);  // out of place, the two differently aligned
      cipher.encrypt(expected.iv, Bytes(expected.plaintext), MutableBytes(out).subspan(shift, length));
      ASSERT_TRUE(std::equal(ciphertext.begin(), ciphertext.end(), out.begin() + static_cast<std::ptrdiff_t>(shift)));
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(shift), length, 0x5a);
      ASSERT_EQ(out, Buffer(length + 64, 0x5a)) << expected.name << " wrote beside the output";
    }
  }
}

TEST_P(OneMessage, OfRandomKeysAndLengths) {
  Random random(3);
  for (const NamedCipher& named : all_names_but_gcm()) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::size_t block = named.cipher->block_bytes;
      std::size_t length = block + random.below(40 * block);
      if (takes_whole_blocks(named.mode)) length -= length % block;
      const std::string name = full_name(named);
      const Buffer key = random.bytes(key_bytes(named));
      const Buffer iv = random.bytes(iv_bytes(named));
      const Buffer in = random.bytes(length);
      const Cipher cipher(name, key, options(), with_legacy);
      for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        ASSERT_EQ(crypt(cipher, direction, iv, in), reference::crypt(name, direction, key, iv, in))
            << name << " of " << length;
      }
    }
  }
}

}  // namespace
}  // namespace phalanx::test

// One message of GCM in parts, on every engine: in any order and by any cut it is what a whole message is.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "engine/engines/composed_gcm.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/xaes.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

struct Message {
  Buffer nonce, associated_data, text, tag = Buffer(16);
};

// Crypts the message in parts of so many bytes, the last part first, and returns what a whole message would be.
Message in_parts(const ComposedGcm& gcm, Direction direction, const Message& message, std::size_t part_bytes) {
  Message made = message;
  Buffer first_counter(16), y(16);
  gcm.write_first_counter_of(message.nonce, first_counter.data());
  const std::size_t size = message.text.size(), num_parts = size / part_bytes + 1;
  std::vector<Buffer> hashes(num_parts, Buffer(16));
  const auto bytes_of = [&](std::size_t part) { return std::min(part_bytes, size - part * part_bytes); };
  for (std::size_t part = num_parts; part-- != 0;) {
    std::uint8_t* const text = made.text.data() + part * part_bytes;
    const GcmPart given{first_counter.data(), message.nonce.size(), part * part_bytes, text, text, bytes_of(part)};
    gcm.crypt_part(direction, given, hashes[part].data());
  }
  gcm.hash_padded(y.data(), message.associated_data);
  for (std::size_t part = 0; part < num_parts; ++part)
    gcm.join_hashes(y.data(), hashes[part].data(), (bytes_of(part) + 15) / 16);
  gcm.write_tag(first_counter.data(), message.associated_data.size(), size, y.data(), made.tag.data());
  return made;
}

Message sealed_whole(const Aead& aead, const Message& message) {
  Message sealed = message;
  aead.seal(message.nonce, message.associated_data, message.text, sealed.text, sealed.tag);
  return sealed;
}

class GcmInParts : public OnEveryEngine {
 protected:
  void expect_same(const ComposedGcm& gcm, const Message& plain, const Message& sealed, std::size_t part_bytes) {
    const Message made = in_parts(gcm, Direction::encrypt, plain, part_bytes);
    ASSERT_EQ(made.text, sealed.text) << sealed.text.size() << " in parts of " << part_bytes;
    ASSERT_EQ(made.tag, sealed.tag) << sealed.text.size() << " in parts of " << part_bytes;
    const Message opened = in_parts(gcm, Direction::decrypt, sealed, part_bytes);
    ASSERT_EQ(opened.text, plain.text) << sealed.text.size() << " in parts of " << part_bytes;
    ASSERT_EQ(opened.tag, sealed.tag) << sealed.text.size() << " in parts of " << part_bytes;
  }
};
PHALANX_ON_EVERY_ENGINE(GcmInParts);

TEST_P(GcmInParts, AreAWholeMessage) {
  Random random(31);
  for (const char* name : {"aes-128-gcm", "aes-256-gcm", "serpent-256-gcm", "twofish-192-gcm"}) {
    const NamedCipher named = parse_cipher_name(name);
    const Buffer key = random.bytes(key_bytes(named));
    const Aead whole(name, key, options(1), with_any_nonce);
    const std::unique_ptr<KeyedAead> keyed = find_engine(engine()).set_aead_key(named, key, 1);
    for (const std::size_t nonce_bytes : {12, 1, 16, 40}) {
      for (const std::size_t size : {0, 1, 15, 16, 17, 255, 256, 4096, 5000, 20'000}) {
        const Message plain{random.bytes(nonce_bytes), random.bytes(size % 50), random.bytes(size)};
        const Message sealed = sealed_whole(whole, plain);
        for (const std::size_t part_bytes : {16, 256, 4096, 32'768}) {
          if (size / part_bytes < 100) expect_same(*keyed->in_parts(), plain, sealed, part_bytes);
        }
      }
    }
  }
}

// So large that threads and GPUs share them.
TEST_P(GcmInParts, OfManyBytesAreAWholeMessage) {
  if (is_slow()) GTEST_SKIP() << "the emulation is slow";
  Random random(32);
  const Buffer key = random.bytes(32);
  const Aead whole("aes-256-gcm", key, options());
  const std::unique_ptr<KeyedAead> keyed = find_engine(engine()).set_aead_key(parse_cipher_name("aes-256-gcm"), key, 0);
  const Message plain{random.bytes(12), random.bytes(20), random.bytes((std::size_t{5} << 20) + 77)};
  const Message sealed = sealed_whole(whole, plain);
  for (const std::size_t part_bytes : {std::size_t{1} << 20, std::size_t{2} << 20, std::size_t{8} << 20}) {
    expect_same(*keyed->in_parts(), plain, sealed, part_bytes);
  }
}

// The last 32 bits of a counter that is hashed from a nonce may wrap anywhere, and the others stay.
TEST_P(GcmInParts, CountersWrapAsInAWholeMessage) {
  Random random(33);
  const Buffer key = random.bytes(32);
  const NamedCipher named = parse_cipher_name("aes-256-gcm");
  const std::unique_ptr<KeyedAead> keyed = find_engine(engine()).set_aead_key(named, key, 1);
  const ComposedGcm& gcm = *keyed->in_parts();
  Buffer first_counter = random.bytes(16), one_part = random.bytes(16 * 40), y(16), part_y(16);
  std::fill(first_counter.begin() + 12, first_counter.end(), std::uint8_t{0xff});
  first_counter[15] = 0xf0;
  Buffer parts = one_part;
  gcm.crypt_part(Direction::encrypt, {first_counter.data(), 16, 0, one_part.data(), one_part.data(), one_part.size()},
                 y.data());
  for (std::size_t offset = 0; offset < parts.size(); offset += 80) {
    std::uint8_t* const text = parts.data() + offset;
    gcm.crypt_part(Direction::encrypt, {first_counter.data(), 16, offset, text, text, 80}, part_y.data());
  }
  EXPECT_EQ(parts, one_part);
  const Cipher ecb("aes-256-ecb", key, options(1), with_legacy);
  Buffer counter = first_counter, keystream(16), plain(16);
  std::fill(counter.begin() + 12, counter.end(), std::uint8_t{0});  // 16 blocks on
  ecb.encrypt({}, counter, keystream);
  gcm.crypt_part(Direction::decrypt, {first_counter.data(), 16, 15 * 16, plain.data(), plain.data(), 16}, part_y.data());
  EXPECT_EQ(plain, keystream);
}

TEST_P(GcmInParts, XaesHasAKeyForTheMessage) {
  Random random(34);
  const Buffer key = random.bytes(32), nonce = random.bytes(24);
  const Aead whole("xaes-256-gcm", key, options(1));
  const Message plain{nonce, random.bytes(9), random.bytes(1000)};
  const Message sealed = sealed_whole(whole, plain);
  const std::unique_ptr<KeyedAead> keyed = set_xaes_message_key(find_engine(engine()), key, nonce, 1);
  Message own = plain;
  own.nonce.erase(own.nonce.begin(), own.nonce.begin() + 12);
  const Message made = in_parts(*keyed->in_parts(), Direction::encrypt, own, 256);
  EXPECT_EQ(made.text, sealed.text);
  EXPECT_EQ(made.tag, sealed.tag);
  EXPECT_THROW(static_cast<void>(set_xaes_message_key(find_engine(engine()), key, random.bytes(12), 1)), Error);
  EXPECT_EQ(set_xaes_key(find_engine(engine()), key, 1)->in_parts(), nullptr);
}

}  // namespace
}  // namespace phalanx::test

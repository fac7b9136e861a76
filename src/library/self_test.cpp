#include <algorithm>
#include <phalanx/phalanx.hpp>

#include "library/keyed_mode.hpp"
#include "library/known_answers.hpp"
#include "modes/mode_facts.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

struct SelfTest {
  const Cipher& cipher;
  ByteVector key;
  ByteVector iv;
  ByteVector message;

  [[noreturn]] void fail(const char* what) const {
    throw Error(ErrorCode::runtime, "self-test failed: " + cipher.name() + " on " + cipher.engine() + ", " + what +
                                        ": do not use this engine, and report it");
  }

  /// GCM: the tag follows the ciphertext.
  [[nodiscard]] ByteVector encrypt() const {
    ByteVector out(message.size());
    if (!cipher.name().ends_with("gcm")) {
      cipher.encrypt(iv, message, out);
      return out;
    }
    ByteVector tag(16);
    cipher.seal(iv, {}, message, out, tag);
    out.insert(out.end(), tag.begin(), tag.end());
    return out;
  }

  [[nodiscard]] ByteVector decrypt(const ByteVector& ciphertext) const {
    ByteVector out(message.size());
    const Bytes text = Bytes(ciphertext).first(message.size());
    if (cipher.name().ends_with("gcm")) {
      cipher.open(iv, {}, text, out, Bytes(ciphertext).last(16));
    } else {
      cipher.decrypt(iv, text, out);
    }
    return out;
  }

  /// Every message of the batch is the start of the message above.
  void batch(const ByteVector& ciphertext, bool own_keys) const {
    constexpr std::size_t num_messages = 20;
    constexpr std::size_t size = 48;
    ByteVector out(num_messages * size);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < num_messages; ++i) {
      messages.push_back(
          {iv, Bytes(message).first(size), MutableBytes(out).subspan(i * size, size), own_keys ? key : Bytes{}});
    }
    cipher.encrypt_batch(messages);
    for (const Message& m : messages) {
      if (!std::equal(m.out.begin(), m.out.end(), ciphertext.begin()))
        fail(own_keys ? "a batch with its own keys" : "a batch");
    }
    for (Message& m : messages) m.in = m.out;
    cipher.decrypt_batch(messages);
    for (const Message& m : messages) {
      if (!std::equal(m.out.begin(), m.out.end(), message.begin())) fail("the decryption of a batch");
    }
  }
};

void check(const KnownAnswer& answer, std::string_view engine_name) {
  const NamedCipher named = parse_cipher_name(answer.name);
  const ByteVector key = known_answer_key(key_bytes(named));
  const Cipher cipher(answer.name, key, {std::string(engine_name), 1});
  const bool whole_blocks = facts_of(named.mode).length == MessageLength::whole_blocks;
  const SelfTest test{cipher, key, known_answer_iv(cipher.iv_bytes()), known_answer_message(whole_blocks)};
  const ByteVector ciphertext = test.encrypt();
  if (fingerprint_of(ciphertext) != answer.fingerprint) test.fail("encryption");
  if (test.decrypt(ciphertext) != test.message) test.fail("decryption");
  if (named.mode == Mode::gcm) return;
  test.batch(ciphertext, false);
  test.batch(ciphertext, true);
}

}  // namespace

void self_test(std::string_view engine_name) {
  for (const KnownAnswer& answer : known_answers()) check(answer, engine_name);
}

}  // namespace phalanx

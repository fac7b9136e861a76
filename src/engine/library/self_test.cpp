#include <algorithm>
#include <phalanx/aead.hpp>
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>

#include "engine/library/known_answers.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;

[[noreturn]] void fail(const CipherFacts& facts, const std::string& engine, const char* what) {
  throw Error(ErrorCode::runtime,
              "self-test failed: " + facts.name + " on " + engine + ", " + what + ": do not use this engine, and report it");
}

// GCM and XAES-256-GCM: the tag follows the ciphertext.
void check_aead(const KnownAnswer& answer, const EngineOptions& options) {
  const CipherFacts& facts = cipher_facts(answer.name);
  const Aead aead(answer.name, known_answer_key(facts.key_bytes), options);
  const ByteVector nonce = known_answer_iv(facts.iv_bytes);
  const ByteVector message = known_answer_message(false);
  ByteVector sealed(message.size() + facts.tag_bytes);
  const MutableBytes text = MutableBytes(sealed).first(message.size());
  const MutableBytes tag = MutableBytes(sealed).last(facts.tag_bytes);
  aead.seal(nonce, {}, message, text, tag);
  if (fingerprint_of(sealed) != answer.fingerprint) fail(facts, aead.engine(), "sealing");
  ByteVector opened(message.size());
  std::vector<MessageToOpen> batch(2, MessageToOpen{nonce, {}, text, opened, tag, {}});
  if (!aead.open_batch({batch.data(), 1}) || opened != message) fail(facts, aead.engine(), "opening");
  tag[0] ^= 1;
  if (aead.open_batch(batch)) fail(facts, aead.engine(), "a wrong tag");
}

struct SelfTest {
  const Cipher& cipher;
  ByteVector key;
  ByteVector iv;
  ByteVector message;

  [[noreturn]] void fail(const char* what) const { phalanx::fail(cipher.facts(), cipher.engine(), what); }

  [[nodiscard]] ByteVector encrypt() const {
    ByteVector out(message.size());
    cipher.encrypt(iv, message, out);
    return out;
  }

  [[nodiscard]] ByteVector decrypt(const ByteVector& ciphertext) const {
    ByteVector out(message.size());
    cipher.decrypt(iv, ciphertext, out);
    return out;
  }

  // Every message of the batch is the start of the message above.
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

void check(const KnownAnswer& answer, const EngineOptions& options) {
  if (cipher_facts(answer.name).tag_bytes != 0) return check_aead(answer, options);
  const NamedCipher named = parse_cipher_name(answer.name);
  const ByteVector key = known_answer_key(key_bytes(named));
  const Cipher cipher(answer.name, key, options, {.allow_legacy = true});
  const bool whole_blocks = facts_of(named.mode).length == MessageLength::whole_blocks;
  const SelfTest test{cipher, key, known_answer_iv(iv_bytes(named)), known_answer_message(whole_blocks)};
  const ByteVector ciphertext = test.encrypt();
  if (fingerprint_of(ciphertext) != answer.fingerprint) test.fail("encryption");
  if (test.decrypt(ciphertext) != test.message) test.fail("decryption");
  test.batch(ciphertext, false);
  test.batch(ciphertext, true);
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

void self_test(std::string_view engine_name) {
  for (const KnownAnswer& answer : known_answers()) check(answer, {.engine = std::string(engine_name), .num_threads = 1});
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

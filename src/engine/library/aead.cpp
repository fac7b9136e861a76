// phalanx::Aead: the arguments, and what a tag that does not fit means.
#include <algorithm>
#include <phalanx/aead.hpp>

#include "engine/engines/composed_gcm.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/xaes.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {
namespace {

const CipherFacts& facts_of_aead(std::string_view name) {
  const CipherFacts& facts = cipher_facts(name);
  if (facts.tag_bytes == 0) fail_usage(facts.name + " has no tag: an Aead takes a cipher in gcm");
  return facts;
}

std::unique_ptr<KeyedAead> set_key(const CipherFacts& facts, const Engine& engine, Bytes key, int num_threads) {
  if (!is_xaes(facts.name)) return engine.set_aead_key(parse_cipher_name(facts.name), key, num_threads);
  return set_xaes_key(engine, key, num_threads);
}

// A number that lies on the stack, read by itself: one load with the number beside it waits until both have reached the
// cache.
template <class Number>
inline Number by_itself(Number number) {
  __asm__("" : "+r"(number));
  return number;
}

// As the engine takes it, but for its tag.
inline AeadMessage message_of(Bytes key, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) {
  return {{.nonce = nonce.data(),
           .nonce_bytes = nonce.size(),
           .associated_data = by_itself(associated_data.data()),
           .associated_bytes = by_itself(associated_data.size()),
           .in = by_itself(in.data()),
           .out = by_itself(out.data()),
           .num_bytes = in.size()},
          key};
}

inline Unverified unverified_of(PlaintextRelease release) {
  return release == PlaintextRelease::when_verified ? Unverified::never_written : Unverified::wiped;
}

// In one pass there is no way back to the ciphertext where plaintext took its place.
inline void check_place(PlaintextRelease release, const AeadMessage& message) {
  if (release == PlaintextRelease::wiped_on_failure && message.in == message.out && message.num_bytes != 0)
    fail_usage("a message that is opened in one pass needs another buffer for its plaintext: give one that is disjoint");
}

[[noreturn]] __attribute__((noinline)) void fail_tag() {
  throw Error(ErrorCode::authentication, "the tag does not verify: wrong key, nonce or associated data, or changed data");
}

}  // namespace

struct Aead::State {
  const CipherFacts& facts;
  std::size_t tag_bytes;
  std::size_t nonce_bytes;
  bool any_nonce_size;
  std::string engine_name;
  std::unique_ptr<KeyedAead> aead;

  State(std::string_view name, Bytes key, const EngineOptions& options, const AeadOptions& wanted)
      : facts(facts_of_aead(name)),
        tag_bytes(wanted.tag_bytes),
        nonce_bytes(facts.iv_bytes),
        any_nonce_size(wanted.any_nonce_size) {
    check_key(facts, key);
    check_options(options);
    check_tag_bytes(facts, tag_bytes);
    const Engine& engine = find_engine(options.engine);
    engine_name = engine.info().name;
    aead = set_key(facts, engine, key, options.num_threads);
  }

  // Throws Error (usage) for what does not fit. Inline but for what it says, since every call has it.
  void check(const AeadMessage& message, Bytes out, std::size_t given_tag_bytes) const {
    const bool fits = (message.key.empty() || message.key.size() == facts.key_bytes) &&
                      (message.nonce_bytes == nonce_bytes || (any_nonce_size && message.nonce_bytes != 0)) &&
                      message.num_bytes <= most_bytes && given_tag_bytes == tag_bytes;
    if (!fits) [[unlikely]]
      fail(message, given_tag_bytes);
    check_out({message.in, message.num_bytes}, out);
  }
  [[noreturn]] void fail(const AeadMessage& message, std::size_t given_tag_bytes) const;
  // Throws Error (policy): SP 800-38D appendix C tells the cost of a short tag. A text that has one already must still
  // be read.
  void refuse_to_seal_short() const {
    if (tag_bytes != 16) [[unlikely]]
      fail_short();
  }
  [[noreturn]] void fail_short() const;

  static constexpr std::uint64_t most_bytes = ComposedGcm::most_text_bytes;
};

void Aead::State::fail(const AeadMessage& message, std::size_t given_tag_bytes) const {
  if (!message.key.empty()) check_key(facts, message.key);
  if (message.nonce_bytes == 0) {
    fail_usage("the nonce of " + facts.name + " is empty: give " + text_of(nonce_bytes) +
               " that were never used with this key");
  }
  if (message.nonce_bytes != nonce_bytes && !any_nonce_size) {
    fail_usage("the nonce of " + facts.name + " is " + text_of(nonce_bytes) + ", and " + text_of(message.nonce_bytes) +
               " were given: set any_nonce_size where it must be so");
  }
  if (message.num_bytes > most_bytes) {
    fail_usage("a message of " + facts.name + " has at most " + std::to_string(most_bytes) + " bytes, and " +
               std::to_string(message.num_bytes) + " were given");
  }
  fail_usage("the tag is " + text_of(tag_bytes) + ", and " + std::to_string(given_tag_bytes) + " were given");
}

void Aead::State::fail_short() const {
  throw Error(ErrorCode::policy,
              "this Aead has tags of " + text_of(tag_bytes) + ", to open what has such: seal with an Aead of 16 bytes");
}

Aead::Aead(std::string_view name, Bytes key, const EngineOptions& options, const AeadOptions& aead)
    : state_(std::make_unique<const State>(name, key, options, aead)) {}
Aead::~Aead() = default;
Aead::Aead(Aead&&) noexcept = default;
Aead& Aead::operator=(Aead&&) noexcept = default;

namespace {

constexpr const char* moved_aead = "this Aead was moved from: use the object that it was moved to";

}  // namespace

const CipherFacts& Aead::facts() const { return state_of(state_, moved_aead).facts; }
const std::string& Aead::engine() const { return state_of(state_, moved_aead).engine_name; }
std::size_t Aead::tag_bytes() const { return state_of(state_, moved_aead).tag_bytes; }

void Aead::seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const {
  const State& state = state_of(state_, moved_aead);
  state.refuse_to_seal_short();
  AeadMessage message = message_of({}, nonce, associated_data, in, out);
  message.tag = by_itself(tag.data());
  message.tag_bytes = by_itself(tag.size());
  state.check(message, out, tag.size());
  state.aead->crypt(Direction::encrypt, {&message, 1});
}

void Aead::open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag, PlaintextRelease release) const {
  const State& state = state_of(state_, moved_aead);
  AeadMessage message = message_of({}, nonce, associated_data, in, out);
  message.expected_tag = by_itself(tag.data());
  message.tag_bytes = by_itself(tag.size());
  state.check(message, out, tag.size());
  check_place(release, message);
  state.aead->crypt(Direction::decrypt, {&message, 1}, unverified_of(release));
  if (!message.is_authentic) [[unlikely]]
    fail_tag();
}

void Aead::seal_batch(std::span<const MessageToSeal> messages) const {
  const State& state = state_of(state_, moved_aead);
  state.refuse_to_seal_short();
  std::vector<AeadMessage> all;
  all.reserve(messages.size());
  for (const MessageToSeal& message : messages) {
    all.push_back(message_of(message.key, message.nonce, message.associated_data, message.in, message.out));
    all.back().tag = message.tag.data();
    all.back().tag_bytes = message.tag.size();
    state.check(all.back(), message.out, message.tag.size());
  }
  if (!all.empty()) state.aead->crypt(Direction::encrypt, all);
}

bool Aead::open_batch(std::span<MessageToOpen> messages, PlaintextRelease release) const {
  const State& state = state_of(state_, moved_aead);
  std::vector<AeadMessage> all;
  all.reserve(messages.size());
  for (MessageToOpen& message : messages) {
    message.is_authentic = false;
    all.push_back(message_of(message.key, message.nonce, message.associated_data, message.in, message.out));
    all.back().expected_tag = message.tag.data();
    all.back().tag_bytes = message.tag.size();
    state.check(all.back(), message.out, message.tag.size());
    check_place(release, all.back());
  }
  if (all.empty()) return true;
  state.aead->crypt(Direction::decrypt, all, unverified_of(release));
  for (std::size_t i = 0; i < all.size(); ++i) messages[i].is_authentic = all[i].is_authentic;
  return std::ranges::all_of(all, &AeadMessage::is_authentic);
}

}  // namespace phalanx

// Sealed messages that carry the random nonce they were sealed under: nonce || ciphertext || tag.
#include <algorithm>
#include <phalanx/aead.hpp>

#include "engine/host/host.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/library/xaes.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

static_assert(Aead::nonce_and_tag_bytes == xaes_nonce_bytes + xaes_tag_bytes);

void check_random_nonces(const CipherFacts& facts) {
  if (facts.iv_bytes == xaes_nonce_bytes) return;
  fail_usage(facts.name + " takes no random nonces: those of 96 bits wear out after 2^32 messages under a key " +
             "(SP 800-38D, section 8.3): choose xaes-256-gcm, or give nonces that you count to seal and open");
}

// The parts of a sealed message.
template <class Span>
struct Parts {
  Span nonce, text, tag;

  explicit Parts(Span sealed)
      : nonce(sealed.first(xaes_nonce_bytes)),
        text(sealed.subspan(xaes_nonce_bytes, sealed.size() - Aead::nonce_and_tag_bytes)),
        tag(sealed.last(xaes_tag_bytes)) {}
};

// Throws Error (usage) unless `plain` is the place of the text in `sealed`, or disjoint from all of it.
void check_places(Bytes sealed, Bytes plain) {
  if (sealed.size() < Aead::nonce_and_tag_bytes || sealed.size() - Aead::nonce_and_tag_bytes != plain.size()) {
    fail_usage("the sealed message has " + text_of(sealed.size()) + ", and its plaintext " + text_of(plain.size()) +
               ": a sealed message has 40 bytes more than its plaintext");
  }
  if (plain.data() != sealed.data() + xaes_nonce_bytes) check_disjoint(sealed, plain);
}

MessageToSeal to_seal(const MessageToSealWithNewNonce& message) {
  check_places(message.out, message.in);
  if (share_memory(message.associated_data, message.out)) {
    fail_usage("the output overlaps the associated data: give memory that is disjoint");
  }
  const Parts<MutableBytes> parts(message.out);
  return {parts.nonce, message.associated_data, message.in, parts.text, parts.tag, message.key};
}

bool is_long_enough(const MessageToOpenWithLeadingNonce& message) { return message.in.size() >= Aead::nonce_and_tag_bytes; }

MessageToOpen to_open(const MessageToOpenWithLeadingNonce& message) {
  check_places(message.in, message.out);
  const Parts<Bytes> parts(message.in);
  return {parts.nonce, message.associated_data, parts.text, message.out, parts.tag, message.key};
}

}  // namespace

void Aead::seal_with_new_nonce(Bytes associated_data, Bytes in, MutableBytes out) const {
  check_random_nonces(facts());
  const MessageToSeal message = to_seal({associated_data, in, out});
  fill_random(out.first(xaes_nonce_bytes));
  seal(message.nonce, associated_data, in, message.out, message.tag);
}

void Aead::open_with_leading_nonce(Bytes associated_data, Bytes in, MutableBytes out, PlaintextRelease release) const {
  check_random_nonces(facts());
  const MessageToOpenWithLeadingNonce given{associated_data, in, out};
  if (!is_long_enough(given)) {
    throw Error(ErrorCode::truncated,
                "a sealed message has at least 40 bytes, a nonce and a tag, and this has " + std::to_string(in.size()));
  }
  const MessageToOpen message = to_open(given);
  open(message.nonce, associated_data, message.in, out, message.tag, release);
}

void Aead::seal_with_new_nonce_batch(std::span<const MessageToSealWithNewNonce> messages) const {
  check_random_nonces(facts());
  std::vector<MessageToSeal> all;
  all.reserve(messages.size());
  for (const MessageToSealWithNewNonce& message : messages) {
    all.push_back(to_seal(message));
    if (!message.key.empty()) check_key(facts(), message.key);
  }
  std::vector<std::uint8_t> nonces(xaes_nonce_bytes * all.size());  // one call of the generator costs as much as many bytes
  if (!nonces.empty()) fill_random(nonces);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::copy_n(nonces.data() + xaes_nonce_bytes * i, xaes_nonce_bytes, messages[i].out.data());
  }
  seal_batch(all);
}

bool Aead::open_with_leading_nonce_batch(std::span<MessageToOpenWithLeadingNonce> messages, PlaintextRelease release) const {
  check_random_nonces(facts());
  std::vector<MessageToOpen> all;
  all.reserve(messages.size());
  for (MessageToOpenWithLeadingNonce& message : messages) {
    message.is_authentic = false;
    if (is_long_enough(message)) all.push_back(to_open(message));
  }
  static_cast<void>(open_batch(all, release));
  auto opened = all.begin();
  for (MessageToOpenWithLeadingNonce& message : messages) {
    if (is_long_enough(message)) message.is_authentic = (opened++)->is_authentic;
  }
  return std::ranges::all_of(messages, &MessageToOpenWithLeadingNonce::is_authentic);
}

}  // namespace phalanx

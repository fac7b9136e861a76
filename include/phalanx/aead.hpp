// Authenticated encryption: GCM (SP 800-38D) and XAES-256-GCM (c2sp.org/XAES-256-GCM). phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// One message of a batch to seal.
struct MessageToSeal {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< same size as `in`; overlaps no other message of the batch
  MutableBytes tag;  ///< 16 bytes; overlaps nothing else
  Bytes key;         ///< this message's own key; empty: the key of the Aead
};

/// One message of a batch to open. Sizes and keys are as in MessageToSeal; the tag has tag_bytes() bytes.
struct MessageToOpen {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;
  Bytes tag;
  Bytes key;
  bool is_authentic = false;  ///< what open_batch found
};

/// One message of a batch to seal under a nonce that is drawn for it.
struct MessageToSealWithNewNonce {
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< as for Aead::seal_with_new_nonce; overlaps no other message of the batch
  Bytes key{};       ///< this message's own key; empty: the key of the Aead
};

/// One message of a batch to open, as seal_with_new_nonce_batch made it.
struct MessageToOpenWithLeadingNonce {
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< as for Aead::open_with_leading_nonce; of no meaning where `in` is shorter than any sealed message
  Bytes key{};
  bool is_authentic = false;  ///< what open_with_leading_nonce_batch found
};

/// What an Aead takes that new data does not need.
struct AeadOptions {
  /// 12 to 15 (SP 800-38D, section 5.2.1.2): it only opens, what has such tags already; to seal throws Error (policy). A
  /// short tag is easier to forge.
  std::size_t tag_bytes = 16;
  /// Nonces have any size from 1 byte, to seal and to open, where the other side has such. Without it a nonce has 12 bytes,
  /// as SP 800-38D section 5.2.1.1 recommends; another is an Error (usage).
  bool any_nonce_size = false;
};

/// GCM under one key. A message has at most 2^32 - 2 blocks, 64 GiB - 32 bytes (SP 800-38D, section 5.2.1.1); a longer one
/// is an Error (usage). Where nonces are random, or have another size than 12 bytes, no more than 2^32 messages are sealed
/// under a key (section 8.3), and that is the caller's to keep: nothing here counts them.
///
/// "xaes-256-gcm" is XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM under a key for each message, which is derived from
/// the Aead's and the first half of a nonce of 24 bytes; its nonces and tags (16 bytes) have no other size. Such nonces may
/// be random for a virtually unlimited number of messages: of 2^80 under one key, says its specification, two have the same
/// nonce with a probability of 2^-32. A message costs two blocks more than in AES-256-GCM and the setting of its key. It is
/// no safer than GCM where a nonce is used twice.
///
/// Neither GCM nor XAES-256-GCM commits to its key: who knows two keys can make a ciphertext that opens under both. Where a
/// message must have one meaning, whatever the key, use containers (container.hpp), which commit.
class Aead {
 public:
  /// How much longer a message is that seal_with_new_nonce made: a nonce of 24 bytes and a tag of 16.
  static constexpr std::size_t nonce_and_tag_bytes = 40;

  /// `name` is cipher-mode: "aes-256-gcm", "serpent-256-gcm". Tags have 16 bytes, unless `aead` says
  /// otherwise.
  Aead(std::string_view name, Bytes key, const EngineOptions& options = {}, const AeadOptions& aead = {});
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cpu:avx512"
  [[nodiscard]] std::size_t tag_bytes() const;      ///< the size of each tag

  /// `nonce` has 12 bytes; with AeadOptions::any_nonce_size it may have another size, from 1. Never use one twice under
  /// the same key. `tag` has 16 bytes and overlaps nothing else.
  void seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const;
  /// `tag` has tag_bytes() bytes. Writes no plaintext unless it verifies; throws Error (authentication) if it does not.
  void open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const;

  /// Many messages at once, each as for seal and open. The arguments of all are checked before any is sealed or opened, but
  /// equal nonces are not looked for: on one core that would take as long as sealing short messages does on many.
  void seal_batch(std::span<const MessageToSeal> messages) const;
  /// True if all are authentic; is_authentic of each says whether that one is. No plaintext of the others is written.
  [[nodiscard]] bool open_batch(std::span<MessageToOpen> messages) const;

  /// Seals with no nonce to manage: draws one of 24 bytes from libcrypto's generator, in this call, and writes nonce ||
  /// ciphertext || tag. `out` has in.size() + nonce_and_tag_bytes bytes. `in` is out.subspan(24, in.size()), or disjoint
  /// from `out`; associated_data is disjoint from it. Throws Error: usage, but for "xaes-256-gcm", since random nonces of 12
  /// bytes wear out; runtime, if the generator fails.
  void seal_with_new_nonce(Bytes associated_data, Bytes in, MutableBytes out) const;
  /// The inverse. `out` has in.size() - nonce_and_tag_bytes bytes; it is their place in `in`, from byte 24 on, or disjoint
  /// from it. Nothing is written unless the tag verifies. Throws Error: truncated, for less than nonce_and_tag_bytes
  /// bytes; authentication; usage, as seal_with_new_nonce.
  void open_with_leading_nonce(Bytes associated_data, Bytes in, MutableBytes out) const;

  /// Many messages at once, each as for seal_with_new_nonce and open_with_leading_nonce, under a nonce each. Arguments are
  /// checked first.
  void seal_with_new_nonce_batch(std::span<const MessageToSealWithNewNonce> messages) const;
  /// True if all are authentic, which one that is too short is not. No plaintext of the others is written.
  [[nodiscard]] bool open_with_leading_nonce_batch(std::span<MessageToOpenWithLeadingNonce> messages) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

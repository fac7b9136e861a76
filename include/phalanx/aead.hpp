// This header has authenticated encryption: GCM (SP 800-38D) and XAES-256-GCM (c2sp.org/XAES-256-GCM). phalanx.hpp has the
// conventions.
#pragma once

#include <phalanx/version.h>

#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Describes one message of a batch to seal.
struct MessageToSeal {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< same size as `in`; overlaps no other message of the batch
  MutableBytes tag;  ///< 16 bytes; overlaps nothing else
  Bytes key;         ///< this message's own key; empty: the key of the Aead
};

/// Describes one message of a batch to open. Sizes and keys are as in MessageToSeal. The tag has tag_bytes() bytes.
struct MessageToOpen {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;
  Bytes tag;
  Bytes key;
  bool is_authentic = false;  ///< the result of open_batch
};

/// Describes one message of a batch to seal under a nonce that is drawn for it.
struct MessageToSealWithNewNonce {
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< as for Aead::seal_with_new_nonce; overlaps no other message of the batch
  Bytes key{};       ///< this message's own key; empty: the key of the Aead
};

/// Describes one message of a batch to open, as seal_with_new_nonce_batch made it.
struct MessageToOpenWithLeadingNonce {
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< as for Aead::open_with_leading_nonce; undefined where `in` is shorter than any sealed message
  Bytes key{};
  bool is_authentic = false;  ///< the result of open_with_leading_nonce_batch
};

/// Says when plaintext reaches `out` as a message is opened.
enum class PlaintextRelease : unsigned char {
  when_verified,    ///< once the tag verified: after a failure `out` is as it was
  wiped_on_failure  ///< while the tag is computed, in one pass, which is faster: after a failure `out` is zeros
};

/// Has settings of an Aead that new data does not need.
struct AeadOptions {
  /// May be 12 to 15 (SP 800-38D, section 5.2.1.2). Such an Aead only opens, for data that has short tags already; to seal
  /// throws Error (policy). A short tag is easier to forge.
  std::size_t tag_bytes = 16;
  /// Lets nonces have any size from 1 byte, to seal and to open, for a peer that has such nonces. Without it a nonce has 12
  /// bytes, as SP 800-38D section 5.2.1.1 recommends, and another size is an Error (usage).
  bool any_nonce_size = false;
};

/// Seals and opens GCM under one key. A message has at most 2^32 - 2 blocks, 64 GiB - 32 bytes (SP 800-38D, section
/// 5.2.1.1); a longer one is an Error (usage). No more than 2^32 messages may be sealed under a key if nonces are random, or
/// have another size than 12 bytes (section 8.3). The caller keeps this limit: nothing here counts messages.
///
/// "xaes-256-gcm" is XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM under a key for each message. That key is derived
/// from the Aead's key and the first half of a nonce of 24 bytes. Nonces (24 bytes) and tags (16 bytes) have no other size.
/// Such nonces may be random for a virtually unlimited number of messages. Its specification says that 2^80 messages under
/// one key repeat a nonce with a probability of 2^-32. A message costs two blocks more than in AES-256-GCM and the setting
/// of its key. It is no safer than GCM where a nonce is used twice.
///
/// Neither GCM nor XAES-256-GCM commits to its key. So somebody who knows two keys can make a ciphertext that opens under
/// both. If a message must have one meaning, whatever the key, use containers (container.hpp), which commit.
class Aead {
 public:
  /// This is what seal_with_new_nonce adds to a message: a nonce of 24 bytes and a tag of 16.
  static constexpr std::size_t nonce_and_tag_bytes = 40;

  /// `name` is cipher-mode: "aes-256-gcm", "serpent-256-gcm". Tags have 16 bytes, unless `aead` says otherwise.
  Aead(std::string_view name, Bytes key, const EngineOptions& options = {}, const AeadOptions& aead = {});
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cpu:avx512"
  [[nodiscard]] std::size_t tag_bytes() const;      ///< the size of each tag

  /// `nonce` has 12 bytes. With AeadOptions::any_nonce_size it may have another size, from 1. Never use a nonce twice under
  /// one key. `tag` has 16 bytes and overlaps nothing else.
  void seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const;
  /// `tag` has tag_bytes() bytes. Writes no plaintext unless the tag verifies, and throws Error (authentication) if it does
  /// not.
  ///
  /// With PlaintextRelease::wiped_on_failure, here and below, it may write while it checks. That is for memory that no other
  /// thread looks at before the call returns. Where `out` is not disjoint from `in` it throws Error (usage), since the
  /// ciphertext would be lost.
  void open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag,
            PlaintextRelease release = PlaintextRelease::when_verified) const;

  /// Seal or open many messages at once, each as seal and open do. The arguments of all are checked before any is sealed or
  /// opened. Equal nonces are not looked for: on one core that would take as long as sealing short messages does on many.
  void seal_batch(std::span<const MessageToSeal> messages) const;
  /// Returns true if all are authentic. is_authentic of each message says whether that one is. No plaintext of the others is
  /// written.
  [[nodiscard]] bool open_batch(std::span<MessageToOpen> messages,
                                PlaintextRelease release = PlaintextRelease::when_verified) const;

  /// Seals with a fresh nonce of 24 bytes from libcrypto's generator, and writes nonce || ciphertext || tag. `out` has
  /// in.size() + nonce_and_tag_bytes bytes. `in` is out.subspan(24, in.size()), or disjoint from `out`. associated_data is
  /// disjoint from `out`. Throws Error: usage, for every cipher but "xaes-256-gcm", since random nonces of 12 bytes wear
  /// out; runtime, if the generator fails.
  void seal_with_new_nonce(Bytes associated_data, Bytes in, MutableBytes out) const;
  /// Opens a message of seal_with_new_nonce. `out` has in.size() - nonce_and_tag_bytes bytes. It is the ciphertext's place
  /// in `in`, from byte 24 on, or disjoint from `in`. Nothing is written unless the tag verifies. Throws Error: truncated,
  /// for less than nonce_and_tag_bytes bytes; authentication; usage, as seal_with_new_nonce does.
  void open_with_leading_nonce(Bytes associated_data, Bytes in, MutableBytes out,
                               PlaintextRelease release = PlaintextRelease::when_verified) const;

  /// Seals many messages at once, each as seal_with_new_nonce does, under a nonce each. Arguments are checked first.
  void seal_with_new_nonce_batch(std::span<const MessageToSealWithNewNonce> messages) const;
  /// Opens many messages at once, each as open_with_leading_nonce does. Returns true if all are authentic; a message that is
  /// too short is not. No plaintext of the others is written.
  [[nodiscard]] bool open_with_leading_nonce_batch(std::span<MessageToOpenWithLeadingNonce> messages,
                                                   PlaintextRelease release = PlaintextRelease::when_verified) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

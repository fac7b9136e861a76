// Authenticated encryption: GCM (SP 800-38D). phalanx.hpp has the conventions.
#pragma once

#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {

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

/// GCM under one key. A message has at most 2^32 - 2 blocks, 64 GiB - 32 bytes (SP 800-38D, section 5.2.1.1); a longer one
/// is an Error (usage). Where nonces are random, or have another size than 12 bytes, no more than 2^32 messages are sealed
/// under a key (section 8.3), and that is the caller's to keep: nothing here counts them.
class Aead {
 public:
  /// `name` is cipher-mode: "aes-256-gcm", "serpent-256-gcm". Tags have 16 bytes. An Aead of 12 to 15 (SP 800-38D, section
  /// 5.2.1.2) only opens, what has such tags already: to seal with it throws Error (policy). A short tag is easier to forge.
  Aead(std::string_view name, Bytes key, const Options& options = {}, std::size_t tag_bytes = 16);
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;
  [[nodiscard]] std::size_t tag_bytes() const;

  /// `nonce` has 12 bytes; with Options::any_nonce_size it may have another size, from 1. Never use one twice under the same
  /// key. `tag` has 16 bytes and overlaps nothing else.
  void seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const;
  /// `tag` has tag_bytes() bytes. Writes no plaintext unless it verifies; throws Error (authentication) if it does not.
  void open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const;

  /// Many messages at once, each as for seal and open. The arguments of all are checked before any is sealed or opened.
  void seal_batch(std::span<const MessageToSeal> messages) const;
  /// True if all are authentic; is_authentic of each says whether that one is. No plaintext of the others is written.
  [[nodiscard]] bool open_batch(std::span<MessageToOpen> messages) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop

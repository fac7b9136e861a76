// Authenticated encryption: GCM (SP 800-38D). phalanx.hpp has the conventions.
#pragma once

#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {

/// One message of a batch, to be sealed.
struct MessageToSeal {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;  ///< same size as `in`
  MutableBytes tag;  ///< tag_bytes(); memory of its own
  Bytes key;         ///< this message's own key; empty: the key of the Aead
};

/// One message of a batch, to be opened.
struct MessageToOpen {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;
  Bytes tag;
  Bytes key;
  bool is_authentic = false;  ///< what open_batch found
};

class Aead {
 public:
  /// "aes-256-gcm", "serpent-256-gcm". Tags have 16 bytes; 12 to 15 only for who must speak to something that has such tags.
  Aead(std::string_view name, Bytes key, const Options& options = {}, std::size_t tag_bytes = 16);
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;
  [[nodiscard]] std::size_t tag_bytes() const;

  /// `nonce` has 12 bytes, or any other size but 0, and is never used twice under one key. `tag` has tag_bytes() and is memory of
  /// its own.
  void seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const;
  /// Writes no plaintext unless the tag fits. Throws Error (authentication) if it does not.
  void open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const;

  /// Many messages at once, each as seal and open have it. All are checked before any is crypted.
  void seal_batch(std::span<const MessageToSeal> messages) const;
  /// True if all are authentic; each says whether it is. Of those that are not, no plaintext is written.
  [[nodiscard]] bool open_batch(std::span<MessageToOpen> messages) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop

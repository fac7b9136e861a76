// An AEAD under one key: what an engine does with whole messages. GCM alone is composed_gcm.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <span>

#include "engine/ciphers/direction.hpp"
#include "engine/modes/aead_text.hpp"

namespace phalanx {

/// One message of many.
struct AeadMessage : AeadText {
  Bytes key{};                ///< this message's own key; empty: the key of the KeyedAead
  bool is_authentic = false;  ///< what opening found

  [[nodiscard]] Bytes nonce_span() const { return {nonce, nonce_bytes}; }
  [[nodiscard]] Bytes associated_span() const { return {associated_data, associated_bytes}; }
};

/// What becomes of plaintext whose tag does not verify. never_written hashes first and leaves `out` as it was. wiped may
/// decrypt while it hashes, which is faster, and leaves zeros: for memory that nobody looks at before the call returns.
enum class Unverified : unsigned char { never_written, wiped };

/// While it lives, some memory of the host stays in its place, so that an engine's device copies from it and to it by
/// itself.
class PageLock {
 public:
  PageLock() = default;
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;
  virtual ~PageLock() = default;
};

class ComposedGcm;

/// Immutable: any number of threads may use it at once.
class KeyedAead {
 public:
  KeyedAead() = default;
  KeyedAead(const KeyedAead&) = delete;
  KeyedAead& operator=(const KeyedAead&) = delete;
  virtual ~KeyedAead() = default;

  /// As it was given.
  [[nodiscard]] virtual Bytes key() const = 0;

  /// To encrypt: seals each message, which writes its tag. To decrypt: opens each whose tag verifies; is_authentic of every
  /// message says whether it did.
  virtual void crypt(Direction direction, std::span<AeadMessage> messages,
                     Unverified unverified = Unverified::never_written) const = 0;

  /// Returns what takes one long message in parts, or nullptr where this AEAD has none for its key.
  [[nodiscard]] virtual const ComposedGcm* in_parts() const { return nullptr; }

  /// For memory that many calls are going to use, and that outlives the lock. nullptr where it gains nothing, or the system
  /// refuses.
  [[nodiscard]] virtual std::unique_ptr<PageLock> lock_pages(MutableBytes /*memory*/) const { return nullptr; }
};

}  // namespace phalanx

// GCM (SP 800-38D) under one key: what an engine does with whole messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <span>

namespace phalanx {

/// One message of many. `in` and `out` are the same memory or disjoint.
struct GcmMessage {
  Bytes key{};    ///< this message's own key; empty: the key of the KeyedGcm
  Bytes nonce{};  ///< 12 bytes are fastest; any other length but 0 is hashed
  Bytes associated_data{};
  const std::uint8_t* in = nullptr;
  std::uint8_t* out = nullptr;
  std::size_t num_bytes = 0;
  MutableBytes tag{};         ///< sealing writes so many bytes of the tag, at most 16
  Bytes expected_tag{};       ///< opening compares so many, at most 16
  bool is_authentic = false;  ///< what opening found
};

/// What becomes of plaintext whose tag does not verify. never_written hashes first and leaves `out` as it was. wiped may
/// decrypt while it hashes, which is faster, and leaves zeros: for memory that nobody looks at before the call returns.
enum class Unverified : unsigned char { never_written, wiped };

/// Immutable: any number of threads may use it at once.
class KeyedGcm {
 public:
  KeyedGcm() = default;
  KeyedGcm(const KeyedGcm&) = delete;
  KeyedGcm& operator=(const KeyedGcm&) = delete;
  virtual ~KeyedGcm() = default;

  /// Encrypts each message and writes its tag.
  virtual void seal(std::span<GcmMessage> messages) const = 0;
  /// Decrypts each message whose tag verifies; is_authentic of every message says whether it did.
  virtual void open(std::span<GcmMessage> messages, Unverified unverified) const = 0;
};

}  // namespace phalanx

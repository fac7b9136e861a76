// This measures how fast an engine crypts one message in memory.
#pragma once

#include <cstdint>
#include <phalanx/aead.hpp>
#include <phalanx/bytes.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/options.hpp>
#include <string>
#include <variant>
#include <vector>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// Holds one message under a cipher and a key to measure, and the message that its ciphertext decrypts to. In XTS, a message
/// that is longer than a data unit may be is several units of 16 MiB.
class RoundTrip {
 public:
  /// `message_bytes` is a multiple of 16.
  RoundTrip(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes);

  void encrypt();
  void decrypt();

  /// Encrypts and decrypts, into outputs that hold something else before. Throws Error (runtime) that names the engine and
  /// the cipher where the ciphertext is the plaintext, or does not decrypt to it.
  void check();

  /// Throws as check() does, by what the outputs hold now.
  void verify() const;

  [[nodiscard]] MutableBytes ciphertext() { return ciphertext_; }

 private:
  using Keyed = std::variant<Cipher, SectorCipher, Aead>;
  static Keyed keyed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes);

  std::string name_;
  Keyed keyed_;
  std::vector<std::uint8_t> iv_, plaintext_, ciphertext_, decrypted_, tag_;
};

/// Holds medians, in bytes a second. A serial mode has one message here as well.
struct EngineSpeed {
  double encryption = 0;
  double decryption = 0;
};

/// Measures encryption and decryption of one message in turn, for about `seconds` together. Both are checked before and
/// after. Throws what check() throws.
[[nodiscard]] EngineSpeed measure_speed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes,
                                        double seconds);

/// Returns a key for a measurement. It is not weak, and for XTS its halves differ.
[[nodiscard]] std::vector<std::uint8_t> key_to_measure(const NamedCipher& named);

}  // namespace phalanx

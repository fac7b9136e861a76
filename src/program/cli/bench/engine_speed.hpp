// How fast an engine crypts one message in memory.
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

/// One message under a cipher and a key to measure, and the message that its ciphertext decrypts to. In XTS, one that is
/// longer than a data unit may be is several of 16 MiB.
class RoundTrip {
 public:
  /// `message_bytes` is a multiple of 16.
  RoundTrip(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes);

  void encrypt();
  void decrypt();

  /// Both, from outputs that hold something else. Throws Error (runtime) that names the engine and the cipher where the
  /// ciphertext is the plaintext, or does not decrypt to it.
  void check();

  /// The same without crypting: of what is there.
  void verify() const;

  [[nodiscard]] MutableBytes ciphertext() { return ciphertext_; }

 private:
  using Keyed = std::variant<Cipher, SectorCipher, Aead>;
  static Keyed keyed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes);

  std::string name_;
  Keyed keyed_;
  std::vector<std::uint8_t> iv_, plaintext_, ciphertext_, decrypted_, tag_;
};

/// Medians, in bytes a second. A serial mode has one message here as well.
struct EngineSpeed {
  double encryption = 0;
  double decryption = 0;
};

/// Encryption and decryption of one message in turn, for about `seconds` together; both are checked before and after. Throws
/// what check() throws.
[[nodiscard]] EngineSpeed measure_speed(const NamedCipher& named, const EngineOptions& options, std::size_t message_bytes,
                                        double seconds);

/// A key for a measurement, neither weak nor, for XTS, of two equal halves.
[[nodiscard]] std::vector<std::uint8_t> key_to_measure(const NamedCipher& named);

}  // namespace phalanx

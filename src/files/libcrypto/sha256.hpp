// SHA-256 of bytes as they come.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

namespace phalanx {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// Computes SHA-256 by libcrypto, which uses the processor's instructions for it. The bytes of the message that it
/// holds are wiped.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(Bytes in);

  /// Returns the digest, in hex or as bytes. Only one of the two may be called, and once.
  [[nodiscard]] std::string finish();
  [[nodiscard]] Sha256Digest finish_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

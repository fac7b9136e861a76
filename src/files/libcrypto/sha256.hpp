// SHA-256 of bytes as they come.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

namespace phalanx {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// SHA-256, by libcrypto, which uses the processor's instructions for it. What it holds of the message is wiped.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(Bytes in);

  /// The digest in hex, or its bytes: one of them, once.
  [[nodiscard]] std::string finish();
  [[nodiscard]] Sha256Digest finish_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

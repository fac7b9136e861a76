// SHA-256 of bytes as they come.
#pragma once

#include <memory>
#include <phalanx/phalanx.hpp>
#include <string>

namespace phalanx {

/// SHA-256, by libcrypto, which uses the processor's instructions for it. What it holds of the message is wiped.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(Bytes in);

  /// The digest in hex, once.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

// SHA-256 of bytes as they come.
#pragma once

#include <memory>
#include <string>

#include "phalanx/phalanx.hpp"

namespace phalanx {

/// SHA-256, by libcrypto, which uses the processor's instructions for it. What it holds of the message is wiped.
class RunningDigest {
 public:
  RunningDigest();
  ~RunningDigest();
  RunningDigest(const RunningDigest&) = delete;
  RunningDigest& operator=(const RunningDigest&) = delete;

  void update(Bytes in);

  /// The digest in hex, once.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

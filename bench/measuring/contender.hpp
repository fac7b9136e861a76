// Whoever takes part in a measurement: our engines, other libraries, the plain reference, and memory itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/measuring/task.hpp"
#include "program/cli/bench/sampling.hpp"

namespace phalanx::bench {

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  [[nodiscard]] virtual std::string name() const = 0;     ///< "openssl", "cpu:avx2"
  [[nodiscard]] virtual std::string version() const = 0;  ///< "3.0.22"; empty for our own

  /// Sets the keys; what it returns is all that is timed, and crypts all messages of the task once. Empty if this contender
  /// lacks the cipher, the mode or such a batch. The task must outlive it. A run throws where a library refuses, or a tag
  /// does not verify.
  [[nodiscard]] virtual Run prepare(const Task& task) const = 0;

  /// Whether what prepare returns expands keys of their own within the time, unless they are to be ready.
  [[nodiscard]] virtual bool sets_keys_in_time() const { return false; }
};

using ContenderList = std::vector<std::unique_ptr<const Contender>>;

/// The libraries that this program was built with, OpenSSL first (bench/peers).
[[nodiscard]] const ContenderList& all_peers();

/// reference/: every cipher and mode, slow, and judged by published vectors (bench/peers).
[[nodiscard]] const Contender& plain_reference();

/// One of our engines, with so many threads (0: all). Prepared tasks include GCM and batches.
[[nodiscard]] std::unique_ptr<const Contender> make_engine_contender(const std::string& engine, int num_threads);

/// Memory alone: reads and writes the message in place, or copies it, by plain vector code. Crypts nothing.
[[nodiscard]] std::unique_ptr<const Contender> make_memory_contender(bool in_place);

}  // namespace phalanx::bench

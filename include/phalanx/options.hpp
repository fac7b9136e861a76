// Engines: which one runs, and how wide.
#pragma once

#include <phalanx/version.h>

#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Where and how wide to run. Nothing falls back silently: naming an engine that cannot run here is an Error (usage).
struct EngineOptions {
  /// "cpu", "cpu:avx2", "cuda", ... Empty and "auto" mean the best of the CPU's: how much is to come, and so whether a GPU
  /// would be faster, no call knows.
  std::string engine{};
  int num_threads = 0;  ///< 0: all cores that this process may use
};

/// One engine or kernel, as `phalanx engines` shows it.
struct EngineInfo {
  std::string name;         ///< what EngineOptions::engine takes
  std::string description;  ///< the instructions or the device behind it
  bool usable = false;
  std::string reason;  ///< why it is not usable here; empty if it is
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

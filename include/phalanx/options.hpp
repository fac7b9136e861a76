// This header says which engine runs, and how wide.
#pragma once

#include <phalanx/version.h>

#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Says where and how wide to run. Nothing falls back silently: naming an engine that cannot run here is an Error (usage).
struct EngineOptions {
  /// This is "cpu", "cpu:avx2", "cuda", ... Empty and "auto" mean the best of the CPU's engines. No call knows how much is
  /// to come, and so whether a GPU would be faster.
  std::string engine{};
  int num_threads = 0;  ///< 0: all cores that this process may use
};

/// Describes one engine or kernel, as `phalanx engines` shows it.
struct EngineInfo {
  std::string name;         ///< what EngineOptions::engine takes
  std::string description;  ///< the instructions or the device behind it
  bool usable = false;
  std::string reason;  ///< why it is not usable here; empty if it is
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// These check all that the host can see of a batch in a GPU's memory.
#pragma once

#include <memory>
#include <phalanx/device_batch.hpp>
#include <string>
#include <utility>

#include "engine/engines/keyed_device_aead.hpp"
#include "engine/library/argument_checks.hpp"

namespace phalanx {

inline Bytes memory_of(const void* data, std::size_t num_bytes) {
  return {static_cast<const std::uint8_t*>(data), num_bytes};
}

/// Throws Error (usage) where there is nothing, or more than memory has.
void check_there(const void* data, std::size_t num_bytes, const char* what);

/// Throws Error (usage) if memory that is written shares anything with other memory. Callers do not ask about `out` and
/// `in`, which may be the same.
void check_apart(Bytes written, Bytes other, const char* what);

/// The messages of a batch bring these.
struct DeviceBatchParts {
  std::size_t iv_bytes;
  std::size_t key_bytes;
  std::size_t tag_bytes;  ///< 0: there are none
  bool writes_tags;
};

/// Throws Error (usage).
void check_batch(const DeviceBatch& batch, const DeviceBatchParts& parts);

/// As kernels take it; tags are apart.
DeviceBatchArrays arrays_of(const DeviceBatch& batch, const DeviceBatchParts& parts);

/// The engine that is asked for, or "cuda" where none is. Throws Error (usage) for one that reaches no GPU's memory.
std::string device_engine_name(const std::string& name);

struct DeviceVerdicts::State {
  explicit State(std::unique_ptr<DeviceBatchResult> of_call) : verdicts(std::move(of_call)) {}

  std::shared_ptr<const void> key;  ///< of the call alone: it outlives the work, for which `verdicts` waits
  std::unique_ptr<DeviceBatchResult> verdicts;
  void (*fail)(std::uint64_t first_forged) = nullptr;  ///< what a forged message throws; nullptr: wait has its own
};

}  // namespace phalanx

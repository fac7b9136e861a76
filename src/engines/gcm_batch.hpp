// Many messages of GCM as one batch of CTR, for engines that crypt on a device: the CPU's threads hash.
#pragma once

#include "engines/cpu/cpu_hash.hpp"
#include "engines/engine.hpp"

namespace phalanx {

/// Whether all of them have nonces of 12 bytes and no keys of their own. The counters of other nonces wrap at 32 bits, CTR's
/// do not.
bool fit_gcm_batch(std::span<const GcmMessage> messages);

/// KeyedGcm::seal and open of messages that fit_gcm_batch. `hash` is under the cipher's key and runs
/// on one thread; num_threads share the messages.
void seal_gcm_batch(const KeyedCipher& cipher, const CpuHash& hash, std::span<GcmMessage> messages, int num_threads);
void open_gcm_batch(const KeyedCipher& cipher, const CpuHash& hash, std::span<GcmMessage> messages, Unverified unverified,
                    int num_threads);

}  // namespace phalanx

// Many messages of the host's memory on one GPU: packed together, crypted as a batch, and unpacked.
#pragma once

#include <span>

#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/engine.hpp"

namespace phalanx {

/// What the messages of a batch are crypted with.
struct GpuMessagesWork {
  const CipherSpec& cipher;
  Mode mode;
  Direction direction;
  Bytes own_key;    ///< as the kernel takes it: of the messages that bring none
  int num_threads;  ///< for copies in the host's memory; 0: all
};

/// Crypts every message as KeyedCipher::crypt_batch has it and waits. Throws Error (runtime) if the GPU fails; what was
/// written by then is right.
void run_messages_on_gpu(const GpuKey& key, const GpuMessagesWork& work, std::span<const BlockMessage* const> messages);

}  // namespace phalanx

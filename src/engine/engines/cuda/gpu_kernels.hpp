// The kernels by cipher.
#pragma once

#include <phalanx/bytes.hpp>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/cuda/gpu_kernel.hpp"

namespace phalanx {

const GpuKernel& gpu_kernel_of(const CipherSpec& cipher);

/// A key as the cipher's kernel takes it: kernel_key_bytes of it.
void set_gpu_key(const CipherSpec& cipher, Bytes key, std::uint8_t* out);

/// kernel.expand_key for the cipher's key; `schedule` has kernel.schedule_bytes, aligned to 64.
void expand_gpu_key(const CipherSpec& cipher, Bytes key, void* schedule);

}  // namespace phalanx

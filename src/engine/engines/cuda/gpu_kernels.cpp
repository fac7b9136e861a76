#include "engine/engines/cuda/gpu_kernels.hpp"

#include <cstring>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

#define PHALANX_KERNEL_ADDRESS(name, isa) &name##_gpu_kernel,
constexpr const GpuKernel* gpu_kernels[num_cipher_kernels] = {PHALANX_CIPHER_KERNELS(PHALANX_KERNEL_ADDRESS, )};
#undef PHALANX_KERNEL_ADDRESS

}  // namespace

const GpuKernel& gpu_kernel_of(const CipherSpec& cipher) { return *gpu_kernels[static_cast<unsigned>(cipher.kernel)]; }

void set_gpu_key(const CipherSpec& cipher, Bytes key, std::uint8_t* out) {
  std::memcpy(out, key.data(), cipher.key_bytes);
  std::memcpy(out + cipher.key_bytes, key.data(), kernel_key_bytes(cipher) - cipher.key_bytes);
}

void expand_gpu_key(const CipherSpec& cipher, Bytes key, void* schedule) {
  WipedArray<max_key_bytes> kernel_key;
  set_gpu_key(cipher, key, kernel_key.bytes);
  gpu_kernel_of(cipher).expand_key(kernel_key.bytes, kernel_key_bytes(cipher), schedule);
}

}  // namespace phalanx

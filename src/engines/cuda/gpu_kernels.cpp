#include "engines/cuda/gpu_kernels.hpp"

#include <cstring>

#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// Two-key triple DES: its kernel would take 16 bytes for double DES.
bool has_two_keys(const CipherSpec& cipher) { return std::strcmp(cipher.name, "des-ede") == 0; }

}  // namespace

const GpuKernel& gpu_kernel_of(const CipherSpec& cipher) {
  switch (cipher.family) {
    case CipherFamily::des:
      return des_gpu_kernel;
    case CipherFamily::serpent:
      return serpent_gpu_kernel;
    case CipherFamily::twofish:
      return twofish_gpu_kernel;
    case CipherFamily::aes:
      break;
  }
  return cipher.key_bytes == 16 ? aes_128_gpu_kernel : cipher.key_bytes == 24 ? aes_192_gpu_kernel : aes_256_gpu_kernel;
}

std::size_t gpu_key_bytes(const CipherSpec& cipher) { return has_two_keys(cipher) ? 24 : cipher.key_bytes; }

void set_gpu_key(const CipherSpec& cipher, Bytes key, std::uint8_t* out) {
  std::memcpy(out, key.data(), cipher.key_bytes);
  if (has_two_keys(cipher)) std::memcpy(out + 16, key.data(), 8);  // SP 800-67 keying option 2: K3 = K1
}

void expand_gpu_key(const CipherSpec& cipher, Bytes key, void* schedule) {
  WipedArray<32> kernel_key;
  set_gpu_key(cipher, key, kernel_key.bytes);
  gpu_kernel_of(cipher).expand_key(kernel_key.bytes, gpu_key_bytes(cipher), schedule);
}

}  // namespace phalanx

// The ciphers that Phalanx knows: names, sizes, kernels. All else looks them up here, and a new cipher is registered here:
// its kernels in PHALANX_OTHER_KERNELS, its family, and a row for each length of its key in cipher_spec.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace phalanx {

// The kernels that each instruction set and a GPU's engine have: ROW(name, isa) for each. AES stands by itself, since an
// instruction set may have instructions for AES alone.
#define PHALANX_AES_KERNELS(ROW, isa) ROW(aes_128, isa) ROW(aes_192, isa) ROW(aes_256, isa)
#define PHALANX_OTHER_KERNELS(ROW, isa) ROW(des, isa) ROW(serpent, isa) ROW(twofish, isa)
#define PHALANX_CIPHER_KERNELS(ROW, isa) PHALANX_AES_KERNELS(ROW, isa) PHALANX_OTHER_KERNELS(ROW, isa)

/// The number of a kernel in the tables of instruction sets and of GPUs.
enum class CipherKernel : unsigned char {
#define PHALANX_ROW(name, isa) name,
  PHALANX_CIPHER_KERNELS(PHALANX_ROW, )
#undef PHALANX_ROW
};

#define PHALANX_ROW(name, isa) +1
inline constexpr std::size_t num_cipher_kernels = PHALANX_CIPHER_KERNELS(PHALANX_ROW, );
#undef PHALANX_ROW

enum class CipherFamily : unsigned char { des, aes, serpent, twofish };

struct CipherSpec {
  const char* name;  ///< canonical, lower case: "des-ede3"
  CipherFamily family;
  CipherKernel kernel;
  std::size_t key_bytes;
  std::size_t block_bytes;
  /// What the kernel takes, a multiple of 8: the key, and behind it the key's first bytes again. 0: the key alone.
  std::size_t wide_key_bytes = 0;
};

/// The longest key that a kernel takes.
inline constexpr std::size_t max_key_bytes = 32;

/// The bytes of a key as the cipher's kernel takes it.
[[nodiscard]] constexpr std::size_t kernel_key_bytes(const CipherSpec& cipher) {
  return cipher.wide_key_bytes == 0 ? cipher.key_bytes : cipher.wide_key_bytes;
}
/// Where byte `at` of that stands in the key.
[[nodiscard]] constexpr std::size_t place_in_key(const CipherSpec& cipher, std::size_t at) {
  return at < cipher.key_bytes ? at : at - cipher.key_bytes;
}

/// Every cipher, in the order in which they are listed to a user.
std::span<const CipherSpec> all_ciphers();

/// Finds a cipher by its name without a mode (case ignored; "3des" is "des-ede3"); nullptr if there is none.
const CipherSpec* find_cipher(std::string_view name);

}  // namespace phalanx

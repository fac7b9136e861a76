// The ciphers and modes that Phalanx knows: names, sizes. The one table that everything else looks things up in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ciphers/mode.hpp"

namespace phalanx {

enum class CipherFamily : unsigned char { des, aes, serpent, twofish };

struct CipherSpec {
  const char* name;  ///< canonical, lower case: "des-ede3"
  CipherFamily family;
  std::size_t key_bytes;
  std::size_t block_bytes;
};

/// Every cipher, in the order in which they are listed to a user.
std::span<const CipherSpec> all_ciphers();

/// The modes' names, in the order of Mode.
std::span<const char* const> all_modes();

/// XTS and GCM need a 128-bit block.
bool is_mode_of(const CipherSpec& cipher, Mode mode);

struct NamedCipher {
  const CipherSpec* cipher;
  Mode mode;
};

/// Finds a cipher by its name without a mode (case ignored; "3des" is "des-ede3"); nullptr if there is none.
const CipherSpec* find_cipher(std::string_view name);

/// Parses cipher-mode, e.g. "DES-EDE3-CBC". Throws Error (usage), listing what there is, if either half is unknown or
/// missing, or if the mode (XTS, GCM) needs a 128-bit block and the cipher has none.
NamedCipher parse_cipher_name(std::string_view name);

/// "des-ede3-cbc"
std::string full_name(const NamedCipher& named);

/// The key of cipher and mode together: twice the cipher's for XTS.
std::size_t key_bytes(const NamedCipher& named);

}  // namespace phalanx

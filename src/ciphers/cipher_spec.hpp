// The ciphers that Phalanx knows: names, sizes. The one table that everything else looks them up in.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

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

/// Finds a cipher by its name without a mode (case ignored; "3des" is "des-ede3"); nullptr if there is none.
const CipherSpec* find_cipher(std::string_view name);

}  // namespace phalanx

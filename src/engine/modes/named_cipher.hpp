// A cipher in a mode, and its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/modes/mode_facts.hpp"

namespace phalanx {

/// An AEAD that is no cipher in a mode (c2sp.org/XAES-256-GCM), though it is named like one and stands in the catalog.
inline constexpr std::string_view xaes_name = "xaes-256-gcm";

/// Returns whether the name means XAES-256-GCM. Case is ignored.
bool is_xaes(std::string_view name);

struct NamedCipher {
  const CipherSpec* cipher;
  Mode mode;
};

/// "des-ede3-cbc"
std::string full_name(const NamedCipher& named);

/// XTS and GCM need a 128-bit block.
bool is_mode_of(const CipherSpec& cipher, Mode mode);

/// Returns the size of the key of cipher and mode together. XTS has two keys of the cipher.
std::size_t key_bytes(const NamedCipher& named);

/// The initial vector of one message; 0 where there is none. XTS: the tweak.
std::size_t iv_bytes(const NamedCipher& named);

/// Returns true for ciphers that are there to read old data, and encrypt only with permission. These are DES, 2DES and
/// 3DES (SP 800-131A revision 2, section 2), and any cipher in ECB.
[[nodiscard]] constexpr bool is_legacy(const NamedCipher& named) {
  return named.cipher->family == CipherFamily::des || named.mode == Mode::ecb;
}

/// Returns whether a message of this mode has a tag, of aead_tag_bytes or a part of them. Then Engine::set_aead_key
/// takes its key.
[[nodiscard]] constexpr bool is_aead(Mode mode) { return facts_of(mode).is_aead; }
inline constexpr std::size_t aead_tag_bytes = 16;

/// Returns whether messages of this mode are padded, as in ECB and CBC. The others take any length (XTS: from one
/// block).
[[nodiscard]] constexpr bool takes_padding(Mode mode) { return facts_of(mode).length == MessageLength::whole_blocks; }

}  // namespace phalanx

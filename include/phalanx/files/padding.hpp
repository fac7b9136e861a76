// This header pads a message's last block, for the modes that take whole blocks only (ECB and CBC). Any thread may call any
// of it.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

enum class Padding : unsigned char {
  pkcs7,    ///< RFC 5652 section 6.3: n bytes of value n, 1 <= n <= block; what OpenSSL writes
  none,     ///< nothing is added: the message must be whole blocks
  x923,     ///< ANSI X9.23: n - 1 zero bytes, then n
  iso7816,  ///< ISO/IEC 7816-4 (SP 800-38A appendix A): 0x80, then zero bytes
  /// Adds zero bytes, but none where the message is whole blocks already. It is ambiguous: zeros at the end of the message
  /// itself are removed with the padding, and there is nothing to check.
  zero,
};

/// Takes "pkcs7", "none", "x923", "iso7816" or "zero". Throws Error (usage), which lists them, for any other name.
[[nodiscard]] Padding parse_padding(std::string_view name);

/// Returns the name that parse_padding takes.
[[nodiscard]] const char* padding_name(Padding padding);

/// Says whether removing this padding can fail, which is how a wrong key shows. None and zero cannot fail.
[[nodiscard]] constexpr bool can_check(Padding padding) { return padding != Padding::none && padding != Padding::zero; }

/// Pads the end of a message in place. `block` is one block of the cipher (1 to 255 bytes). Its first `used_bytes`, fewer
/// than a block, are the end of the message behind its whole blocks; the rest is overwritten. Returns how many bytes of
/// `block` now belong to the padded message: all of them, or 0 where nothing needs to be added (none and zero with
/// used_bytes = 0). Throws Error (usage) if the padding is none and used_bytes is not 0.
[[nodiscard]] std::size_t pad_last_block(Padding padding, MutableBytes block, std::size_t used_bytes);

/// This is the result of check_padding.
struct PaddingCheck {
  bool valid = false;
  std::size_t message_bytes = 0;  ///< how many bytes of the block are message, 0 to a block; 0 if not valid
};

/// Checks the padding of the last decrypted block (one block of the cipher, 1 to 255 bytes), in a time that does not depend
/// on its bytes. None and zero are always valid. Zero takes all zeros at the end of the block for padding.
[[nodiscard]] PaddingCheck check_padding(Padding padding, Bytes last_block);

/// Returns check_padding's message_bytes. Every failure is the same Error (wrong_key).
[[nodiscard]] std::size_t remove_padding(Padding padding, Bytes last_block);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

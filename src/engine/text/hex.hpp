// Hexadecimal digits, as keys, ivs and contexts are given.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>
#include <string_view>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Decodes hex digits of either case, two a byte, with nothing between them, into `out`. `digits` holds exactly
/// 2 * out.size() of them. `what` names them in messages ("the iv"). Throws Error (usage) on a wrong or odd number and on a
/// character that is not a digit, and has then overwritten `out` with zeros. The message counts the digits alone and says
/// what stands between them. It repeats no digit, since they may be a key, and no other character but one that separates
/// digits. Time depends on the number of digits only, and where they are refused on which characters are none.
void decode_hex(std::string_view digits, std::string_view what, MutableBytes out);

/// Returns whether the text is nothing but hex digits, of either case. Time depends on its length only.
[[nodiscard]] bool are_hex_digits(std::string_view text);

/// Describes a text that is nothing but hex digits, white space and what separates digits, for messages: "30 hex digits,
/// with line ends among them". Line ends behind them are left out. "" for other texts.
[[nodiscard]] std::string describe_hex_text(std::string_view text);

/// The digits of a secret, lower-case, and a line end. Time depends on the number of bytes only.
[[nodiscard]] SecretBytes hex_line_of_secret(Bytes secret);

/// Writes two lower-case digits a byte. This is not for secrets: the string is not wiped.
[[nodiscard]] std::string encode_hex(Bytes bytes);

}  // namespace phalanx

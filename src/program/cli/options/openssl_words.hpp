// What the hands of those type who have called `openssl enc` for years.
#pragma once

#include <span>
#include <string>

namespace phalanx {

/// Of the program's arguments, the first of which is the command: which are OpenSSL's, and what is given here; "" where none
/// is. Looked at before they are parsed, since "-out x" is "-o ut" to a parser.
[[nodiscard]] std::string describe_openssl_words(std::span<char* const> arguments);

}  // namespace phalanx

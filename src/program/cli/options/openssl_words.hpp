// This answers options of `openssl enc`, which people type who have called it for years.
#pragma once

#include <span>
#include <string>

namespace phalanx {

/// Says which of the program's arguments are OpenSSL's, and what is given here instead; "" where none is. The first argument
/// is the command. It looks before they are parsed, since "-out x" is "-o ut" to a parser.
[[nodiscard]] std::string describe_openssl_words(std::span<char* const> arguments);

}  // namespace phalanx

// Names of ciphers as users type them: parsed as elsewhere, and an unknown one draws the nearest that there is.
#pragma once

#include <string>
#include <vector>

#include "container/format/suite.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// As parse_cipher_name, parse_openssl_cipher_name and find_suite.
[[nodiscard]] NamedCipher read_cipher_name(const std::string& name);
[[nodiscard]] NamedCipher read_openssl_cipher_name(const std::string& name);
[[nodiscard]] const Suite& read_suite_name(const std::string& name);

/// Of all suites.
[[nodiscard]] std::vector<std::string> suite_names();

}  // namespace phalanx

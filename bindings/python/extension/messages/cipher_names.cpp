#include "messages/cipher_names.hpp"

#include <algorithm>
#include <phalanx/catalog.hpp>

#include "engine/library/names/aliases.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// Whether the library knows the cipher: where the mode is missing, or does not fit, it says so.
bool is_of_known_cipher(const std::string& name) {
  if (find_cipher(name) != nullptr || is_xaes(name)) return true;
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || find_cipher(name.substr(0, dash)) == nullptr) return false;
  return std::ranges::find(mode_facts, name.substr(dash + 1), &ModeFacts::name) != std::end(mode_facts);
}

}  // namespace

void check_cipher_name(const std::string& name, CipherUse use) {
  const std::string lower = lower_case(name);
  if (is_of_known_cipher(lower)) return;
  const bool is_aead = use == CipherUse::aead;
  const std::string_view meaning = is_aead ? "" : openssl_meaning(lower);
  if (!meaning.empty()) {
    throw Error(ErrorCode::usage, std::string("'" + name + "' is OpenSSL's name: here it is '").append(meaning) + "'");
  }
  throw Error(ErrorCode::usage, "cipher '" + name + "' is unknown" + cipher_suggestion(lower, is_aead) +
                                    ": phalanx.ciphers() lists all, as in 'des-ede3-cbc' and 'aes-256-gcm'");
}

}  // namespace phalanx

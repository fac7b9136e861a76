#include "engine/library/names/dm_crypt_name.hpp"

#include <algorithm>
#include <iterator>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// dm-crypt makes a sector's iv in one of these ways (Documentation/admin-guide/device-mapper/dm-crypt.rst in Linux).
// The way stands before a ':'.
constexpr std::string_view iv_names[] = {"plain", "plain64", "plain64be", "essiv", "benbi",   "null",
                                         "lmk",   "tcw",     "random",    "eboiv", "elephant"};

// "serpent" of "serpent-256".
std::string_view family_of(std::string_view cipher) { return cipher.substr(0, cipher.find('-')); }

bool has_family(std::string_view family) {
  return std::ranges::any_of(all_ciphers(), [family](const CipherSpec& cipher) {
    return cipher.block_bytes == 16 && family_of(cipher.name) == family;
  });
}

bool is_iv_name(std::string_view iv) {
  return std::ranges::find(iv_names, iv.substr(0, iv.find(':'))) != std::end(iv_names);
}

// "capi:xts(aes)-plain64" is "aes-xts-plain64".
std::string without_capi(const std::string& name) {
  constexpr std::string_view prefix = "capi:";
  const std::size_t open = name.find('('), close = name.find(')');
  if (!name.starts_with(prefix) || open == std::string::npos || close == std::string::npos || close < open) return name;
  return name.substr(open + 1, close - open - 1) + '-' + name.substr(prefix.size(), open - prefix.size()) +
         name.substr(close + 1);
}

}  // namespace

bool DmCryptName::is_ours() const {
  return mode == "xts" && (iv == "plain" || iv == "plain64") && has_family(family_of(cipher));
}

std::optional<DmCryptName> parse_dm_crypt_name(std::string_view name) {
  const std::string whole = without_capi(lower_case(name));
  const std::size_t colon = whole.find(':');
  const std::size_t before_iv = whole.substr(0, colon).rfind('-');
  if (before_iv == std::string::npos || before_iv == 0) return std::nullopt;
  const std::size_t before_mode = whole.rfind('-', before_iv - 1);
  if (before_mode == std::string::npos) return std::nullopt;
  DmCryptName parts{.cipher = whole.substr(0, before_mode),
                    .mode = whole.substr(before_mode + 1, before_iv - before_mode - 1),
                    .iv = whole.substr(before_iv + 1)};
  return is_iv_name(parts.iv) ? std::optional(parts) : std::nullopt;
}

}  // namespace phalanx

// dm-crypt gives the cipher of a volume a name such as "serpent-xts-plain64".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace phalanx {

struct DmCryptName {
  std::string cipher;  ///< "serpent", or with its key "aes-256", as some write it
  std::string mode;    ///< "xts"
  std::string iv;      ///< how a sector gets its iv: "plain64", "essiv:sha256"

  /// Returns whether it is XTS, with a cipher of ours, and with the sector's number as the tweak, as we have it.
  [[nodiscard]] bool is_ours() const;
};

/// nullopt for what is no such name. Case is ignored.
[[nodiscard]] std::optional<DmCryptName> parse_dm_crypt_name(std::string_view name);

}  // namespace phalanx

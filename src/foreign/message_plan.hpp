// What a bare message is: its cipher and mode, iv and padding, and how `openssl enc` wraps it.
#pragma once

#include <phalanx/foreign.hpp>
#include <string>

#include "foreign/message_cipher.hpp"
#include "foreign/openssl_enc.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// A sector of XTS has no more.
inline constexpr std::size_t most_sector_bytes = std::size_t{1} << 20;

/// How a file of `openssl enc` is read or written.
struct OpensslPlan {
  OpensslDerivation derivation;
  bool find_digest = false;
  bool salted = true;
  bool base64 = false;
};

/// What whoever asked calls the settings that messages name.
struct SettingNames {
  std::string no_salt = "salted = false";
  std::string derivation = "the derivation's digest and pbkdf2";
};

/// Checked against each other; nothing has been read or opened.
struct MessagePlan {
  NamedCipher cipher{};
  CryptJob job;
  bool from_passphrase = false;  ///< no key is given
  bool iv_given = false;
  bool iv_prefix = false;  ///< job.iv has its size, and is the beginning of the ciphertext
  OpensslPlan openssl;     ///< for from_passphrase; base64 for a key too
  SettingNames names;
  RunOptions options;
};

/// Of foreign data. Throws Error (usage) where its fields do not fit each other or the cipher.
[[nodiscard]] MessagePlan plan_foreign(const ForeignFormat& format, const Options& options);

/// Throws Error (usage) for GCM.
void require_bare_mode(const NamedCipher& named);

}  // namespace phalanx

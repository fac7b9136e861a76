// What the options of `phalanx raw` mean together.
#pragma once

#include <string>

#include "cli/raw_options.hpp"
#include "formats/openssl_enc.hpp"
#include "io/chunk_cipher.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// How a file of `openssl enc` is read or written.
struct OpensslPlan {
  OpensslDerivation derivation;
  bool find_digest = false;  ///< --md auto
  bool salted = true;
  bool base64 = false;
};

/// What the options ask for, checked against each other; nothing has been read or opened.
struct RawPlan {
  NamedCipher cipher{};
  CryptJob job;
  bool from_passphrase = false;  ///< --openssl, and no key given
  bool iv_given = false;
  std::string no_salt_option;  ///< "--no-salt", or "--from-no-salt"
  bool iv_prefix = false;      ///< job.iv has its size, and is the beginning of the ciphertext
  OpensslPlan openssl;         ///< for from_passphrase; base64 for a key too
  Options engine;
};

/// Throws Error: usage where the options do not fit each other or the cipher, policy where encrypting asks for a legacy
/// cipher, mode or key derivation without --allow-legacy.
[[nodiscard]] RawPlan plan_raw(const RawOptions& options, Direction direction);

}  // namespace phalanx

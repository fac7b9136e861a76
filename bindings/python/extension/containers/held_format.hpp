// How old data was written, as Python gives it.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/files/foreign.hpp>
#include <string>
#include <vector>

#include "arguments/buffer.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"

namespace phalanx {

namespace nb = nanobind;

/// A ForeignFormat with the memory that it refers to.
class HeldFormat {
 public:
  HeldFormat(const std::string& cipher, nb::handle key, nb::handle passphrase, nb::handle iv, bool begins_with_iv,
             const std::string& padding, const std::string& digest, bool pbkdf2, int iterations, bool salted, bool base64,
             std::size_t sector_bytes, std::uint64_t first_tweak, std::uint64_t tweak_step, nb::handle salt,
             std::size_t salt_bytes) {
    if (!key.is_none()) key_ = SecretBytes(HeldSecret(key, "the old key").bytes());
    if (!passphrase.is_none()) passphrase_ = passphrase_of(passphrase);
    if (!iv.is_none()) {
      const HeldBuffer held(iv, "iv");
      iv_.assign(held.bytes().begin(), held.bytes().end());
    }
    if (!salt.is_none()) {
      const HeldBuffer held(salt, "salt");
      salt_.assign(held.bytes().begin(), held.bytes().end());
    }
    format_ = {.cipher = cipher,
               .padding = parse_padding(padding),
               .begins_with_iv = begins_with_iv,
               .sectors = {sector_bytes, first_tweak, tweak_step},
               .passphrase_is_empty = !passphrase.is_none() && passphrase_.size() == 0,
               .derivation = {digest == "auto" ? "sha256" : digest, pbkdf2, iterations},
               .find_digest = digest == "auto",
               .salted = salted,
               .salt_bytes = salt_bytes,
               .base64 = base64};
  }

  [[nodiscard]] const std::string& cipher() const { return format_.cipher; }

  /// For as long as this object lives.
  [[nodiscard]] ForeignFormat format() const {
    ForeignFormat result = format_;
    result.key = key_;
    result.passphrase = passphrase_;
    result.iv = iv_;
    result.salt = salt_;
    return result;
  }

 private:
  SecretBytes key_;
  SecretBytes passphrase_;
  std::vector<std::uint8_t> iv_, salt_;
  ForeignFormat format_;
};

}  // namespace phalanx

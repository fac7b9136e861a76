// This plans a bare message: its cipher and mode, iv and padding, and how `openssl enc` wraps it.
#pragma once

#include <memory>
#include <optional>
#include <phalanx/files/foreign.hpp>
#include <string>

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/openssl_enc.hpp"

namespace phalanx {

/// In XTS, BIO_f_cipher of `openssl enc` 1.0 (crypto/evp/bio_enc.c) hands on so many bytes at once, each time from the same
/// tweak.
inline constexpr std::size_t openssl_unit_bytes = 4096;
/// Its apps/enc.c reads so many bytes at once, which some take for the size of a data unit.
inline constexpr std::size_t openssl_read_bytes = 8192;

/// A sector of XTS has at most so many bytes.
inline constexpr std::size_t most_sector_bytes = std::size_t{1} << 20;

/// Says how a file of `openssl enc` is read or written.
struct OpensslPlan {
  OpensslDerivation derivation;
  bool find_digest = false;
  bool salted = true;  ///< the file begins with "Salted__" and its salt
  bool base64 = false;
  std::size_t salt_bytes = openssl_salt_bytes;  ///< of a salt that the file begins with
  std::vector<std::uint8_t> salt{};             ///< one that the file does not begin with; empty: there is none

  /// Returns how many bytes stand before the ciphertext, where the key comes from a passphrase.
  [[nodiscard]] std::size_t header_bytes() const { return salted ? openssl_magic_bytes + salt_bytes : 0; }
};

/// Holds the caller's names of the settings, for messages.
struct SettingNames {
  std::string iv = "`iv`";
  bool iv_in_hex = false;
  std::string begins_with_iv = "`begins_with_iv`";
  std::string padding = "`padding`";
  std::string base64 = "`base64`";
  std::string sectors = "sectors";       ///< all of their settings
  std::string by_sectors = "`sectors`";  ///< what is given instead of an iv
  std::string sector_bytes = "`sector_bytes`";
  std::string large_sectors = "`tweak_step`";
  std::string find_digest = "`find_digest`";
  std::string no_salt = "salted = false";
  std::string salt = "`salt`";
  std::string salt_bytes = "`salt_bytes`";
  std::string derivation = "the derivation's digest and pbkdf2";
  std::string other_wrappings{};  ///< what is given where a file does not begin with its salt; "" where nothing is said
  std::string allow_legacy = "set allow_legacy";  ///< what allows a legacy cipher
  std::string reads_aead = "an Aead opens it";    ///< what takes a message with a tag
};

/// Holds what is asked for, before any of it is known to fit. The spans stay the caller's.
struct MessageFormat {
  /// These are the sectors of XTS.
  struct Sectors {
    std::uint64_t sector_bytes = 512;
    std::uint64_t first_tweak = 0;
    std::optional<std::uint64_t> tweak_step{};  ///< nullopt: the tweak counts 512 bytes, as dm-crypt's plain64 does
  };

  ForeignCipher cipher{};
  Direction direction = Direction::decrypt;
  std::optional<Padding> padding{};  ///< nullopt: PKCS#7, where the mode takes padding
  bool from_passphrase = false;      ///< of `openssl enc`; else there is a key
  Bytes iv{};                        ///< empty: none is given
  bool begins_with_iv = false;       ///< the ciphertext does
  std::optional<Sectors> sectors{};
  OpensslPlan openssl{};  ///< for from_passphrase; base64 for a key too
};

/// A message of these formats names its own cipher, and a candidate's plan has none.
enum class OwnFormat : unsigned char { none, cms, openpgp };

/// Holds what was asked for, once its parts were checked against each other. Nothing has been read or opened.
struct MessagePlan {
  ForeignCipher cipher{};
  CryptJob job;
  OwnFormat own_format = OwnFormat::none;
  bool from_passphrase = false;  ///< no key is given
  bool iv_given = false;
  bool iv_prefix = false;   ///< job.iv has its size, and is the beginning of the ciphertext
  bool reads_part = false;  ///< only a part of it is decrypted, and the length of all is no matter at first
  OpensslPlan openssl;      ///< for from_passphrase; base64 for a key too
  std::shared_ptr<const SettingNames> names;
  RunOptions options;
};

/// Throws Error (usage) for a cipher that is read only: "Phalanx reads bf-cbc, and does not write it". `what`: "write it".
void refuse_read_only(const ForeignCipher& cipher, const std::string& what);

/// This is the only judge of formats: of the library's, and of those that the program's options make. Throws Error:
/// - usage, where the parts do not fit each other or the cipher, or encrypting asks for a cipher that is read only
/// - policy, where encrypting asks for a legacy cipher, mode or key derivation without options.policy.allow_legacy
[[nodiscard]] MessagePlan plan_message(const MessageFormat& format, const RunOptions& options, SettingNames names = {});

/// Returns words for messages, "; to openssl enc des-ede3 is ECB, and des3 is CBC". They are for a passphrase that opens
/// nothing under DES in ECB: its user may have taken that name for the usual mode. Any other plan has "".
[[nodiscard]] std::string hint_of_ecb(const MessagePlan& plan);

/// Plans a message of foreign data. Throws as plan_message does, and Error (usage) where the key does not fit.
[[nodiscard]] MessagePlan plan_foreign(const ForeignFormat& format, const RunOptions& options,
                                       Direction direction = Direction::decrypt);

}  // namespace phalanx

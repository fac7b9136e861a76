// These are the options of `phalanx raw`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ciphers/direction.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/cms_options.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/options/raw_aead_options.hpp"

namespace phalanx {

/// Holds the options of volumes of LUKS as given.
struct RawLuksOptions {
  bool is_given = false;
  std::optional<std::string> header;
  std::optional<unsigned> key_slot;
};

/// Holds the options of messages of OpenPGP as given.
struct RawOpenPgpOptions {
  bool is_given = false;
  SecretSources session_key;
  bool allow_unauthenticated = false;
};

/// Holds the options as given.
struct RawOptions {
  std::string in, out;
  std::string cipher;
  std::optional<std::string> iv;
  bool iv_prefix = false;  ///< the ciphertext begins with its iv
  std::optional<std::string> padding;
  std::optional<std::uint64_t> sector_size;
  std::optional<std::uint64_t> sector_offset;
  bool iv_large_sectors = false;
  RawAeadOptions aead;
  CmsOptions cms;
  RawLuksOptions luks;
  RawOpenPgpOptions openpgp;
  std::optional<std::string> range;
  std::optional<std::string> skip;
  std::optional<std::string> in_place;
  bool trust_journal = false;
  bool allow_unmarked = false;
  bool openssl = false;
  bool find_all = false;  ///< for `migrate`: what is not given is found for each file
  bool base64 = false;
  std::optional<std::string> digest;
  bool pbkdf2 = false;
  bool no_pbkdf2 = false;
  std::optional<int> num_iterations;
  bool no_salt = false;
  std::optional<std::string> salt;  ///< of -S of OpenSSL 3
  std::optional<std::size_t> salt_bytes;
  bool allow_legacy = false;
  bool allow_weak_key = false;
  bool force = false;
  bool changing_input = false;
  SecretSources secrets;
  RequestedEngine engine;
  MessageOptions messages;

  /// Returns an option's name as messages show it, with the prefix of the secrets.
  [[nodiscard]] std::string option(const std::string& name) const { return secrets.option(name); }
};

/// Adds the options that name the cipher, the iv, the key and what `openssl enc` derives it by. The old side of `migrate`
/// has them too, under the prefix in options.secrets. `messages` stay the caller's.
void add_bare_cipher_options(CLI::App& command, RawOptions& options, Direction direction, const MessageOptions& messages);

void add_raw_options(CLI::App& command, RawOptions& options, Direction direction);

/// Throws CLI11's error where no cipher is given, nor a format that says its own: --cms, --luks or --openpgp. Throws Error
/// (usage) where several formats are.
void require_cipher(const RawOptions& options);

/// Throws Error (usage) where an option is given that describes a ciphertext, which `format` describes itself: "--luks".
/// `since` says what of it does: "the volume's header says all".
void refuse_cipher_options(const RawOptions& options, const std::string& format, const std::string& since);

/// Says why the value of --in-place is no FILE, or returns "". A value that begins as options do is an option that
/// --in-place would eat.
[[nodiscard]] std::string refuse_option_as_file(const std::string& value);

}  // namespace phalanx

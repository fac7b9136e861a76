#include "program/cli/options/raw_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <utility>

#include "files/foreign/openssl_enc.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/changing_input.hpp"

namespace phalanx {
namespace {

void add_cipher_options(CLI::App& command, RawOptions& options, Direction direction) {
  const std::string group = options.secrets.prefix.empty() ? "Cipher" : "The old ciphertext";
  const auto number = whole_number(0, std::numeric_limits<std::uint64_t>::max());
  const bool candidates = !options.secrets.prefix.empty();
  mark_common(command
                  .add_option(options.option("cipher"), options.cipher,
                              candidates ? "cipher and mode, such as aes-256-ctr, des3 or bf; or several, with commas"
                              : direction == Direction::encrypt
                                  ? "cipher and mode, such as aes-256-ctr; with --openssl also des3"
                                  : "cipher and mode, such as aes-256-ctr; with --openssl also des3 or bf")
                  ->type_name("NAME")
                  ->required(!candidates && direction == Direction::encrypt)
                  ->group(group));
  CLI::Option* const iv =
      command.add_option(options.option("iv"), options.iv, "iv, first counter block, or XTS tweak; as long as a block");
  iv->type_name("HEX")->group(group);
  if (!candidates) mark_common(iv);
  command
      .add_option(options.option("padding"), options.padding,
                  "for ECB and CBC: pkcs7 (default), none, x923, iso7816 or zero")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option(options.option("sector-size"), options.sector_size,
                  "XTS by sectors of this many bytes, 512 or 4096 on most disks; without it, one data unit")
      ->type_name("N")
      ->transform(number)
      ->group(group);
  command.add_option(options.option("sector-offset"), options.sector_offset, "XTS by sectors: the first one's tweak (0)")
      ->type_name("N")
      ->transform(number)
      ->group(group);
  command
      .add_flag(options.option("iv-large-sectors"), options.iv_large_sectors,
                "XTS by sectors: the tweak counts sectors, not 512 bytes")
      ->group(group);
}

// These choose a part of IN, which only decrypting takes.
void add_range_options(CLI::App& command, RawOptions& options) {
  command.add_option("--range", options.range, "only LENGTH bytes from OFFSET on; no LENGTH: to the end")
      ->type_name("OFFSET:LENGTH");
  command.add_option("--skip", options.skip, "the ciphertext begins behind so many bytes of IN; 16M too")->type_name("N");
}

// A volume says itself what its cipher is.
void add_luks_options(CLI::App& command, RawLuksOptions& options) {
  constexpr const char* group = "Other formats";
  constexpr unsigned most_slot = 31;
  mark_common(
      command.add_flag("--luks", options.is_given, "IN is a volume of LUKS1 or LUKS2, and a key file its passphrase"))
      ->group(group);
  command.add_option("--luks-header", options.header, "a file with the header, which IN does not begin with")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--key-slot", options.key_slot, "the only key slot that is tried")
      ->type_name("N")
      ->transform(whole_number(0, most_slot))
      ->group(group);
}

// A message says itself what its cipher is.
void add_openpgp_options(CLI::App& command, RawOpenPgpOptions& options, const MessageOptions& messages) {
  constexpr const char* group = "Other formats";
  options.session_key.warn = [&messages](const std::string& warning) { print_note(warning, messages.quiet); };
  mark_common(command.add_flag("--openpgp", options.is_given, "IN is a message that gpg or another OpenPGP encrypted"))
      ->group(group);
  const auto add = [&](const char* name, SecretKind kind, const char* description, const char* type) {
    const auto keep = [&options, kind](const std::string& place) { options.session_key.named.emplace_back(kind, place); };
    return command.add_option_function<std::string>(name, keep, description)
        ->trigger_on_parse()
        ->type_name(type)
        ->group(group);
  };
  add("--session-key-file", SecretKind::session_key_file, "what `gpg --show-session-key -d IN` prints: 9:HEX", "FILE");
  add("--session-key-fd", SecretKind::session_key_fd, "the same, from a file descriptor", "N")
      ->transform(whole_number(0, std::numeric_limits<int>::max()));
  command
      .add_flag("--allow-unauthenticated", options.allow_unauthenticated,
                "read a message of old PGP, which has no modification detection code")
      ->group(group);
}

void add_openssl_options(CLI::App& command, RawOptions& options, Direction direction) {
  const std::string group = options.secrets.prefix.empty() ? "Files of `openssl enc`" : "Old files of `openssl enc`";
  const bool encrypting = direction == Direction::encrypt;
  const auto mark_here = [&](CLI::Option* option) { return options.secrets.prefix.empty() ? mark_common(option) : option; };
  mark_here(command.add_flag(options.option("openssl"), options.openssl,
                             "the format, the names and the key derivation of `openssl enc`"))
      ->group(group);
  mark_here(command.add_flag((options.secrets.prefix.empty() ? "-a," : "") + options.option("base64"), options.base64,
                             encrypting ? "write base64 lines" : "read base64"))
      ->group(group);
  mark_here(command.add_option(options.option("md"), options.digest,
                               encrypting ? "digest (sha256)"
                               : options.secrets.prefix.empty()
                                   ? "digest (sha256); auto finds it by the padding"
                                   : "digest (sha256), or several with commas; auto tries four"))
      ->type_name("NAME")
      ->group(group);
  mark_here(command.add_flag(options.option("pbkdf2"), options.pbkdf2,
                             encrypting ? "derive the key by PBKDF2 (default)" : "the key was derived by PBKDF2"))
      ->group(group);
  command
      .add_flag(options.option("no-pbkdf2"), options.no_pbkdf2,
                encrypting ? "derive it by EVP_BytesToKey; this needs --allow-legacy"
                           : "the key was derived by EVP_BytesToKey (default)")
      ->group(group);
  command
      .add_option(options.option("iter"), options.num_iterations,
                  "iterations of PBKDF2 (10000); implies " + options.option("pbkdf2"))
      ->type_name("N")
      ->transform(whole_number(1, std::numeric_limits<int>::max()))
      ->group(group);
  command.add_flag(options.option("no-salt"), options.no_salt, "no salt and no header")->group(group);
  if (encrypting) return;
  command.add_option(options.option("salt"), options.salt, "the salt of -S of OpenSSL 3, which writes no header")
      ->type_name("HEX")
      ->group(group);
  command
      .add_option(options.option("saltlen"), options.salt_bytes, "bytes of salt behind 'Salted__' (8), as -saltlen set it")
      ->type_name("N")
      ->transform(whole_number(1, most_openssl_salt_bytes))
      ->group(group);
}

}  // namespace

std::string refuse_option_as_file(const std::string& value) {
  if (!value.starts_with("--")) return "";
  return "FILE must follow at once, and '" + value + "' looks like an option: give ./" + value + " if it is a file";
}

void add_bare_cipher_options(CLI::App& command, RawOptions& options, Direction direction, const MessageOptions& messages) {
  add_cipher_options(command, options, direction);
  add_openssl_options(command, options, direction);
  add_secret_options(command, options.secrets, messages);
}

void add_raw_options(CLI::App& command, RawOptions& options, Direction direction) {
  add_stream_arguments(command, options.in, options.out);
  add_bare_cipher_options(command, options, direction, options.messages);
  add_raw_aead_options(command, options.aead, direction);
  if (direction == Direction::decrypt) {
    add_range_options(command, options);
    add_cms_options(command, options.cms, options.messages);
    add_luks_options(command, options.luks);
    add_openpgp_options(command, options.openpgp, options.messages);
  }
  mark_common(command
                  .add_option("--in-place", options.in_place,
                              "overwrite FILE with its result; after a kill, the same command goes on")
                  ->type_name("FILE")
                  ->check(CLI::Validator(refuse_option_as_file, "")));
  if (direction == Direction::decrypt) command.add_flag("--iv-prefix", options.iv_prefix, "IN begins with its iv");
  command.add_flag("--trust-journal", options.trust_journal,
                   "with --in-place: go on even if FILE has another device or inode number, as after a restart");
  command.add_flag("--allow-unmarked", options.allow_unmarked,
                   "with --in-place: go on even if FILE has no room for the mark that tells it half done after a rename");
  add_force_option(command, options.force);
  add_changing_input_option(command, options.changing_input);
  CLI::Option* const allow_legacy =
      command.add_flag("--allow-legacy", options.allow_legacy,
                       direction == Direction::encrypt ? "write with DES, 2DES, 3DES, ECB or --no-pbkdf2"
                                                       : "no effect: reading is always allowed");
  if (direction == Direction::encrypt) mark_common(allow_legacy);
  command.add_flag("--allow-weak-key", options.allow_weak_key,
                   direction == Direction::encrypt ? "write with a weak DES key, or with equal parts of a key"
                                                   : "no effect: reading is always allowed");
  add_engine_options(command, options.engine);
  add_message_options(command, options.messages);
}

void require_cipher(const RawOptions& options) {
  const int num_formats =
      (options.cms.is_given ? 1 : 0) + (options.luks.is_given ? 1 : 0) + (options.openpgp.is_given ? 1 : 0);
  if (options.cipher.empty() && num_formats == 0) throw CLI::RequiredError(options.option("cipher"));
  if (num_formats > 1)
    throw Error(ErrorCode::usage, "--cms, --luks and --openpgp are three formats, and IN has one of them: keep one");
}

void refuse_cipher_options(const RawOptions& options, const std::string& format, const std::string& since) {
  const RawAeadOptions& aead = options.aead;
  const auto shown = [&](const std::string& name) {
    return name == "base64" && options.secrets.prefix.empty() ? "-a" : options.option(name);
  };
  const std::pair<bool, const char*> given[] = {{!options.cipher.empty(), "cipher"},
                                                {options.iv.has_value(), "iv"},
                                                {options.iv_prefix, "iv-prefix"},
                                                {options.padding.has_value(), "padding"},
                                                {options.sector_size.has_value(), "sector-size"},
                                                {options.sector_offset.has_value(), "sector-offset"},
                                                {options.iv_large_sectors, "iv-large-sectors"},
                                                {options.openssl, "openssl"},
                                                {options.base64, "base64"},
                                                {options.digest.has_value(), "md"},
                                                {options.pbkdf2, "pbkdf2"},
                                                {options.no_pbkdf2, "no-pbkdf2"},
                                                {options.num_iterations.has_value(), "iter"},
                                                {options.no_salt, "no-salt"},
                                                {options.salt.has_value(), "salt"},
                                                {options.salt_bytes.has_value(), "saltlen"},
                                                {aead.nonce.has_value(), "nonce"},
                                                {aead.nonce_bytes.has_value(), "nonce-bytes"},
                                                {aead.tag.has_value(), "tag"},
                                                {aead.tag_bytes.has_value(), "tag-bytes"},
                                                {aead.tag_first, "tag-first"},
                                                {aead.associated_data.has_value(), "associated-data"},
                                                {aead.associated_data_file.has_value(), "associated-data-file"},
                                                {options.trust_journal, "trust-journal"},
                                                {options.allow_unmarked, "allow-unmarked"}};
  for (const auto& [is_given, name] : given) {
    if (is_given)
      throw Error(ErrorCode::usage, shown(name) + " does not go with " + format + ", since " + since + ": leave it out");
  }
}

}  // namespace phalanx

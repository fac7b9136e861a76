#include "program/cli/options/raw_plan.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/library/names/aliases.hpp"
#include "engine/library/names/dm_crypt_name.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "files/foreign/message_range.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "program/cli/options/byte_range.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

SettingNames names_of(const RawOptions& options) {
  const auto name = [&](const char* option) { return options.option(option); };
  return {.iv = name("iv"),
          .iv_in_hex = true,
          .begins_with_iv = name("iv-prefix"),
          .padding = name("padding"),
          .base64 = options.secrets.prefix.empty() ? "-a" : name("base64"),
          .sectors = fmt::format("{}, {} and {}", name("sector-size"), name("sector-offset"), name("iv-large-sectors")),
          .by_sectors = "the sector options",
          .sector_bytes = name("sector-size"),
          .large_sectors = name("iv-large-sectors"),
          .find_digest = name("md") + " auto",
          .no_salt = name("no-salt"),
          .salt = name("salt"),
          .salt_bytes = name("saltlen"),
          .derivation = name("md") + " and " + name("pbkdf2"),
          .other_wrappings = options.secrets.prefix.empty()
                                 ? "-a reads base64, --no-salt what has no salt, and --salt what -S wrote"
                                 : "--from-auto finds base64, and what has no salt, and --from-salt takes what -S wrote",
          .allow_legacy = "give --allow-legacy",
          .reads_aead = "`phalanx raw decrypt` reads it"};
}

void check_openssl_only(const RawOptions& options) {
  const auto refuse = [&](bool given, const std::string& name) {
    if (given) throw_usage(fmt::format("{} goes with {} only", name, options.option("openssl")));
  };
  refuse(options.digest.has_value(), options.option("md"));
  refuse(options.pbkdf2, options.option("pbkdf2"));
  refuse(options.no_pbkdf2, options.option("no-pbkdf2"));
  refuse(options.num_iterations.has_value(), options.option("iter"));
  refuse(options.no_salt, options.option("no-salt"));
  refuse(options.salt.has_value(), options.option("salt"));
  refuse(options.salt_bytes.has_value(), options.option("saltlen"));
  refuse(options.secrets.names_passphrase(), "a passphrase");
}

// Refuses dm-crypt's name of a volume's cipher, which no cipher has here, and says what to give.
void explain_dm_crypt_name(const RawOptions& options) {
  const std::optional<DmCryptName> name = parse_dm_crypt_name(options.cipher);
  if (!name) return;
  if (!name->is_ours()) {
    throw_usage(
        fmt::format("'{}' is dm-crypt's name, and such sectors are not read here by a key alone: {}`cryptsetup open` shows "
                    "what they hold",
                    options.cipher, options.secrets.prefix.empty() ? "--luks reads a volume with its header, and " : ""));
  }
  const std::string family = name->cipher.substr(0, name->cipher.find('-'));
  const std::string where = options.secrets.prefix.empty() ? ", and --skip where the data begin" : "";
  throw_usage(
      fmt::format("'{}' is dm-crypt's name: with a volume key of 512 bits (64 bytes) give {} {}-256-xts, of 256 bits "
                  "{}-128-xts; also {} with the volume's (512 or 4096), {} with the first sector's number (0 in LUKS){}",
                  options.cipher, options.option("cipher"), family, family, options.option("sector-size"),
                  options.option("sector-offset"), where));
}

ForeignCipher openssl_cipher_of(const RawOptions& options) {
  try {
    return parse_openssl_cipher_name(options.cipher);
  } catch (const Error& error) {
    const bool is_for_raw = options.secrets.prefix.empty() && lower_case(options.cipher).ends_with("-gcm");
    if (!is_for_raw) throw;
    throw Error(error, std::string(error.what()) + "; what other programs wrote in gcm is read without --openssl");
  }
}

ForeignCipher cipher_of(const RawOptions& options) {
  explain_dm_crypt_name(options);
  if (options.openssl) return openssl_cipher_of(options);
  const std::string_view meaning = openssl_meaning(options.cipher);
  if (!meaning.empty() && find_cipher(options.cipher) == nullptr) {
    throw_usage(fmt::format("'{}' is OpenSSL's name of {}: give {} for a file of `openssl enc`, or else {}", options.cipher,
                            meaning, options.option("openssl"), meaning));
  }
  return parse_foreign_cipher_name(options.cipher);
}

bool asks_pbkdf2(const RawOptions& options) { return options.pbkdf2 || options.num_iterations.has_value(); }

void check_openssl(const RawOptions& options) {
  if (!options.openssl) return check_openssl_only(options);
  const bool salts = options.no_salt || options.salt || options.salt_bytes;
  const bool derives = options.digest || asks_pbkdf2(options) || options.no_pbkdf2 || salts;
  if (derives && options.secrets.names_key()) {
    throw_usage(fmt::format("{}, {}, {} and {} derive from a passphrase, and a key is given: leave out one or the other",
                            options.option("md"), options.option("pbkdf2"), options.option("iter"),
                            options.option("no-salt")));
  }
  if (asks_pbkdf2(options) && options.no_pbkdf2) {
    throw_usage(fmt::format("{} contradicts {} and {}: give one", options.option("no-pbkdf2"), options.option("pbkdf2"),
                            options.option("iter")));
  }
}

std::vector<std::uint8_t> salt_of(const RawOptions& options) {
  if (!options.salt) return {};
  if (options.no_salt || options.salt_bytes) {
    throw_usage(fmt::format("{} is the whole salt: leave {} out", options.option("salt"),
                            options.option(options.no_salt ? "no-salt" : "saltlen")));
  }
  std::vector<std::uint8_t> salt(options.salt->size() / 2);
  decode_hex(*options.salt, options.option("salt"), salt);
  return salt;
}

OpensslPlan openssl_of(const RawOptions& options, Direction direction) {
  OpensslPlan plan;
  plan.derivation.pbkdf2 = asks_pbkdf2(options) || (direction == Direction::encrypt && !options.no_pbkdf2);
  plan.derivation.num_iterations = options.num_iterations.value_or(plan.derivation.num_iterations);
  plan.find_digest = options.digest == "auto";
  if (options.digest && !plan.find_digest) plan.derivation.digest = *options.digest;
  plan.salt = salt_of(options);
  plan.salted = !options.no_salt && plan.salt.empty();
  plan.salt_bytes = options.salt_bytes.value_or(plan.salt_bytes);
  plan.base64 = options.base64;
  return plan;
}

std::optional<MessageFormat::Sectors> sectors_of(const RawOptions& options) {
  if (!options.sector_size && !options.sector_offset && !options.iv_large_sectors) return std::nullopt;
  MessageFormat::Sectors sectors;
  sectors.sector_bytes = options.sector_size.value_or(sectors.sector_bytes);
  sectors.first_tweak = options.sector_offset.value_or(sectors.first_tweak);
  if (options.iv_large_sectors) sectors.tweak_step = 1;
  return sectors;
}

std::vector<std::uint8_t> iv_of(const RawOptions& options, const ForeignCipher& cipher) {
  if (!options.iv) return {};
  const std::size_t size = iv_bytes(cipher);
  const bool is_taken = size != 0 && !is_aead(cipher.mode);  // else it is refused, whatever it is
  std::vector<std::uint8_t> iv(is_taken ? size : options.iv->size() / 2);
  decode_hex(*options.iv, options.option("iv"), iv);
  return iv;
}

void check_in_place(const RawOptions& options, const MessagePlan& plan) {
  const CryptJob& job = plan.job;
  if (!options.in_place) {
    if (options.trust_journal) throw_usage("--trust-journal goes with --in-place only");
    return;
  }
  if (options.changing_input) throw_usage("--changing-input is about IN, and --in-place has none: leave it out");
  if (!options.in.empty() || !options.out.empty()) throw_usage("--in-place FILE takes no IN and no OUT: leave them out");
  refuse_read_only(plan.cipher, "change a file of it in place: name IN and OUT");
  if (options.openssl) throw_usage("--in-place keeps the length, and --openssl does not: give one");
  if (options.base64) throw_usage("--in-place keeps the length, and -a does not: give one");
  if (options.iv_prefix) throw_usage("--in-place crypts all of FILE, and with --iv-prefix it begins with the iv: give one");
  if (takes_padding(job.mode) && job.padding != Padding::none) {
    throw_usage("--in-place keeps the length: ECB and CBC need --padding none");
  }
}

void check_range(const RawOptions& options, const ForeignCipher& cipher) {
  const bool reads_part = options.range.has_value() || options.skip.has_value();
  if (reads_part && options.in_place)
    throw_usage("--range and --skip read a part of IN, and --in-place has none: leave them out");
  if (options.skip) static_cast<void>(parse_skip(*options.skip));
  if (!options.range) return;
  static_cast<void>(parse_range(*options.range));
  require_ranges(cipher);
  if (options.base64)
    throw_usage("--range needs ciphertext as it is, since base64 is read from its beginning: decode it first");
}

}  // namespace

std::string hint_of_key_size(const RawOptions& options) {
  if (!options.openssl) return "";
  return "; of a -K that is too short `openssl enc` takes zeros for the digits behind it, and of one that is too long the "
         "first digits: write the key so";
}

MessagePlan plan_raw(const RawOptions& options, Direction direction) {
  MessageFormat format;
  format.cipher = cipher_of(options);
  format.direction = direction;
  check_sources(options.secrets);
  check_openssl(options);
  if (options.padding) format.padding = parse_padding(*options.padding);
  format.from_passphrase = options.openssl && !options.secrets.names_key();
  const std::vector<std::uint8_t> iv = iv_of(options, format.cipher);
  format.iv = iv;
  format.begins_with_iv = options.iv_prefix;
  format.sectors = sectors_of(options);
  if (options.openssl) format.openssl = openssl_of(options, direction);
  format.openssl.base64 = options.base64;
  RunOptions engine = options.engine.library_options();
  engine.policy.allow_legacy = options.allow_legacy;
  MessagePlan plan = plan_message(format, engine, names_of(options));
  plan.reads_part = options.range.has_value();
  check_in_place(options, plan);
  check_range(options, plan.cipher);
  refuse_aead_options(options.aead);
  return plan;
}

}  // namespace phalanx

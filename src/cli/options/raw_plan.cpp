#include "cli/options/raw_plan.hpp"

#include <fmt/format.h>

#include <phalanx/key_derivation.hpp>

#include "cli/options/cipher_arguments.hpp"
#include "files/file_descriptor.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

constexpr std::size_t default_sector_bytes = 512;
constexpr std::size_t tweak_unit_bytes = 512;  // dm-crypt's plain64 counts these, whatever the sector

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

Padding choose_padding(const RawOptions& options, Mode mode) {
  if (takes_padding(mode)) return options.padding ? parse_padding(*options.padding) : Padding::pkcs7;
  if (options.padding && parse_padding(*options.padding) != Padding::none)
    throw_usage(options.option("padding") + " is for ECB and CBC: this mode takes any length, so leave it out");
  return Padding::none;
}

std::optional<SectorLayout> plan_sectors(const RawOptions& options, Mode mode) {
  if (!options.sector_size && !options.sector_offset && !options.iv_large_sectors) return std::nullopt;
  if (mode != Mode::xts) {
    throw_usage(fmt::format("{}, {} and {} are for XTS only", options.option("sector-size"), options.option("sector-offset"),
                            options.option("iv-large-sectors")));
  }
  if (options.iv) throw_usage(options.option("iv") + " is the tweak of a single data unit: give it, or the sector options");
  const std::uint64_t size = options.sector_size.value_or(default_sector_bytes);
  if (size < largest_block_bytes || size > most_sector_bytes) {
    throw_usage(fmt::format("{} {} is not between {} and {}", options.option("sector-size"), size, largest_block_bytes,
                            most_sector_bytes));
  }
  if (!options.iv_large_sectors && size % tweak_unit_bytes != 0) {
    throw_usage(fmt::format("{} {} is not a multiple of 512: choose one, or count sectors by {}",
                            options.option("sector-size"), size, options.option("iv-large-sectors")));
  }
  return SectorLayout{.sector_bytes = static_cast<std::size_t>(size),
                      .first_tweak = options.sector_offset.value_or(0),
                      .tweak_step = options.iv_large_sectors ? 1 : size / tweak_unit_bytes};
}

// The iv from the options; from_passphrase: one that is not given is derived.
ChainValue plan_iv(const RawOptions& options, const NamedCipher& named, bool from_passphrase) {
  ChainValue iv;
  if (named.mode == Mode::ecb) {
    if (options.iv) throw_usage("ECB takes no iv: leave " + options.option("iv") + " out");
    return iv;
  }
  const std::size_t size = named.cipher->block_bytes;
  if (options.iv) {
    decode_hex(*options.iv, options.option("iv"), MutableBytes(iv.bytes).first(size));
  } else if (!from_passphrase && !options.iv_prefix) {
    throw_usage(fmt::format("{} needs {}, {} hex digits ({} bytes){}", full_name(named), options.option("iv"), 2 * size,
                            size, named.mode == Mode::xts ? ", or " + options.option("sector-size") : ""));
  }
  iv.size = size;
  return iv;
}

void check_iv_prefix(const RawOptions& options, const MessagePlan& plan) {
  if (!plan.iv_prefix) return;
  const std::string name = options.option("iv-prefix");
  if (options.iv) throw_usage(name + " takes the iv from the file: leave " + options.option("iv") + " out");
  if (plan.job.mode == Mode::ecb) throw_usage("ECB takes no iv: leave " + name + " out");
  if (plan.job.sectors.sector_bytes != 0) throw_usage("XTS by sectors takes no iv: leave " + name + " out");
  if (plan.from_passphrase) throw_usage("the iv comes from the passphrase: leave " + name + " out");
}

void check_openssl_only(const RawOptions& options) {
  const auto refuse = [&](bool given, const std::string& name) {
    if (given) throw_usage(fmt::format("{} goes with {} only", name, options.option("openssl")));
  };
  refuse(options.base64, options.option("base64"));
  refuse(options.digest.has_value(), options.option("md"));
  refuse(options.pbkdf2, options.option("pbkdf2"));
  refuse(options.no_pbkdf2, options.option("no-pbkdf2"));
  refuse(options.num_iterations.has_value(), options.option("iter"));
  refuse(options.no_salt, options.option("no-salt"));
  refuse(options.secrets.names_passphrase(), "a passphrase");
}

void check_key_with_openssl(const RawOptions& options) {
  if (options.digest || options.pbkdf2 || options.no_pbkdf2 || options.num_iterations || options.no_salt) {
    throw_usage(fmt::format("{}, {}, {} and {} derive from a passphrase, and a key is given: leave out one or the other",
                            options.option("md"), options.option("pbkdf2"), options.option("iter"),
                            options.option("no-salt")));
  }
}

OpensslPlan plan_openssl(const RawOptions& options, Direction direction, const CryptJob& job) {
  OpensslPlan plan;
  const bool asks_pbkdf2 = options.pbkdf2 || options.num_iterations;
  if (asks_pbkdf2 && options.no_pbkdf2) {
    throw_usage(fmt::format("{} contradicts {} and {}: give one", options.option("no-pbkdf2"), options.option("pbkdf2"),
                            options.option("iter")));
  }
  plan.derivation.pbkdf2 = asks_pbkdf2 || (direction == Direction::encrypt && !options.no_pbkdf2);
  plan.derivation.num_iterations = options.num_iterations.value_or(plan.derivation.num_iterations);
  plan.salted = !options.no_salt;
  plan.base64 = options.base64;
  plan.find_digest = options.digest == "auto";
  if (options.digest && !plan.find_digest) {
    plan.derivation.digest = *options.digest;
    require_digest(plan.derivation.digest);
  }
  if (!plan.find_digest) return plan;
  if (direction == Direction::encrypt) throw_usage("--md auto is for decrypting: name a digest");
  if (!takes_padding(job.mode) || !can_check(job.padding)) {
    throw_usage(options.option("md") + " auto goes by the padding, and there is none to check: name the digest");
  }
  return plan;
}

void check_in_place(const RawOptions& options, const CryptJob& job) {
  if (!options.in_place) {
    if (options.trust_journal) throw_usage("--trust-journal goes with --in-place only");
    return;
  }
  if (options.changing_input) throw_usage("--changing-input is about IN, and --in-place has none: leave it out");
  if (!options.in.empty() || !options.out.empty()) throw_usage("--in-place FILE takes no IN and no OUT: leave them out");
  if (options.openssl) throw_usage("--in-place keeps the length, and --openssl does not: give one");
  if (takes_padding(job.mode) && job.padding != Padding::none) {
    throw_usage("--in-place keeps the length: ECB and CBC need --padding none");
  }
}

bool is_standard_input(const std::string& path) { return path.empty() || path == "-" || inherited_descriptor(path) == 0; }

// A passphrase ends with its line, so data may follow it; a key ends with its source.
void check_standard_input(const RawOptions& options) {
  if (options.secrets.empties_standard_input() && !options.in_place && is_standard_input(options.in)) {
    throw_usage("the key and IN cannot both be standard input: name a file for one");
  }
}

void check_policy(const RawOptions& options, const MessagePlan& plan) {
  if (options.allow_legacy || plan.job.direction == Direction::decrypt) return;
  const std::string name = full_name(plan.cipher);
  if (plan.cipher.cipher->family == CipherFamily::des) {
    throw Error(ErrorCode::policy, name + " is a legacy cipher, for reading old data: give --allow-legacy to write with it");
  }
  if (plan.job.mode == Mode::ecb) {
    throw Error(ErrorCode::policy, name + " shows which blocks are equal: give --allow-legacy to write with it");
  }
  if (plan.from_passphrase && !plan.openssl.derivation.pbkdf2) {
    throw Error(ErrorCode::policy, "without PBKDF2 a passphrase is guessed fast: give --allow-legacy to write so");
  }
}

}  // namespace

MessagePlan plan_raw(const RawOptions& options, Direction direction) {
  MessagePlan plan;
  plan.cipher = options.openssl ? read_openssl_cipher_name(options.cipher) : read_cipher_name(options.cipher);
  require_bare_mode(plan.cipher);
  check_sources(options.secrets);
  if (!options.openssl) check_openssl_only(options);
  plan.from_passphrase = options.openssl && !options.secrets.names_key();
  plan.job.direction = direction;
  plan.job.mode = plan.cipher.mode;
  plan.job.padding = choose_padding(options, plan.job.mode);
  plan.iv_given = options.iv.has_value();
  plan.names = {.no_salt = options.option("no-salt"),
                .derivation = options.option("md") + " and " + options.option("pbkdf2")};
  plan.iv_prefix = options.iv_prefix;
  plan.options = options.engine.library_options();
  if (const auto sectors = plan_sectors(options, plan.job.mode)) {
    plan.job.sectors = *sectors;
  } else {
    plan.job.iv = plan_iv(options, plan.cipher, plan.from_passphrase);
  }
  check_iv_prefix(options, plan);
  if (options.openssl && !plan.from_passphrase) check_key_with_openssl(options);
  if (options.openssl) plan.openssl = plan_openssl(options, direction, plan.job);
  check_in_place(options, plan.job);
  check_standard_input(options);
  check_policy(options, plan);
  plan.options.allow_legacy = options.allow_legacy;
  return plan;
}

}  // namespace phalanx

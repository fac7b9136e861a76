#include "program/cli/options/raw_aead_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <phalanx/catalog.hpp>
#include <vector>

#include "engine/library/names/cipher_name.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "files/system/input.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {
namespace {

constexpr std::size_t least_tag_bytes = 12;                           // SP 800-38D section 5.2.1.2
constexpr std::size_t most_associated_bytes = std::size_t{16} << 20;  // all of it is in memory
constexpr std::uint64_t most_nonce_bytes = std::uint64_t{1} << 16;    // of one that a message begins with
constexpr const char* aead_group = "GCM (aes-256-gcm and its like, xaes-256-gcm)";

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

std::vector<std::uint8_t> decode_digits(const std::string& digits, const std::string& option) {
  if (digits.empty()) throw_usage(option + " is empty: give hex digits");
  std::vector<std::uint8_t> bytes(digits.size() / 2);
  decode_hex(digits, option, bytes);
  return bytes;
}

const CipherFacts& named_facts(const RawOptions& options) {
  if (!is_xaes(options.cipher)) static_cast<void>(parse_cipher_name(options.cipher));  // its errors have more to say
  return cipher_facts(options.cipher);
}

void refuse(bool given, const std::string& what) {
  if (given) throw_usage(what);
}

void refuse_options_of_modes(const RawOptions& options, const std::string& name) {
  refuse(options.iv.has_value(),
         name + " has a nonce and no iv: give --nonce, or leave it out where the message begins with it");
  refuse(options.padding.has_value(), "--padding is for ECB and CBC: " + name + " takes any length, so leave it out");
  refuse(options.sector_size || options.sector_offset || options.iv_large_sectors,
         "--sector-size, --sector-offset and --iv-large-sectors are for XTS only");
  refuse(options.in_place.has_value() || options.trust_journal || options.allow_unmarked,
         name + " is not crypted in place, since nothing is let out before the tag is verified: name IN and OUT");
  refuse(
      options.base64 || options.digest || options.pbkdf2 || options.no_pbkdf2 || options.num_iterations || options.no_salt,
      "-a, --md, --pbkdf2, --no-pbkdf2, --iter and --no-salt go with --openssl only");
  refuse(options.secrets.names_passphrase(), name + " takes a key here, and no passphrase: `phalanx encrypt` takes one");
}

void check_nonce(const RawOptions& options, const CipherFacts& facts, const AeadLayout& layout, Direction direction) {
  const RawAeadOptions& given = options.aead;
  if (given.allow_nonce && !given.nonce) throw_usage("--allow-nonce goes with --nonce only: else a nonce is drawn");
  if (given.nonce && given.nonce_bytes)
    throw_usage("--nonce-bytes is of a nonce that IN begins with: leave it out, or --nonce");
  const std::size_t size = given.nonce ? layout.nonce.size() : layout.nonce_bytes;
  if (is_xaes(facts.name) && size != facts.iv_bytes) {
    throw_usage(fmt::format("a nonce of {} has {} bytes, and not {}", facts.name, facts.iv_bytes, size));
  }
  if (direction == Direction::decrypt || !given.nonce || given.allow_nonce) return;
  throw Error(ErrorCode::policy,
              "a nonce that is used twice under one key gives away what was encrypted: leave --nonce out, and one is drawn, "
              "or give --allow-nonce if it is new");
}

void check_tag(const RawAeadOptions& given, const CipherFacts& facts, const AeadLayout& layout) {
  if (given.tag && given.tag_bytes) throw_usage("--tag-bytes is of a tag that IN has: leave it out, or --tag");
  if (given.tag && given.tag_first) throw_usage("--tag-first is of a tag that IN has: leave it out, or --tag");
  const std::size_t size = given.tag ? layout.tag.size() : layout.tag_bytes;
  const std::size_t least = is_xaes(facts.name) ? facts.tag_bytes : least_tag_bytes;
  if (size >= least && size <= facts.tag_bytes) return;
  throw_usage(least == facts.tag_bytes
                  ? fmt::format("a tag of {} has {} bytes, and not {}", facts.name, facts.tag_bytes, size)
                  : fmt::format("a tag of {} has {} to {} bytes, and not {}", facts.name, least, facts.tag_bytes, size));
}

AeadLayout layout_of(const RawOptions& options, const CipherFacts& facts, Direction direction) {
  const RawAeadOptions& given = options.aead;
  AeadLayout layout;
  layout.nonce_bytes = static_cast<std::size_t>(given.nonce_bytes.value_or(facts.iv_bytes));
  layout.tag_bytes = static_cast<std::size_t>(given.tag_bytes.value_or(facts.tag_bytes));
  layout.tag_first = given.tag_first;
  if (given.nonce) layout.nonce = decode_digits(*given.nonce, "--nonce");
  if (given.tag) layout.tag = decode_digits(*given.tag, "--tag");
  check_nonce(options, facts, layout, direction);
  check_tag(given, facts, layout);
  return layout;
}

std::vector<std::uint8_t> read_associated_file(const std::string& path) {
  if (path.empty() || path == "-") throw_usage("--associated-data-file names a file, and no standard input");
  Input input(path);
  std::vector<std::uint8_t> data(most_associated_bytes + 1);
  data.resize(input.read(data));
  if (data.size() <= most_associated_bytes) return data;
  throw_usage(fmt::format("{} is too long for associated data: {} bytes are taken at most", path, most_associated_bytes));
}

std::vector<std::uint8_t> associated_data_of(const RawAeadOptions& given) {
  if (given.associated_data && given.associated_data_file) {
    throw_usage("--associated-data and --associated-data-file are both given: give one of them");
  }
  if (given.associated_data_file) return read_associated_file(*given.associated_data_file);
  const std::string text = given.associated_data.value_or("");
  return {text.begin(), text.end()};
}

}  // namespace

void add_raw_aead_options(CLI::App& command, RawAeadOptions& options, Direction direction) {
  const bool encrypting = direction == Direction::encrypt;
  const auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    return command.add_option(name, value, description)->type_name(type)->group(aead_group);
  };
  add("--nonce", options.nonce,
      encrypting ? "a nonce of your own, which OUT does not get; needs --allow-nonce"
                 : "the nonce, where IN does not begin with it",
      "HEX");
  if (encrypting) {
    command.add_flag("--allow-nonce", options.allow_nonce, "the nonce is new under this key")->group(aead_group);
  } else {
    add("--nonce-bytes", options.nonce_bytes, "bytes of the nonce that IN begins with (12)", "N")
        ->transform(whole_number(1, most_nonce_bytes));
    add("--tag", options.tag, "the tag, where IN does not have it", "HEX");
    add("--tag-bytes", options.tag_bytes, "bytes of the tag that IN has (16)", "N")
        ->transform(whole_number(least_tag_bytes, aead_tag_bytes));
    command.add_flag("--tag-first", options.tag_first, "the tag stands before the ciphertext, behind the nonce")
        ->group(aead_group);
  }
  add("--associated-data", options.associated_data, "a text that the tag covers, and that is not encrypted", "TEXT");
  add("--associated-data-file", options.associated_data_file, "the same, all bytes of a file", "FILE");
}

bool names_aead(const RawOptions& options) {
  const std::string name = lower_case(options.cipher);
  return !options.openssl && (name.ends_with("-gcm") || is_xaes(name));
}

void refuse_aead_options(const RawAeadOptions& options) {
  const auto refuse_option = [](bool given, const char* name) {
    if (given) throw_usage(std::string(name) + " goes with a cipher in gcm only, such as aes-256-gcm");
  };
  refuse_option(options.nonce.has_value(), "--nonce");
  refuse_option(options.nonce_bytes.has_value(), "--nonce-bytes");
  refuse_option(options.allow_nonce, "--allow-nonce");
  refuse_option(options.tag.has_value(), "--tag");
  refuse_option(options.tag_bytes.has_value(), "--tag-bytes");
  refuse_option(options.tag_first, "--tag-first");
  refuse_option(options.associated_data.has_value(), "--associated-data");
  refuse_option(options.associated_data_file.has_value(), "--associated-data-file");
}

AeadPlan plan_raw_aead(const RawOptions& options, Direction direction) {
  const CipherFacts& facts = named_facts(options);
  check_sources(options.secrets);
  refuse_options_of_modes(options, facts.name);
  return {.name = facts.name,
          .layout = layout_of(options, facts, direction),
          .associated_data = associated_data_of(options.aead),
          .options = options.engine.library_options(),
          .doubted_settings = " (--nonce, --nonce-bytes, --tag, --tag-bytes and --tag-first say where)"};
}

}  // namespace phalanx

#include "files/foreign/foreign_cipher.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <phalanx/error.hpp>
#include <span>

#include "engine/library/names/aliases.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// This is a cipher of libcrypto under one length of key, with the modes in which `openssl enc` has it. A stream cipher has
// no mode, and its name has none.
struct LibcryptoFamily {
  std::string_view name;
  std::size_t key_bytes;
  std::size_t iv_bytes;
  std::size_t block_bytes;
  std::span<const std::string_view> modes;
  ForeignWay way;
};

constexpr std::string_view all_modes[] = {"ecb", "cbc", "cfb", "cfb1", "cfb8", "ofb", "ctr"};
constexpr std::string_view modes_of_sm4[] = {"ecb", "cbc", "cfb", "ofb", "ctr"};
constexpr std::string_view old_modes[] = {"ecb", "cbc", "cfb", "ofb"};
constexpr std::string_view cbc_alone[] = {"cbc"};
constexpr std::span<const std::string_view> no_mode;

// The sizes are those that EVP_CIPHER_get_key_length and its like give for OpenSSL 3.0.
constexpr LibcryptoFamily families[] = {
    {"camellia-128", 16, 16, 16, all_modes, ForeignWay::libcrypto},
    {"camellia-192", 24, 16, 16, all_modes, ForeignWay::libcrypto},
    {"camellia-256", 32, 16, 16, all_modes, ForeignWay::libcrypto},
    {"aria-128", 16, 16, 16, all_modes, ForeignWay::libcrypto},
    {"aria-192", 24, 16, 16, all_modes, ForeignWay::libcrypto},
    {"aria-256", 32, 16, 16, all_modes, ForeignWay::libcrypto},
    {"sm4", 16, 16, 16, modes_of_sm4, ForeignWay::libcrypto},
    {"chacha20", 32, 16, 1, no_mode, ForeignWay::libcrypto},
    {"bf", 16, 8, 8, old_modes, ForeignWay::legacy},
    {"cast5", 16, 8, 8, old_modes, ForeignWay::legacy},
    {"rc2", 16, 8, 8, old_modes, ForeignWay::legacy},
    {"rc2-64", 8, 8, 8, cbc_alone, ForeignWay::legacy},
    {"rc2-40", 5, 8, 8, cbc_alone, ForeignWay::legacy},
    {"seed", 16, 16, 16, old_modes, ForeignWay::legacy},
    {"desx", 24, 8, 8, cbc_alone, ForeignWay::legacy},
    {"rc4", 16, 0, 1, no_mode, ForeignWay::legacy},
    {"rc4-40", 5, 0, 1, no_mode, ForeignWay::legacy},
};

struct Alias {
  std::string_view name;
  std::string_view meaning;
};

// `openssl enc -list` has these names.
constexpr Alias aliases[] = {
    {"bf", "bf-cbc"},
    {"blowfish", "bf-cbc"},
    {"cast", "cast5-cbc"},
    {"cast-cbc", "cast5-cbc"},
    {"rc2", "rc2-cbc"},
    {"rc2-128", "rc2-cbc"},
    {"rc2-64", "rc2-64-cbc"},
    {"rc2-40", "rc2-40-cbc"},
    {"seed", "seed-cbc"},
    {"desx", "desx-cbc"},
    {"sm4", "sm4-cbc"},
    {"aria128", "aria-128-cbc"},
    {"aria192", "aria-192-cbc"},
    {"aria256", "aria-256-cbc"},
    {"camellia128", "camellia-128-cbc"},
    {"camellia192", "camellia-192-cbc"},
    {"camellia256", "camellia-256-cbc"},
};

// `openssl enc` 1.0 lists these names of GCM.
constexpr Alias gcm_aliases[] = {
    {"id-aes128-gcm", "aes-128-gcm"},
    {"id-aes192-gcm", "aes-192-gcm"},
    {"id-aes256-gcm", "aes-256-gcm"},
};

// Names with this part in them are not read.
struct NotRead {
  std::string_view part;
  std::string_view why;
};

constexpr std::string_view is_key_wrapping = "wraps keys, and is no cipher for files";
constexpr std::string_view has_a_tag =
    "has a tag, which `openssl enc` has no place for in a file: whatever wrote it is needed to read it";
constexpr std::string_view not_in_debian =
    "is in no OpenSSL of Debian's, and so is not read here: `openssl enc -d` of a build that has it decrypts the file";

constexpr NotRead not_read[] = {
    {"wrap", is_key_wrapping},   {"-ccm", has_a_tag},    {"-ocb", has_a_tag},         {"-siv", has_a_tag},
    {"poly1305", has_a_tag},     {"-hmac-", has_a_tag},  {"aria-128-gcm", has_a_tag}, {"aria-192-gcm", has_a_tag},
    {"aria-256-gcm", has_a_tag}, {"sm4-gcm", has_a_tag}, {"idea", not_in_debian},     {"rc5", not_in_debian},
};

template <std::size_t count>
std::string_view meaning_in(const Alias (&list)[count], std::string_view name) {
  const auto* const found = std::ranges::find(list, name, &Alias::name);
  return found == std::end(list) ? name : found->meaning;
}

// A stream cipher is judged as CTR is, and CFB of any segment as CFB.
Mode judged_mode(std::string_view mode) {
  if (mode.starts_with("cfb")) return Mode::cfb;
  const auto* const found = std::ranges::find(mode_facts, mode, &ModeFacts::name);
  return found == std::end(mode_facts) ? Mode::ctr : found->mode;
}

std::string name_in(const LibcryptoFamily& family, std::string_view mode) {
  return std::string(family.name) + '-' + std::string(mode);
}

ForeignCipher cipher_of(const LibcryptoFamily& family, std::string_view name, std::string_view mode) {
  ForeignCipher cipher;
  cipher.name = name;
  cipher.key_bytes = family.key_bytes;
  cipher.mode = judged_mode(mode);
  cipher.iv_bytes = cipher.mode == Mode::ecb ? 0 : family.iv_bytes;
  cipher.block_bytes = family.block_bytes;
  cipher.way = family.way;
  return cipher;
}

std::optional<ForeignCipher> find_in_libcrypto(std::string_view name) {
  for (const LibcryptoFamily& family : families) {
    if (family.modes.empty() && name == family.name) return cipher_of(family, name, "");
    for (const std::string_view mode : family.modes) {
      if (name == name_in(family, mode)) return cipher_of(family, name, mode);
    }
  }
  return std::nullopt;
}

// Finds names such as "aes-128-cfb8".
std::optional<ForeignCipher> find_segments(std::string_view name) {
  for (const unsigned bits : {8U, 1U}) {
    const std::string mode = "-cfb" + std::to_string(bits);
    if (!name.ends_with(mode)) continue;
    const CipherSpec* const spec = find_cipher(name.substr(0, name.size() - mode.size()));
    if (spec == nullptr) continue;
    ForeignCipher cipher(NamedCipher{spec, Mode::cfb});
    cipher.name = spec->name + mode;
    cipher.way = ForeignWay::segments;
    cipher.segment_bits = bits;
    cipher.engine.mode = Mode::ecb;
    return cipher;
  }
  return std::nullopt;
}

// Finds AES in GCM and XTS. `openssl enc` refuses both today, and version 1.0.1 wrote them without a word.
std::optional<ForeignCipher> find_of_openssl_1_0(std::string_view name) {
  const std::string_view meaning = meaning_in(gcm_aliases, name);
  const bool is_gcm = meaning.ends_with("-gcm");
  if (!is_gcm && !meaning.ends_with("-xts")) return std::nullopt;
  const CipherSpec* const spec = find_cipher(meaning.substr(0, meaning.size() - 4));
  const bool is_known = spec != nullptr && spec->family == CipherFamily::aes && (is_gcm || spec->key_bytes != 24);
  if (!is_known) return std::nullopt;
  ForeignCipher cipher(NamedCipher{spec, is_gcm ? Mode::ctr : Mode::xts});
  cipher.name = meaning;
  cipher.way = is_gcm ? ForeignWay::no_tag : ForeignWay::restarted;
  if (is_gcm) cipher.iv_bytes = gcm_nonce_bytes;
  return cipher;
}

std::optional<ForeignCipher> find_read_only(std::string_view lower) {
  const std::optional<ForeignCipher> found = find_in_libcrypto(meaning_in(aliases, lower));
  return found ? found : find_segments(lower);
}

void refuse_unread(std::string_view lower) {
  for (const NotRead& entry : not_read) {
    if (lower.find(entry.part) == lower.npos) continue;
    throw Error(ErrorCode::usage, "'" + std::string(lower) + "' " + std::string(entry.why));
  }
}

}  // namespace

ForeignCipher::ForeignCipher(const NamedCipher& named)
    : name(phalanx::full_name(named)),
      key_bytes(phalanx::key_bytes(named)),
      iv_bytes(phalanx::iv_bytes(named)),
      block_bytes(named.cipher->block_bytes),
      mode(named.mode),
      engine(named) {}

ForeignCipher parse_openssl_cipher_name(std::string_view name) {
  const std::string lower = lower_case(name);
  const std::string_view meaning = openssl_meaning(lower);
  if (!meaning.empty()) return parse_cipher_name(meaning);
  if (const std::optional<ForeignCipher> found = find_read_only(lower)) return *found;
  if (const std::optional<ForeignCipher> found = find_of_openssl_1_0(lower)) return *found;
  refuse_unread(lower);
  const NamedCipher cipher = parse_cipher_name(lower);
  if (cipher.mode == Mode::xts || is_aead(cipher.mode)) {
    throw Error(ErrorCode::usage, "'" + lower + "': openssl enc has never had it; choose ecb, cbc, ctr, cfb or ofb");
  }
  return cipher;
}

ForeignCipher parse_foreign_cipher_name(std::string_view name) {
  const std::string lower = lower_case(name);
  if (const std::optional<ForeignCipher> found = find_read_only(lower)) return *found;
  return parse_cipher_name(name);
}

std::vector<std::string> read_only_names() {
  std::vector<std::string> names;
  for (const LibcryptoFamily& family : families) {
    if (family.modes.empty()) names.emplace_back(family.name);
    for (const std::string_view mode : family.modes) names.push_back(name_in(family, mode));
  }
  for (const Alias& alias : aliases) names.emplace_back(alias.name);
  for (const CipherSpec& cipher : all_ciphers()) {
    for (const char* const mode : {"-cfb1", "-cfb8"}) names.push_back(cipher.name + std::string(mode));
  }
  return names;
}

}  // namespace phalanx

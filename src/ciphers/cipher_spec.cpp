#include "ciphers/cipher_spec.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <phalanx/phalanx.hpp>

namespace phalanx {
namespace {

constexpr CipherSpec ciphers[] = {
    {"des", CipherFamily::des, 8, 8},
    {"2des", CipherFamily::des, 16, 8},
    {"des-ede", CipherFamily::des, 16, 8},
    {"des-ede3", CipherFamily::des, 24, 8},
    {"aes-128", CipherFamily::aes, 16, 16},
    {"aes-192", CipherFamily::aes, 24, 16},
    {"aes-256", CipherFamily::aes, 32, 16},
    {"serpent-128", CipherFamily::serpent, 16, 16},
    {"serpent-192", CipherFamily::serpent, 24, 16},
    {"serpent-256", CipherFamily::serpent, 32, 16},
    {"twofish-128", CipherFamily::twofish, 16, 16},
    {"twofish-192", CipherFamily::twofish, 24, 16},
    {"twofish-256", CipherFamily::twofish, 32, 16},
};

struct Alias {
  const char* alias;
  const char* name;
};
constexpr Alias aliases[] = {{"3des", "des-ede3"}};

constexpr std::array mode_table = {"ecb", "cbc", "ctr", "cfb", "ofb", "xts", "gcm"};  // in the order of Mode

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string joined(std::string list, const char* name) { return list.empty() ? name : list + ", " + name; }

std::string mode_list() { return std::accumulate(mode_table.begin(), mode_table.end(), std::string(), joined); }

std::string cipher_list() {
  std::string list;
  for (const CipherSpec& cipher : ciphers) list = joined(list, cipher.name);
  return list;
}

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

}  // namespace

std::span<const CipherSpec> all_ciphers() { return ciphers; }

std::span<const char* const> all_modes() { return mode_table; }

bool is_mode_of(const CipherSpec& cipher, Mode mode) {
  return cipher.block_bytes == 16 || (mode != Mode::xts && mode != Mode::gcm);
}

const CipherSpec* find_cipher(std::string_view name) {
  std::string lower = lower_case(name);
  for (const Alias& alias : aliases) {
    if (lower == alias.alias) lower = alias.name;
  }
  const auto* found =
      std::find_if(std::begin(ciphers), std::end(ciphers), [&](const CipherSpec& c) { return lower == c.name; });
  return found == std::end(ciphers) ? nullptr : found;
}

NamedCipher parse_cipher_name(std::string_view name) {
  const std::string quoted = std::string("'").append(name).append("'");
  if (find_cipher(name) != nullptr) {
    fail("cipher " + quoted + " lacks a mode: add one, as in '" + lower_case(name) + "-cbc' (" + mode_list() + ")");
  }
  const std::size_t dash = name.rfind('-');
  const CipherSpec* cipher = dash == std::string_view::npos ? nullptr : find_cipher(name.substr(0, dash));
  if (cipher == nullptr) {
    fail("cipher " + quoted + " is unknown: give cipher-mode, of the ciphers " + cipher_list() + " and the modes " +
         mode_list());
  }
  const std::string mode_name = lower_case(name.substr(dash + 1));
  const auto found = std::find(mode_table.begin(), mode_table.end(), mode_name);
  if (found == mode_table.end()) {
    fail("mode '" + mode_name + "' of " + quoted + " is unknown: the modes are " + mode_list());
  }
  const auto mode = static_cast<Mode>(found - mode_table.begin());
  if (!is_mode_of(*cipher, mode)) {
    fail("mode " + mode_name + " needs a cipher with 16-byte blocks, and those of " + cipher->name +
         " have 8: choose cbc or ctr");
  }
  return {cipher, mode};
}

std::string full_name(const NamedCipher& named) {
  return std::string(named.cipher->name) + "-" + mode_table[static_cast<std::size_t>(named.mode)];
}

std::size_t key_bytes(const NamedCipher& named) { return named.cipher->key_bytes * (named.mode == Mode::xts ? 2 : 1); }

}  // namespace phalanx

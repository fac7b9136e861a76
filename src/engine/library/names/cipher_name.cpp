#include "engine/library/names/cipher_name.hpp"

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>
#include <string>

#include "engine/library/names/aliases.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

std::string joined(std::string list, const char* name) { return list.empty() ? name : list + ", " + name; }

std::string mode_list() {
  std::string list;
  for (const ModeFacts& facts : mode_facts) list = joined(list, facts.name.data());
  return list;
}

std::string cipher_list() {
  std::string list;
  for (const CipherSpec& cipher : all_ciphers()) list = joined(list, cipher.name);
  return list;
}

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

[[noreturn]] void fail_unknown(std::string_view name, const std::string& quoted) {
  const std::string_view meaning = openssl_meaning(name);
  if (!meaning.empty()) fail(std::string(quoted + " is OpenSSL's name: here it is '").append(meaning) + "'");
  fail("cipher " + quoted + " is unknown" + cipher_suggestion(name) + ": give cipher-mode, of the ciphers " + cipher_list() +
       " and the modes " + mode_list());
}

}  // namespace

NamedCipher parse_cipher_name(std::string_view name) {
  const std::string quoted = std::string("'").append(name).append("'");
  if (find_cipher(name) != nullptr) {
    fail("cipher " + quoted + " lacks a mode: add one, as in '" + lower_case(name) + "-cbc' (" + mode_list() + ")");
  }
  if (is_xaes(name)) fail(quoted + " is an AEAD, and no cipher in a mode: give it to an Aead of the library");
  const std::size_t dash = name.rfind('-');
  const CipherSpec* cipher = dash == std::string_view::npos ? nullptr : find_cipher(name.substr(0, dash));
  if (cipher == nullptr) fail_unknown(name, quoted);
  const std::string mode_name = lower_case(name.substr(dash + 1));
  const auto* found = std::ranges::find(mode_facts, mode_name, &ModeFacts::name);
  if (found == std::end(mode_facts)) {
    fail("mode '" + mode_name + "' of " + quoted + " is unknown" + cipher_suggestion(name) + ": the modes are " +
         mode_list());
  }
  if (!is_mode_of(*cipher, found->mode)) {
    fail("mode " + mode_name + " needs a cipher with 16-byte blocks, and those of " + cipher->name +
         " have 8: choose cbc or ctr");
  }
  return {cipher, found->mode};
}

}  // namespace phalanx

#include "modes/named_cipher.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "modes/mode_facts.hpp"
#include "modes/other_names.hpp"
#include "text/characters.hpp"

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

}  // namespace

bool is_xaes(std::string_view name) { return lower_case(name) == xaes_name; }

bool is_mode_of(const CipherSpec& cipher, Mode mode) {
  return cipher.block_bytes == 16 || !facts_of(mode).needs_16_byte_blocks;
}

namespace {

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

std::string full_name(const NamedCipher& named) {
  return std::string(named.cipher->name) + "-" + facts_of(named.mode).name.data();
}

std::size_t key_bytes(const NamedCipher& named) { return named.cipher->key_bytes * facts_of(named.mode).num_keys; }

std::size_t iv_bytes(const NamedCipher& named) {
  const ModeFacts& facts = facts_of(named.mode);
  return facts.iv == IvLength::block ? named.cipher->block_bytes : facts.iv == IvLength::nonce ? gcm_nonce_bytes : 0;
}

}  // namespace phalanx

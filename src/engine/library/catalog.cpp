// This lists the ciphers, modes and engines of this build, and tells its version.
#include "engine/library/catalog.hpp"

#include <phalanx/catalog.hpp>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/xaes.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {
namespace {

CipherFacts make_facts(const NamedCipher& named) {
  const bool authenticated = is_aead(named.mode);
  return {.name = full_name(named),
          .cipher = named.cipher->name,
          .mode = std::string(facts_of(named.mode).name),
          .key_bytes = key_bytes(named),
          .block_bytes = named.cipher->block_bytes,
          .iv_bytes = iv_bytes(named),
          .tag_bytes = authenticated ? aead_tag_bytes : 0,
          .encrypts_parts = !authenticated && is_divisible(named.mode, Direction::encrypt),
          .decrypts_parts = !authenticated && is_divisible(named.mode, Direction::decrypt)};
}

CipherFacts make_xaes_facts() {
  return {.name = std::string(xaes_name),
          .cipher = "xaes-256",
          .mode = "gcm",
          .key_bytes = 32,
          .block_bytes = 16,
          .iv_bytes = xaes_nonce_bytes,
          .tag_bytes = xaes_tag_bytes,
          .encrypts_parts = false,
          .decrypts_parts = false};
}

std::vector<CipherFacts> make_catalog() {
  std::vector<CipherFacts> catalog;
  for (const CipherSpec& cipher : all_ciphers()) {
    for (const ModeFacts& facts : mode_facts) {
      if (is_mode_of(cipher, facts.mode)) catalog.push_back(make_facts({&cipher, facts.mode}));
    }
  }
  catalog.push_back(make_xaes_facts());
  return catalog;
}

}  // namespace

// The catalog has them in this order.
const CipherFacts& facts_of(const NamedCipher& named) {
  std::size_t place = 0;
  for (const CipherSpec& cipher : all_ciphers()) {
    for (const ModeFacts& facts : mode_facts) {
      if (!is_mode_of(cipher, facts.mode)) continue;
      if (&cipher == named.cipher && facts.mode == named.mode) return all_cipher_facts()[place];
      ++place;
    }
  }
  throw Error(ErrorCode::usage, full_name(named) + " is not in the catalog");
}

inline namespace PHALANX_VERSION_NAMESPACE {

std::span<const CipherFacts> all_cipher_facts() {
  static const auto& catalog = *new std::vector<CipherFacts>(make_catalog());  // lives for ever
  return catalog;
}

const CipherFacts& cipher_facts(std::string_view name) {
  return is_xaes(name) ? all_cipher_facts().back() : facts_of(parse_cipher_name(name));
}

std::vector<EngineInfo> engines() { return list_engines(); }

std::vector<std::string> cipher_names() {
  std::vector<std::string> names;
  for (const CipherSpec& cipher : all_ciphers()) names.emplace_back(cipher.name);
  return names;
}

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const ModeFacts& facts : mode_facts) names.emplace_back(facts.name);
  return names;
}

const char* version() { return PHALANX_VERSION; }

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

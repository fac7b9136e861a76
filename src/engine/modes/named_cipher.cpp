#include "engine/modes/named_cipher.hpp"

#include "engine/modes/mode_facts.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
bool is_xaes(std::string_view name) { return lower_case(name) == xaes_name; }

bool is_mode_of(const CipherSpec& cipher, Mode mode) {
  return cipher.block_bytes == 16 || !facts_of(mode).needs_16_byte_blocks;
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

// What this build has: engines, ciphers, modes, version.
#include <phalanx/phalanx.hpp>

#include "ciphers/cipher_spec.hpp"
#include "engines/registry.hpp"
#include "modes/mode_facts.hpp"

namespace phalanx {

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

}  // namespace phalanx

#include "engine/ciphers/cipher_spec.hpp"

#include <algorithm>
#include <string>

#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

constexpr CipherSpec ciphers[] = {
    {"des", CipherFamily::des, CipherKernel::des, 8, 8},
    {"2des", CipherFamily::des, CipherKernel::des, 16, 8},
    {"des-ede", CipherFamily::des, CipherKernel::des, 16, 8, 24},  // SP 800-67, keying option 2: K3 = K1
    {"des-ede3", CipherFamily::des, CipherKernel::des, 24, 8},
    {"aes-128", CipherFamily::aes, CipherKernel::aes_128, 16, 16},
    {"aes-192", CipherFamily::aes, CipherKernel::aes_192, 24, 16},
    {"aes-256", CipherFamily::aes, CipherKernel::aes_256, 32, 16},
    {"serpent-128", CipherFamily::serpent, CipherKernel::serpent, 16, 16},
    {"serpent-192", CipherFamily::serpent, CipherKernel::serpent, 24, 16},
    {"serpent-256", CipherFamily::serpent, CipherKernel::serpent, 32, 16},
    {"twofish-128", CipherFamily::twofish, CipherKernel::twofish, 16, 16},
    {"twofish-192", CipherFamily::twofish, CipherKernel::twofish, 24, 16},
    {"twofish-256", CipherFamily::twofish, CipherKernel::twofish, 32, 16},
};

struct Alias {
  const char* alias;
  const char* name;
};
constexpr Alias aliases[] = {{"3des", "des-ede3"}};

}  // namespace

std::span<const CipherSpec> all_ciphers() { return ciphers; }

const CipherSpec* find_cipher(std::string_view name) {
  std::string lower = lower_case(name);
  for (const Alias& alias : aliases) {
    if (lower == alias.alias) lower = alias.name;
  }
  const auto* found =
      std::find_if(std::begin(ciphers), std::end(ciphers), [&](const CipherSpec& c) { return lower == c.name; });
  return found == std::end(ciphers) ? nullptr : found;
}

}  // namespace phalanx

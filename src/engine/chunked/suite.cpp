#include "engine/chunked/suite.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string>

#include "engine/library/names/cipher_name.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// The first two AEAD names are IANA's (registry of AEAD algorithms), and these two suites are what the standard calls
// Cobblestone; the others are ours.
constexpr Suite suites[] = {
    {1, "aes-256", "aes-256-gcm", "AEAD_AES_256_GCM", 32, "cobblestone-256"},
    {2, "aes-128", "aes-128-gcm", "AEAD_AES_128_GCM", 16, "cobblestone-128"},
    {3, "serpent-256", "serpent-256-gcm", "PHALANX_SERPENT_256_GCM", 32, "serpent-256"},
    {4, "twofish-256", "twofish-256-gcm", "PHALANX_TWOFISH_256_GCM", 32, "twofish-256"},
};

// By one of its names. `what` has that name: "a container".
const Suite& find_by_name(std::string_view name, const char* const Suite::*own_name, const std::string& what) {
  const auto is_same = [](char a, char b) { return lower_case(a) == b; };
  for (const Suite& suite : suites) {
    if (std::ranges::equal(name, std::string_view(suite.*own_name), is_same)) return suite;
  }
  std::string names;
  for (const Suite& suite : suites) names += std::string(names.empty() ? "" : ", ") + suite.*own_name;
  throw Error(ErrorCode::usage, what + " has no cipher '" + std::string(name) + "': choose one of " + names);
}

}  // namespace

std::span<const Suite> all_suites() { return suites; }

const Suite& find_suite(std::string_view name) { return find_by_name(name, &Suite::name, "a container"); }
const Suite& find_chunked_suite(std::string_view name) {
  return find_by_name(name, &Suite::chunked_name, "chunked encryption");
}

NamedCipher aead_of(const Suite& suite) { return parse_cipher_name(suite.cipher); }

const Suite& suite_of_id(std::uint8_t id) {
  for (const Suite& suite : suites) {
    if (suite.id == id) return suite;
  }
  throw Error(ErrorCode::format, "the container's suite is number " + std::to_string(id) +
                                     ", which this version does not know: a newer version may");
}

}  // namespace phalanx

#include "container/format/suite.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace phalanx {
namespace {

// The first two names are IANA's (registry of AEAD algorithms); the others are ours.
constexpr Suite suites[] = {
    {1, "aes-256", "aes-256-gcm", "AEAD_AES_256_GCM", 32},
    {2, "aes-128", "aes-128-gcm", "AEAD_AES_128_GCM", 16},
    {3, "serpent-256", "serpent-256-gcm", "PHALANX_SERPENT_256_GCM", 32},
    {4, "twofish-256", "twofish-256-gcm", "PHALANX_TWOFISH_256_GCM", 32},
};

}  // namespace

std::span<const Suite> all_suites() { return suites; }

const Suite& find_suite(std::string_view name) {
  const auto is_same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (const Suite& suite : suites) {
    if (std::ranges::equal(name, std::string_view(suite.name), is_same)) return suite;
  }
  std::string names;
  for (const Suite& suite : suites) names += std::string(names.empty() ? "" : ", ") + suite.name;
  throw Error(ErrorCode::usage, "a container has no cipher '" + std::string(name) + "': choose one of " + names);
}

const Suite& suite_of_id(std::uint8_t id) {
  for (const Suite& suite : suites) {
    if (suite.id == id) return suite;
  }
  throw Error(ErrorCode::usage, "the container's suite is number " + std::to_string(id) +
                                    ", which this version does not know: a newer version may");
}

}  // namespace phalanx

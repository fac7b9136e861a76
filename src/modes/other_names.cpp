#include "modes/other_names.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "modes/mode_facts.hpp"
#include "modes/named_cipher.hpp"
#include "text/characters.hpp"
#include "text/suggestion.hpp"

namespace phalanx {
namespace {

struct OpensslName {
  std::string_view name;
  std::string_view meaning;
};

// As `openssl enc -list` shows them; the two ECB ones are aliases in libcrypto's object table.
constexpr OpensslName openssl_names[] = {
    {"des", "des-cbc"},        {"des-ede", "des-ede-ecb"}, {"des-ede3", "des-ede3-ecb"}, {"des3", "des-ede3-cbc"},
    {"aes128", "aes-128-cbc"}, {"aes192", "aes-192-cbc"},  {"aes256", "aes-256-cbc"},
};

// The ciphers themselves too: what one lacks then, the next message says.
std::vector<std::string> our_names(bool is_aead) {
  std::vector<std::string> names;
  for (const CipherSpec& cipher : all_ciphers()) {
    if (!is_aead) names.emplace_back(cipher.name);
    for (const ModeFacts& facts : mode_facts) {
      const bool fits = is_mode_of(cipher, facts.mode) && (!is_aead || facts.mode == Mode::gcm);
      if (fits) names.push_back(full_name({&cipher, facts.mode}));
    }
  }
  if (is_aead) names.emplace_back(xaes_name);
  return names;
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// "128" in "aes-128-cbc": the first number of three digits or more, or "".
std::string size_in(const std::string& name) {
  for (auto at = std::ranges::find_if(name, is_digit); at != name.end(); at = std::find_if(at, name.end(), is_digit)) {
    const auto end = std::find_if_not(at, name.end(), is_digit);
    if (end - at >= 3) return {at, end};
    at = end;
  }
  return "";
}

// A cipher's name in ours, with the key's size where it says one: "aes_256/CBC" is of aes-256.
std::string cipher_in(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  const std::string size = size_in(name);
  for (const char* family : {"aes", "rijndael", "serpent", "twofish"}) {
    if (!has(family)) continue;
    return (std::string_view(family) == "rijndael" ? "aes-" : family + std::string("-")) + (size.empty() ? "256" : size);
  }
  constexpr const char* triple[] = {"3des", "des3", "ede3", "desede", "tripledes", "tdes", "tdea"};
  if (std::ranges::any_of(triple, has)) return "des-ede3";
  return name.starts_with("des") ? "des" : "";
}

// "" for one that nothing here has: another would be no answer.
std::string mode_in(const std::string& name, bool is_aead) {
  for (const char* other : {"ccm", "siv", "eax", "ocb", "ige", "wrap"}) {
    if (name.find(other) != std::string::npos) return "";
  }
  if (is_aead) return "gcm";
  for (const char* mode : {"gcm", "cbc", "ctr", "cfb", "ofb", "xts", "ecb"}) {
    if (name.find(mode) != std::string::npos) return mode;
  }
  return "cbc";
}

}  // namespace

std::string_view openssl_meaning(std::string_view name) {
  const std::string lower = lower_case(name);
  const auto* const found = std::ranges::find(openssl_names, std::string_view(lower), &OpensslName::name);
  return found == std::end(openssl_names) ? std::string_view() : found->meaning;
}

std::string cipher_suggestion(std::string_view name, bool is_aead) {
  const std::string lower = lower_case(name);
  const std::vector<std::string> names = our_names(is_aead);
  const bool is_of_java = lower.find('/') != std::string::npos;  // whose names are no misspelt ones of ours
  std::string near = is_of_java ? "" : suggestion_for(lower, names);
  if (!near.empty()) return near;
  const std::string made = cipher_in(lower) + '-' + mode_in(lower, is_aead);
  return std::ranges::find(names, made) == names.end() ? "" : " (did you mean " + made + "?)";
}

}  // namespace phalanx

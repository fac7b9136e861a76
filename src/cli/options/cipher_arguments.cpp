#include "cli/options/cipher_arguments.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/console/suggestion.hpp"
#include "foreign/openssl_enc.hpp"
#include "modes/mode_facts.hpp"

namespace phalanx {
namespace {

// A known cipher in a known mode, or without one, is refused for another reason than its spelling.
bool is_misspelt(const std::string& name) {
  if (find_cipher(name) != nullptr || is_xaes(name)) return false;
  const std::vector<std::string> modes = mode_names();
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || find_cipher(name.substr(0, dash)) == nullptr) return true;
  return std::ranges::find(modes, name.substr(dash + 1)) == modes.end();
}

// With the ciphers alone: what a cipher lacks then, the next message says.
std::vector<std::string> names_of_ciphers_and_modes() {
  std::vector<std::string> names = cipher_names();
  for (const CipherFacts& facts : all_cipher_facts()) {
    if (!is_xaes(facts.name)) names.push_back(facts.name);  // it is for the library's Aead alone
  }
  return names;
}

template <class Parse, class Names>
decltype(auto) with_suggestion(const std::string& name, const Parse& parse, const Names& known) {
  try {
    return parse(name);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage || !is_misspelt(name)) throw;
    throw Error(error, error.what() + suggestion_for(name, known()));
  }
}

}  // namespace

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const Suite& suite : all_suites()) names.emplace_back(suite.name);
  return names;
}

NamedCipher read_cipher_name(const std::string& name) {
  return with_suggestion(name, parse_cipher_name, names_of_ciphers_and_modes);
}

NamedCipher read_openssl_cipher_name(const std::string& name) {
  return with_suggestion(name, parse_openssl_cipher_name, names_of_ciphers_and_modes);
}

const Suite& read_suite_name(const std::string& name) { return with_suggestion(name, find_suite, suite_names); }

}  // namespace phalanx

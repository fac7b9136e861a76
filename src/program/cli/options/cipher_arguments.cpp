#include "program/cli/options/cipher_arguments.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/modes/named_cipher.hpp"
#include "engine/text/suggestion.hpp"

namespace phalanx {

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const Suite& suite : all_suites()) names.emplace_back(suite.name);
  return names;
}

// A known cipher that is no suite is refused for another reason than its spelling.
const Suite& read_suite_name(const std::string& name) {
  try {
    return find_suite(name);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage || find_cipher(name) != nullptr) throw;
    throw Error(error, error.what() + suggestion_for(name, suite_names()));
  }
}

}  // namespace phalanx

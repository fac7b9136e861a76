#include "program/cli/secrets/taken_variables.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string_view>

#include "engine/host/wiped_memory.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

// Keeps where each value stands, for as long as somebody holds it.
std::map<std::string, std::weak_ptr<const SecretBytes>>& all_taken() {
  static std::map<std::string, std::weak_ptr<const SecretBytes>> taken;
  return taken;
}

// Overwrites the values of a variable: unsetenv removes the pointers, and the bytes stay where the process began. The
// environment may have a name twice.
void overwrite(const std::string& name) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
      wipe_memory(*entry + name.size() + 1, text.size() - name.size() - 1);
  }
  unsetenv(name.c_str());
}

bool names_variable(std::string_view option) { return option.starts_with("--") && option.ends_with("-env"); }

}  // namespace

TakenVariable take_variable(const std::string& name) {
  std::weak_ptr<const SecretBytes>& known = all_taken()[name];
  if (TakenVariable taken = known.lock()) return taken;
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return nullptr;
  TakenVariable taken = std::make_shared<const SecretBytes>(bytes_of(std::string_view(value)));
  overwrite(name);
  known = taken;
  return taken;
}

std::vector<TakenVariable> take_named_variables(std::span<char* const> arguments) {
  std::vector<TakenVariable> taken;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") break;
    const std::size_t equals = argument.find('=');
    if (!names_variable(argument.substr(0, equals))) continue;
    if (equals != std::string_view::npos) {
      taken.push_back(take_variable(std::string(argument.substr(equals + 1))));
    } else if (i + 1 < arguments.size()) {
      taken.push_back(take_variable(arguments[i + 1]));
    }
  }
  return taken;
}

}  // namespace phalanx

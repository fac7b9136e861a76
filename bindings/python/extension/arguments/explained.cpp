#include "arguments/explained.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/suggestion.hpp"

namespace phalanx {
namespace {

// What others call our parameters. Of several, the first that the function has is meant.
constexpr std::array<std::pair<const char*, const char*>, 24> names_of_others{{
    {"password", "passphrase"},
    {"passwd", "passphrase"},
    {"pwd", "passphrase"},
    {"password_file", "passphrase_file"},
    {"keyfile", "key_file"},
    {"key_file", "key"},
    {"recipients", "recipient"},
    {"recipients_file", "recipient_file"},
    {"public_key", "recipient"},
    {"identities", "identity"},
    {"identities_file", "identity_file"},
    {"nonce", "iv"},
    {"nonces", "ivs"},
    {"iv", "nonce"},
    {"ivs", "nonces"},
    {"tweak", "iv"},
    {"associated_data", "aad"},
    {"additional_data", "aad"},
    {"md", "digest"},
    {"iter", "iterations"},
    {"algorithm", "name"},
    {"mode", "name"},
    {"force", "replace"},
    {"overwrite", "replace"},
}};

[[noreturn]] void fail(const std::string& sentence) { throw nb::type_error(sentence.c_str()); }

}  // namespace

std::string name_refusal(const std::string& function, const std::string& name, const std::vector<std::string>& names) {
  const std::string lacks = function + "() has no argument " + name;
  for (const auto& [other, ours] : names_of_others) {
    if (name == other && std::ranges::find(names, ours) != names.end()) return lacks + ": did you mean " + ours + "?";
  }
  std::string all;
  for (const std::string& one : names) all += all.empty() ? one : ", " + one;
  return lacks + suggestion_for(name, names) + ": " + (all.empty() ? "it takes none" : "it takes " + all);
}

void Parameters::check(const nb::args& by_place, const nb::kwargs& by_name) const {
  for (const auto& [name, value] : by_name) {
    const std::string given = nb::cast<std::string>(name);
    const auto found = std::ranges::find(parameters_, given, &Parameter::name);
    if (found == parameters_.end()) refuse_name(given);
    if (found->has_place && static_cast<std::size_t>(found - parameters_.begin()) < by_place.size()) {
      fail(function_ + "() is given " + given + " twice, by its place and by its name");
    }
  }
  const auto num_places =
      static_cast<std::size_t>(std::ranges::count_if(parameters_, [](const Parameter& one) { return one.has_place; }));
  if (by_place.size() > num_places) {
    const std::string rest = num_places < parameters_.size() ? ": give the others by their names" : "";
    fail(function_ + "() takes " + std::to_string(num_places) + (num_places == 1 ? " argument" : " arguments") +
         " by place, and " + std::to_string(by_place.size()) + " are given" + rest);
  }
  refuse_missing(by_place.size(), by_name);
}

void Parameters::refuse_name(const std::string& name) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name != "on_progress") names.push_back(parameter.name);  // of the package's own, which take progress
  }
  fail(name_refusal(function_, name, names));
}

void Parameters::refuse_missing(std::size_t num_places, const nb::kwargs& by_name) const {
  for (std::size_t i = num_places; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (!parameter.is_required || by_name.contains(parameter.name.c_str())) continue;
    fail(function_ + "() needs the argument " + parameter.name + ", which is not given");
  }
}

void bind_argument_names(nb::module_& module) {
  module.def("name_refusal", name_refusal, nb::arg("function"), nb::arg("name"), nb::arg("names"),
             "What a function says that has no argument of that name, but these.");
}

}  // namespace phalanx

// What a call gets to hear whose arguments do not fit the function: a sentence, where nanobind alone prints signatures.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <type_traits>
#include <vector>

namespace phalanx {

namespace nb = nanobind;

/// What a function says that has no argument `name`, but `names`: "open() has no argument password: did you mean passphrase?".
[[nodiscard]] std::string name_refusal(const std::string& function, const std::string& name,
                                       const std::vector<std::string>& names);

/// The same for the package's functions in Python.
void bind_argument_names(nb::module_& module);

/// The parameters of a function of Python, as nanobind's `def` is told of them.
class Parameters {
 public:
  /// `function` is what messages call it; what is in `own` and no parameter is passed over.
  template <class... Own>
  explicit Parameters(std::string function, const Own&... own) : function_(std::move(function)) {
    (add(own), ...);
  }

  /// Throws Python's TypeError where the number or the names of a call's arguments do not fit: "Cipher() has no argument
  /// key_file: did you mean key?". Returns where they do.
  void check(const nb::args& by_place, const nb::kwargs& by_name) const;

 private:
  struct Parameter {
    std::string name;
    bool is_required;
    bool has_place;
  };

  // nanobind's nb::arg is of another type where it takes None, and of a third with a default value.
  template <class One>
  void add(const One& one) {
    if constexpr (std::is_same_v<One, nb::kw_only>) {
      takes_places_ = false;
    } else if constexpr (requires { one.name_; }) {
      parameters_.push_back({one.name_, !requires { one.value;
    }
    , takes_places_
  });
}
}  // namespace phalanx

[[noreturn]] void refuse_name(const std::string& name) const;
void refuse_missing(std::size_t num_places, const nb::kwargs& by_name) const;

std::string function_;
std::vector<Parameter> parameters_;
bool takes_places_ = true;
}
;

/// The docstring among what nanobind's `def` is told, or "".
inline const char* docstring_in(const char* doc) { return doc; }
template <class Other>
const char* docstring_in(const Other& /*no docstring*/) {
  return "";
}
template <class... Own>
std::string docstring_of(const Own&... own) {
  return (std::string() + ... + docstring_in(own));
}

/// Defines a function by nanobind's `def` of `target`, a module or a class, and behind it one that only explains: nanobind comes
/// to it where the arguments do not fit, so that calls that fit cost nothing more.
template <class Target, class Function, class... Own>
void def_explained(Target& target, const char* name, const Function& function, const Own&... own) {
  target.def(name, function, own...);
  const bool makes_object = std::string(name) == "__init__";
  Parameters parameters(makes_object ? nb::cast<std::string>(target.attr("__name__")) : name, own...);
  const std::string signature = std::string("def ") + name + "(...)";
  const std::string doc = docstring_of(own...);
  // Whose types alone do not fit, nanobind tries again with conversions.
  if constexpr (std::is_same_v<Target, nb::module_>) {
    const auto explain = [parameters](const nb::args& by_place, const nb::kwargs& by_name) -> nb::object {
      parameters.check(by_place, by_name);
      throw nb::next_overload();
    };
    target.def(name, explain, nb::sig(signature.c_str()), doc.c_str());
  } else {
    const auto explain = [parameters](nb::handle /*self*/, const nb::args& by_place,
                                      const nb::kwargs& by_name) -> nb::object {
      parameters.check(by_place, by_name);
      throw nb::next_overload();
    };
    target.def(name, explain, nb::sig(signature.c_str()), doc.c_str());
  }
}

}  // namespace phalanx

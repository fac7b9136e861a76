// What a container is bound to, as Python gives it: None, or a Binding.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/files/container.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

namespace nb = nanobind;

/// phalanx.Binding: a binding and the memory of its context. Immutable.
class HeldBinding {
 public:
  /// The context is a str, in UTF-8, or bytes; names are paths of Python's; None is none. Throws Error (usage) where one is
  /// empty.
  HeldBinding(nb::handle context, nb::handle name, nb::handle below, bool any_name, bool needs_name);

  [[nodiscard]] const Binding& binding() const { return binding_; }

 private:
  SecretBytes context_;
  Binding binding_;
};

/// Refers to the argument's memory.
[[nodiscard]] Binding binding_of(nb::handle argument);

}  // namespace phalanx

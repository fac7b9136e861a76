// Functions of Python that wrap and unwrap the file key of a public key that the library does not know itself.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/files/container.hpp>

namespace phalanx {

namespace nb = nanobind;

/// Of `wrap(file_key: bytes)`, which returns the texts of the stanzas, and their labels. Takes Python's lock itself, from any
/// thread; what the function raises is thrown. Throws Error (runtime) for a result of another kind.
[[nodiscard]] WrapFileKey wrap_in_python(nb::object wrap);

/// The same of `unwrap(stanzas: list[str])`, which returns the 16 bytes of the file key, or None.
[[nodiscard]] UnwrapFileKey unwrap_in_python(nb::object unwrap);

}  // namespace phalanx

// Arguments that are arrays of PyTorch, CuPy, JAX and the like: phalanx.devices takes them.
#pragma once

#include <nanobind/nanobind.h>

namespace phalanx {

namespace nb = nanobind;

/// Whether an object says that its memory may be a GPU's, or gives it by DLPack alone.
[[nodiscard]] bool speaks_of_devices(nb::handle object);

/// The module phalanx.devices.
[[nodiscard]] nb::object devices();

}  // namespace phalanx

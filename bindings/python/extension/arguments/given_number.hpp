// A number that a function of the caller's gave: what a file object says of its size, or of the bytes that it took.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <phalanx/error.hpp>
#include <string>

namespace phalanx {

/// Throws Error (usage) where that is no number, or less than 0; True and False are none. `what` names it: "the file's write()".
inline std::uint64_t number_given_by(const std::string& what, nanobind::handle given) {
  namespace nb = nanobind;
  std::uint64_t number = 0;
  if (PyBool_Check(given.ptr()) == 0 && nb::try_cast(given, number, false)) return number;
  throw Error(ErrorCode::usage, what + " gave " + nb::cast<std::string>(nb::repr(given)) +
                                    " where a number of bytes is due: it is no file of Python's");
}

}  // namespace phalanx

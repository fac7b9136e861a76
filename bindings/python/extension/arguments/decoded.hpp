// Names of files, as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace phalanx {

/// As os.fsdecode does: names are any bytes, and messages repeat them.
inline nanobind::str decoded(const std::string& text) {
  return nanobind::steal<nanobind::str>(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

}  // namespace phalanx

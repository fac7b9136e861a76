// Python's exceptions: one class for each kind of failure, all below phalanx.Error.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/error.hpp>
#include <string>

namespace phalanx {

namespace nb = nanobind;

/// What fails in Python only. The library's own kinds come as Error.
enum class BindingErrorKind : unsigned char { buffer_type, read_only, stride, size, overlap, fork, pickling };

/// Thrown below, raised as the class of its kind.
class BindingError : public std::runtime_error {
 public:
  BindingError(BindingErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] BindingErrorKind kind() const noexcept { return kind_; }

 private:
  BindingErrorKind kind_;
};

/// Makes the classes and registers what raises them.
void bind_errors(nb::module_& module);

/// Raises that class with the numbers of the messages that failed as `failed`.
[[noreturn]] void raise_with_numbers(const char* class_name, const std::string& message, nb::tuple failed);

}  // namespace phalanx

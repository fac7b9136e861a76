// What the program tells a shell.
#pragma once

#include <phalanx/error.hpp>

namespace phalanx {

/// As the manual page has them.
[[nodiscard]] constexpr int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::runtime:
      return 1;
    case ErrorCode::usage:
    case ErrorCode::format:
      return 2;
    case ErrorCode::authentication:
      return 3;
    case ErrorCode::wrong_key:
      return 4;
    case ErrorCode::truncated:
      return 5;
    case ErrorCode::policy:
      return 6;
  }
  return 1;
}

}  // namespace phalanx

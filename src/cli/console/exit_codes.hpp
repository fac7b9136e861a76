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

/// What failed, in few words: files that failed are counted by them.
[[nodiscard]] constexpr const char* reason_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::runtime:
      return "input or output";
    case ErrorCode::usage:
    case ErrorCode::format:
      return "not as described";
    case ErrorCode::authentication:
      return "not authentic";
    case ErrorCode::wrong_key:
      return "wrong key";
    case ErrorCode::truncated:
      return "cut short";
    case ErrorCode::policy:
      return "refused";
  }
  return "";
}

/// Of a failed exit code, whose error it was: usage stands for format too.
[[nodiscard]] constexpr ErrorCode error_code_of(int exit_code) {
  for (const ErrorCode code :
       {ErrorCode::usage, ErrorCode::authentication, ErrorCode::wrong_key, ErrorCode::truncated, ErrorCode::policy}) {
    if (exit_code_of(code) == exit_code) return code;
  }
  return ErrorCode::runtime;
}

}  // namespace phalanx

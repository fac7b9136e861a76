// These are the exit codes, by which the program tells a shell how it ended.
#pragma once

#include <cstdint>
#include <map>
#include <phalanx/error.hpp>

namespace phalanx {

/// Returns an error's exit code, as the manual page has it.
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

/// Nothing failed, but something may have been opened with a wrong key, or was kept though it was to go.
inline constexpr int doubtful_exit_code = 7;

/// Returns the exit code of a run with doubts. A failure's code comes first.
[[nodiscard]] constexpr int exit_code_with_doubts(int exit_code, std::uint64_t num_doubtful, bool doubt_is_ok) {
  return exit_code == 0 && num_doubtful != 0 && !doubt_is_ok ? doubtful_exit_code : exit_code;
}

/// Counts the failures of several files.
class FailureCount {
 public:
  void add(int exit_code, std::uint64_t number = 1) { by_code_[exit_code] += number; }
  [[nodiscard]] std::uint64_t total() const;
  /// Returns 0 if there is none, the code of all if they are alike, and 1 otherwise.
  [[nodiscard]] int exit_code() const;

 private:
  std::map<int, std::uint64_t> by_code_;
};

inline std::uint64_t FailureCount::total() const {
  std::uint64_t sum = 0;
  for (const auto& [code, number] : by_code_) sum += number;
  return sum;
}

inline int FailureCount::exit_code() const {
  if (by_code_.empty()) return 0;
  return by_code_.size() == 1 ? by_code_.begin()->first : exit_code_of(ErrorCode::runtime);
}

}  // namespace phalanx

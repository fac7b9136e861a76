// This header has the library's exception type and its codes.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Says of what kind a failure is.
enum class ErrorCode : int {
  runtime = 1,         ///< input or output failed, or something else in the machine did
  usage = 2,           ///< an argument does not fit, and the caller must change it
  authentication = 3,  ///< a tag does not verify
  wrong_key = 4,       ///< wrong key or passphrase, or padding that does not check
  truncated = 5,       ///< the input ends too early
  policy = 6,          ///< refused: legacy cipher, weak key, long data unit, cost
  format = 7,          ///< input is not of the stated format: foreign, damaged, or of a later version
};

/// Holds facts beside the message, as far as they are known. Later versions append members.
struct ErrorFacts {
  std::string name;                   ///< the file or the setting that failed, as the caller gave it; empty: not known
  std::uint64_t offset = UINT64_MAX;  ///< the place in the input, in bytes from its beginning; UINT64_MAX: not known
  int system_error = 0;               ///< errno of the system call that failed; 0: none did
};

/// This is the library's own exception type. what() is one line that says what is wrong and what to do. A name in it may
/// hold control characters; they become '?'.
class Error : public std::runtime_error {
 public:
  static constexpr std::uint64_t no_offset = UINT64_MAX;

  /// `message` becomes what(), with '?' for control characters.
  Error(ErrorCode code, const std::string& message, ErrorFacts facts = {})
      : std::runtime_error(one_line(message)), code_(code), facts_(std::make_shared<const ErrorFacts>(std::move(facts))) {}
  /// Repeats a failure, with its code and its facts, in other words.
  Error(const Error& failure, const std::string& message)
      : std::runtime_error(one_line(message)), code_(failure.code_), facts_(failure.facts_) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }  ///< the class of the failure
  /// These return what ErrorFacts has. The name is as the caller gave it, control characters included.
  [[nodiscard]] const std::string& name() const noexcept { return facts_->name; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return facts_->offset; }
  [[nodiscard]] int system_error() const noexcept { return facts_->system_error; }

 private:
  static std::string one_line(std::string text) {
    for (char& character : text) {
      if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = '?';
    }
    return text;
  }

  ErrorCode code_;
  std::shared_ptr<const ErrorFacts> facts_;  // an exception is copied without allocating
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

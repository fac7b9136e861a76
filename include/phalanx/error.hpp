// How the library fails.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {

/// What kind of failure it is.
enum class ErrorCode : int {
  runtime = 1,         ///< input or output failed, or something else in the machine did
  usage = 2,           ///< an argument does not fit, or input is not of the stated format
  authentication = 3,  ///< a tag does not verify
  wrong_key = 4,       ///< wrong key or passphrase, or padding that does not check
  truncated = 5,       ///< the input ends too early
  policy = 6,          ///< refused: legacy cipher, weak key, long data unit, cost
};

/// The library's own exception type: what() is one line that says what is wrong and what to do. A name that it repeats may
/// hold control characters; they become '?'.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(one_line(message)), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  static std::string one_line(std::string text) {
    for (char& character : text) {
      if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = '?';
    }
    return text;
  }

  ErrorCode code_;
};

}  // namespace phalanx
#pragma GCC visibility pop

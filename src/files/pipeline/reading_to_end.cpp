#include "files/pipeline/reading_to_end.hpp"

namespace phalanx {

std::size_t ReadingToEnd::read(MutableBytes out, const std::function<void()>& at_end) {
  return reading_.read([&] {
    try {
      return read_on(out, at_end);
    } catch (...) {
      plaintext_.forget();
      throw;
    }
  });
}

std::size_t ReadingToEnd::read_on(MutableBytes out, const std::function<void()>& at_end) {
  const bool was_at_end = plaintext_.is_at_end();
  const std::size_t done = plaintext_.read(out);
  if (plaintext_.is_at_end() && !was_at_end) at_end();
  return done;
}

}  // namespace phalanx

#include "files/foreign/openpgp/packets/all_but_tail.hpp"

#include <algorithm>
#include <cstring>

namespace phalanx {

void AllButTail::write(Bytes in) {
  const std::size_t all_bytes = num_held_ + in.size();
  const std::size_t given_bytes = all_bytes - std::min(all_bytes, tail_bytes_);
  const std::size_t held_given = std::min(given_bytes, num_held_);
  if (held_given != 0) sink_.write({tail_.bytes, held_given});
  num_held_ -= held_given;
  std::memmove(tail_.bytes, tail_.bytes + held_given, num_held_);
  const std::size_t in_given = given_bytes - held_given;
  if (in_given != 0) sink_.write(in.first(in_given));
  std::ranges::copy(in.subspan(in_given), tail_.bytes + num_held_);
  num_held_ += in.size() - in_given;
}

}  // namespace phalanx

#include "engine/engines/data_unit.hpp"

#include <cstring>

#include "engine/host/wiped_memory.hpp"
#include "engine/modes/chaining.hpp"

namespace phalanx {

// This follows sections 5.3.2 and 5.4.2 of IEEE 1619. With m whole blocks and r more bytes, the last whole block and
// the rest exchange their places. The second of the two to be crypted takes its last 16 - r bytes from the result of
// the first.
void crypt_data_unit(const KeyedCipher& data_key, Direction direction, std::uint8_t* tweak, Bytes in, MutableBytes out) {
  const std::size_t rest = in.size() % 16;
  const std::size_t num_blocks = in.size() / 16;
  if (rest == 0) {
    data_key.crypt_range(Mode::xts, direction, tweak, in.data(), out.data(), num_blocks);
    return;
  }
  data_key.crypt_range(Mode::xts, direction, tweak, in.data(), out.data(), num_blocks - 1);
  const std::size_t last_whole = (num_blocks - 1) * 16;
  WipedArray<16> tweaks[2];  // T(m-1), T(m)
  std::memcpy(tweaks[0].bytes, tweak, 16);
  std::memcpy(tweaks[1].bytes, tweak, 16);
  multiply_tweak(tweaks[1].bytes, power_of_alpha(1));
  const bool encrypts = direction == Direction::encrypt;
  WipedArray<16> first;
  data_key.crypt_range(Mode::xts, direction, tweaks[encrypts ? 0 : 1].bytes, in.data() + last_whole, first.bytes, 1);
  WipedArray<16> second;
  std::memcpy(second.bytes, in.data() + last_whole + 16, rest);
  std::memcpy(second.bytes + rest, first.bytes + rest, 16 - rest);
  data_key.crypt_range(Mode::xts, direction, tweaks[encrypts ? 1 : 0].bytes, second.bytes, out.data() + last_whole, 1);
  std::memcpy(out.data() + last_whole + 16, first.bytes, rest);
}

}  // namespace phalanx

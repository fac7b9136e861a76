// One message, or a part of one.
#include <cstring>

#include "engines/secret_bytes.hpp"
#include "library/keyed_mode.hpp"
#include "modes/chaining.hpp"

namespace phalanx {

void xor_into(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes) {
  for (std::size_t i = 0; i < num_bytes; ++i) out[i] = a[i] ^ b[i];
}

ChainValue KeyedMode::crypt_message(Direction direction, Bytes iv, Bytes in, MutableBytes out) const {
  check_message(direction, iv, in, out.size());
  ChainValue chain;
  chain.size = iv.size();
  if (!iv.empty()) std::memcpy(chain.bytes.data(), iv.data(), iv.size());
  if (mode() == Mode::xts) {
    tweak_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain.bytes.data(), chain.bytes.data(), 1);
    crypt_data_unit(direction, chain.bytes.data(), in, out);
    wipe_memory(chain.bytes.data(), chain.bytes.size());
    return {};
  }
  crypt_blocks_and_tail(direction, chain.bytes.data(), in, out);
  return (in.size() & (block_bytes() - 1)) == 0 ? chain : ChainValue{};
}

void KeyedMode::crypt_blocks_and_tail(Direction direction, std::uint8_t* chain, Bytes in, MutableBytes out) const {
  const std::size_t num_blocks = block_bytes() == 16 ? in.size() / 16 : in.size() / 8;
  data_key->crypt_range(mode(), direction, chain, in.data(), out.data(), num_blocks);
  const std::size_t whole = num_blocks * block_bytes();
  if (whole == in.size()) return;
  WipedArray<16> keystream;  // in CTR, CFB and OFB alike, that of the next block is the encrypted chaining state
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain, keystream.bytes, 1);
  xor_into(out.data() + whole, in.data() + whole, keystream.bytes, in.size() - whole);
}

void KeyedMode::crypt_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  check_part(direction, iv, offset, in, out.size());
  if (in.empty()) return;
  WipedArray<16> chain;
  if (!iv.empty()) std::memcpy(chain.bytes, iv.data(), iv.size());
  const std::uint64_t block = offset / block_bytes();
  if (mode() == Mode::xts) {
    tweak_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain.bytes, chain.bytes, 1);
    multiply_tweak(chain.bytes, power_of_alpha(block));
    crypt_data_unit(direction, chain.bytes, in, out);
    return;
  }
  if (mode() == Mode::ctr) advance_counter(chain.bytes, block_bytes(), block);
  if (const std::size_t skipped = offset % block_bytes(); skipped != 0) {  // CTR only: the part starts inside a block
    WipedArray<16> keystream;
    data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain.bytes, keystream.bytes, 1);
    const std::size_t head = std::min(in.size(), block_bytes() - skipped);
    xor_into(out.data(), in.data(), keystream.bytes + skipped, head);
    advance_counter(chain.bytes, block_bytes(), 1);
    in = in.subspan(head);
    out = out.subspan(head);
  }
  crypt_blocks_and_tail(direction, chain.bytes, in, out);
}

}  // namespace phalanx

// This crypts one message, or a part of one.
#include <algorithm>
#include <cstring>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/engines/data_unit.hpp"
#include "engine/engines/device_memory.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

namespace {

// The iv is none or a block, and a copy whose size is known takes no call.
inline void copy_iv(Bytes iv, std::uint8_t* chain) {
  if (iv.size() == 16) {
    std::memcpy(chain, iv.data(), 16);
  } else if (iv.size() == 8) {
    std::memcpy(chain, iv.data(), 8);
  }
}

}  // namespace

// This is inline in the functions that call it. A span that is passed on is read from the stack in one piece. This read
// waits until the span's halves, stored one by one, have reached the cache.
inline ChainValue KeyedMode::crypt_message(Direction direction, Bytes iv, Bytes in, MutableBytes out) const {
  if (direction == Direction::encrypt) refuse_legacy();
  check_message(direction, iv, in, out);
  ChainValue chain;  // the one that is returned: it is made where the caller has it
  chain.size = iv.size();
  copy_iv(iv, chain.bytes.data());
  if (mode() == Mode::xts) {
    if (direction == Direction::encrypt) refuse_to_encrypt_unit(in.size());
    tweak_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain.bytes.data(), chain.bytes.data(), 1);
    crypt_data_unit(*data_key, direction, chain.bytes.data(), in, out);
    wipe_memory(chain.bytes.data(), chain.bytes.size());
    chain.size = 0;
    return chain;
  }
  crypt_blocks_and_tail(direction, chain.bytes.data(), in, out);
  if (rest_of(in.size()) != 0) chain = {};
  return chain;
}

ChainValue Cipher::encrypt(Bytes iv, Bytes in, MutableBytes out) const {
  return state_of(state_, moved_cipher).crypt_message(Direction::encrypt, iv, in, out);
}
ChainValue Cipher::decrypt(Bytes iv, Bytes in, MutableBytes out) const {
  return state_of(state_, moved_cipher).crypt_message(Direction::decrypt, iv, in, out);
}

ChainValue KeyedMode::crypt(Direction direction, Bytes iv, Bytes in, MutableBytes out) const {
  return direction == Direction::encrypt ? crypt_message(Direction::encrypt, iv, in, out)
                                         : crypt_message(Direction::decrypt, iv, in, out);
}

void KeyedMode::crypt_blocks_and_tail(Direction direction, std::uint8_t* chain, Bytes in, MutableBytes out) const {
  data_key->crypt_range(mode(), direction, chain, in.data(), out.data(), num_blocks_of(in.size()));
  if (rest_of(in.size()) != 0) crypt_tail(chain, in, out);
}

// The short last block in CTR, CFB and OFB: in all of them its key stream is the encrypted chaining state.
void KeyedMode::crypt_tail(std::uint8_t* chain, Bytes in, MutableBytes out) const {
  const std::size_t rest = rest_of(in.size());
  const std::size_t whole = in.size() - rest;
  WipedArray<16> keystream;
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain, keystream.bytes, 1);
  xor_bytes(out.data() + whole, in.data() + whole, keystream.bytes, rest);
}

// The chaining state before a block of a message whose iv this is; CBC, CFB: whose preceding block it is.
void KeyedMode::start_chain(Bytes iv, std::uint64_t block, std::uint8_t* chain) const {
  copy_iv(iv, chain);
  if (mode() == Mode::xts) {
    tweak_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain, chain, 1);
    multiply_tweak(chain, power_of_alpha(block));
  }
  if (mode() == Mode::ctr) advance_counter(chain, block_bytes(), block);
}

void KeyedMode::crypt_device_part(Direction direction, Bytes iv, std::uint64_t offset, const void* in, void* out,
                                  std::size_t num_bytes, void* stream) const {
  const Bytes in_bytes(static_cast<const std::uint8_t*>(in), num_bytes);  // of the device: never read here
  check_part(direction, iv, offset, in_bytes, Bytes(static_cast<const std::uint8_t*>(out), num_bytes));
  const bool takes_any_length = mode() == Mode::ctr || mode() == Mode::cfb;
  if (offset % block_bytes() != 0 || (!takes_any_length && num_bytes % block_bytes() != 0)) {
    fail_usage("in a GPU's memory, parts of " + name() + " are whole blocks of " + std::to_string(block_bytes()) + " bytes");
  }
  WipedArray<16> chain;
  start_chain(iv, offset / block_bytes(), chain.bytes);
  device_cipher_of(*data_key).crypt_device_range(mode(), direction, chain.bytes, in_bytes.data(),
                                                 static_cast<std::uint8_t*>(out), num_bytes, stream);
}

void KeyedMode::crypt_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
  check_part(direction, iv, offset, in, out);
  if (in.empty()) return;
  WipedArray<16> chain;
  start_chain(iv, offset / block_bytes(), chain.bytes);
  if (mode() == Mode::xts) {
    crypt_data_unit(*data_key, direction, chain.bytes, in, out);
    return;
  }
  if (const std::size_t skipped = offset % block_bytes(); skipped != 0) {  // CTR only: the part starts inside a block
    WipedArray<16> keystream;
    data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, chain.bytes, keystream.bytes, 1);
    const std::size_t head = std::min(in.size(), block_bytes() - skipped);
    xor_bytes(out.data(), in.data(), keystream.bytes + skipped, head);
    advance_counter(chain.bytes, block_bytes(), 1);
    in = in.subspan(head);
    out = out.subspan(head);
  }
  crypt_blocks_and_tail(direction, chain.bytes, in, out);
}

}  // namespace phalanx

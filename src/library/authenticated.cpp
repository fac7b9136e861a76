// GCM (SP 800-38D): section 6.3 (H), 7.1 (seal), 7.2 (open). Its two halves, CTR and GHASH, are the engine's: together for
// sealing, one after the other for opening, which writes nothing before the tag is known to fit.
#include <algorithm>
#include <cstring>

#include "engines/secret_bytes.hpp"
#include "lanes/dead_stack.hpp"
#include "library/gcm_ends.hpp"
#include "library/keyed_mode.hpp"

namespace phalanx {
void KeyedMode::set_hash(const Engine& engine, int num_threads) {
  WipedArray<16> hash_subkey;                       // H = E(0)
  constexpr std::size_t crypt_stack_bytes = 16384;  // a kernel may leave its output on the stack: here that is a key
  call_and_wipe<crypt_stack_bytes>(
      [&] { data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, hash_subkey.bytes, hash_subkey.bytes, 1); });
  hash = engine.set_hash_key(hash_subkey.bytes, num_threads);
}

/// J_0 of section 7.1, step 2.
void KeyedMode::first_counter(Bytes nonce, std::uint8_t* counter) const {
  if (nonce.size() == 12) return write_first_counter(nonce.data(), counter);
  std::memset(counter, 0, 16);
  std::uint8_t lengths[16] = {};
  store_u64(lengths + 8, reverse_bytes(std::uint64_t{nonce.size()} * 8));
  hash_padded(counter, nonce);
  hash->update(counter, lengths, 1);
}

/// CTR of section 6.5, GCTR, over whole blocks, from the counter after `counter` on. A nonce of 12 bytes leaves the low 32 bits of
/// the counter to count from 1, which no message makes wrap. Any other is hashed under the key, and where its counter wraps is
/// secret: then every counter is written out.
void KeyedMode::crypt_counted(bool counts_from_1, std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t num_blocks) const {
  copy_counter_after(counter, 1, counter);
  if (counts_from_1) return data_key->crypt_range(Mode::ctr, Direction::encrypt, counter, in, out, num_blocks);
  constexpr std::size_t most_at_once = 65536;
  SecretBytes keystream(16 * std::min(num_blocks, most_at_once));
  while (num_blocks != 0) {
    const std::size_t count = std::min(num_blocks, most_at_once);
    for (std::size_t i = 0; i < count; ++i) copy_counter_after(counter, i, keystream.data() + 16 * i);
    copy_counter_after(counter, count, counter);
    data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, keystream.data(), keystream.data(), count);
    xor_into(out, in, keystream.data(), 16 * count);
    in += 16 * count;
    out += 16 * count;
    num_blocks -= count;
  }
}

/// Goes on with GHASH over `in`, padded with zeros to whole blocks.
void KeyedMode::hash_padded(std::uint8_t* y, Bytes in) const {
  const std::size_t whole = in.size() / 16 * 16;
  if (whole == in.size()) {
    if (whole != 0) hash->update(y, in.data(), whole / 16);
    return;
  }
  WipedArray<16> last;
  std::memcpy(last.bytes, in.data() + whole, in.size() - whole);
  hash->update_to_end(y, in.data(), whole / 16, last.bytes, 1);
}

void Cipher::seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() != 16) fail_usage("the tag is 16 bytes, and room for " + std::to_string(tag.size()) + " was given");
  WipedArray<16> counter;
  state_->first_counter(nonce, counter.bytes);
  WipedArray<32> keystream;
  const std::size_t num_keystream = write_end_counters(counter.bytes, in.size(), keystream.bytes);
  state_->data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, keystream.bytes, keystream.bytes, num_keystream);
  const std::size_t whole = in.size() / 16 * 16;
  xor_into(out.data() + whole, in.data() + whole, keystream.bytes + 16, in.size() - whole);
  const HashedEnd end(out.subspan(whole), associated_data.size(), in.size());
  WipedArray<16> y;
  state_->hash_padded(y.bytes, associated_data);
  if (nonce.size() == 12) {
    copy_counter_after(counter.bytes, 1, counter.bytes);
    state_->data_key->encrypt_and_hash_to_end(*state_->hash, counter.bytes, y.bytes, in.data(), out.data(), whole / 16,
                                              end.blocks, end.num_blocks);
  } else {
    state_->crypt_counted(false, counter.bytes, in.data(), out.data(), whole / 16);
    state_->hash->update_to_end(y.bytes, out.data(), whole / 16, end.blocks, end.num_blocks);
  }
  xor_into(tag.data(), y.bytes, keystream.bytes, 16);
}

void Cipher::open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() < 12 || tag.size() > 16) {  // section 5.2.1.2, without the 4 and 8 bytes of appendix C
    fail_usage("a tag has 12 to 16 bytes, and " + std::to_string(tag.size()) + " were given");
  }
  WipedArray<16> counter;
  state_->first_counter(nonce, counter.bytes);
  WipedArray<32> keystream;
  const std::size_t num_keystream = write_end_counters(counter.bytes, in.size(), keystream.bytes);
  state_->data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, keystream.bytes, keystream.bytes, num_keystream);
  const std::size_t whole = in.size() / 16 * 16;
  const HashedEnd end(in.subspan(whole), associated_data.size(), in.size());
  WipedArray<16> y;
  state_->hash_padded(y.bytes, associated_data);
  state_->hash->update_to_end(y.bytes, in.data(), whole / 16, end.blocks, end.num_blocks);
  xor_into(y.bytes, y.bytes, keystream.bytes, 16);
  if (!are_equal(y.bytes, tag.data(), tag.size())) {
    throw Error(ErrorCode::authentication, "the tag does not verify: wrong key, nonce or associated data, or changed data");
  }
  state_->crypt_counted(nonce.size() == 12, counter.bytes, in.data(), out.data(), whole / 16);
  xor_into(out.data() + whole, in.data() + whole, keystream.bytes + 16, in.size() - whole);
}

}  // namespace phalanx

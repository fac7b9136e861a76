// GCM (SP 800-38D): section 6.3 (H), 7.1 (seal), 7.2 (open). Its two halves, CTR and GHASH, are the engine's: together for
// sealing, one after the other for opening, which writes nothing before the tag is known to fit.
#include <algorithm>
#include <cstring>

#include "engines/secret_bytes.hpp"
#include "lanes/dead_stack.hpp"
#include "library/gcm_ends.hpp"
#include "library/keyed_mode.hpp"

namespace phalanx {
namespace {

/// inc_32 (section 6.2) changes the last four bytes only.
constexpr std::size_t fixed_counter_bytes = 12;

}  // namespace

void KeyedMode::set_hash(const Engine& engine, int num_threads) {
  WipedArray<16> hash_subkey;  // H = E(0)
  apart([&] { data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, hash_subkey.bytes, hash_subkey.bytes, 1); });
  constexpr std::size_t crypt_stack_bytes = 16384;  // a kernel may leave its output on the stack: here that is a key
  wipe_dead_stack<crypt_stack_bytes>();
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

namespace {

/// Calls crypt(in, out, num_blocks, is_last) for the whole blocks, range by range, once at least: the engine's CTR carries beyond 32
/// bits, so a range ends where the counter wraps. crypt moves the counter on.
template <class Crypt>
void in_ranges_of_counter32(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks,
                            const Crypt& crypt) {
  for (;;) {
    std::uint8_t fixed[fixed_counter_bytes];
    std::memcpy(fixed, counter, sizeof fixed);
    const std::uint64_t low = reverse_bytes(load_u64(counter + 8)) & 0xffffffff;
    const std::size_t count = std::min<std::uint64_t>(num_blocks, (std::uint64_t{1} << 32) - low);
    crypt(in, out, count, count == num_blocks);
    std::memcpy(counter, fixed, sizeof fixed);
    if (count == num_blocks) return;
    in += count * 16;
    out += count * 16;
    num_blocks -= count;
  }
}

}  // namespace

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
  copy_counter_after(counter.bytes, 1, counter.bytes);
  in_ranges_of_counter32(counter.bytes, in.data(), out.data(), whole / 16,
                         [&](const std::uint8_t* from, std::uint8_t* to, std::size_t num_blocks, bool is_last) {
                           state_->data_key->encrypt_and_hash_to_end(*state_->hash, counter.bytes, y.bytes, from, to,
                                                                     num_blocks, end.blocks, is_last ? end.num_blocks : 0);
                         });
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
  copy_counter_after(counter.bytes, 1, counter.bytes);
  in_ranges_of_counter32(counter.bytes, in.data(), out.data(), whole / 16,
                         [&](const std::uint8_t* from, std::uint8_t* to, std::size_t num_blocks, bool /*is_last*/) {
                           state_->data_key->crypt_range(Mode::ctr, Direction::encrypt, counter.bytes, from, to, num_blocks);
                         });
  xor_into(out.data() + whole, in.data() + whole, keystream.bytes + 16, in.size() - whole);
}

}  // namespace phalanx

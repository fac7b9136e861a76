// GCM (SP 800-38D): section 6.3 (H), 7.1 (seal), 7.2 (open). Its two halves, CTR and GHASH, are the engine's: together for
// sealing, one after the other for opening, which writes nothing before the tag is known to fit.
#include <algorithm>
#include <cstring>

#include "engines/secret_bytes.hpp"
#include "lanes/lane_word.hpp"
#include "library/keyed_mode.hpp"

namespace phalanx {
namespace {

/// In time that depends on the size alone.
bool are_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t num_bytes) {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < num_bytes; ++i) difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

/// inc_32 (section 6.2) changes the last four bytes only.
constexpr std::size_t fixed_counter_bytes = 12;

}  // namespace

void KeyedMode::set_hash(const Engine& engine, int num_threads) {
  WipedArray<16> hash_subkey;  // H = E(0)
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, hash_subkey.bytes, hash_subkey.bytes, 1);
  hash = engine.set_hash_key(hash_subkey.bytes, num_threads);
}

/// J_0 of section 7.1, step 2.
void KeyedMode::first_counter(Bytes nonce, std::uint8_t* counter) const {
  std::memset(counter, 0, 16);
  if (nonce.size() == 12) {
    std::memcpy(counter, nonce.data(), 12);
    counter[15] = 1;
    return;
  }
  std::uint8_t lengths[16] = {};
  store_u64(lengths + 8, reverse_bytes(std::uint64_t{nonce.size()} * 8));
  hash_padded(counter, nonce);
  hash->update(counter, lengths, 1);
}

namespace {

/// Calls crypt(in, out, num_blocks) for the whole blocks, range by range: the engine's CTR carries beyond 32 bits, so a range
/// ends where the counter wraps. crypt moves the counter on.
template <class Crypt>
void in_ranges_of_counter32(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks,
                            const Crypt& crypt) {
  while (num_blocks != 0) {
    std::uint8_t fixed[fixed_counter_bytes];
    std::memcpy(fixed, counter, sizeof fixed);
    const std::uint64_t low = reverse_bytes(load_u64(counter + 8)) & 0xffffffff;
    const std::size_t count = std::min<std::uint64_t>(num_blocks, (std::uint64_t{1} << 32) - low);
    crypt(in, out, count);
    std::memcpy(counter, fixed, sizeof fixed);
    in += count * 16;
    out += count * 16;
    num_blocks -= count;
  }
}

/// The last, short block of GCTR (section 6.5); it may be empty.
void crypt_counter_tail(const KeyedCipher& key, const std::uint8_t* counter, Bytes in, MutableBytes out) {
  if (in.empty()) return;
  WipedArray<16> keystream;
  key.crypt_range(Mode::ecb, Direction::encrypt, nullptr, counter, keystream.bytes, 1);
  xor_into(out.data(), in.data(), keystream.bytes, in.size());
}

}  // namespace

/// GCTR (section 6.5).
void KeyedMode::crypt_counter32(std::uint8_t* counter, Bytes in, MutableBytes out) const {
  const std::size_t whole = in.size() / 16 * 16;
  in_ranges_of_counter32(counter, in.data(), out.data(), whole / 16,
                         [&](const std::uint8_t* from, std::uint8_t* to, std::size_t num_blocks) {
                           data_key->crypt_range(Mode::ctr, Direction::encrypt, counter, from, to, num_blocks);
                         });
  crypt_counter_tail(*data_key, counter, in.subspan(whole), out.subspan(whole));
}

/// GCTR, and GHASH over what it makes.
void KeyedMode::encrypt_and_hash_padded(std::uint8_t* counter, std::uint8_t* y, Bytes in, MutableBytes out) const {
  const std::size_t whole = in.size() / 16 * 16;
  in_ranges_of_counter32(counter, in.data(), out.data(), whole / 16,
                         [&](const std::uint8_t* from, std::uint8_t* to, std::size_t num_blocks) {
                           data_key->encrypt_and_hash(*hash, counter, y, from, to, num_blocks);
                         });
  crypt_counter_tail(*data_key, counter, in.subspan(whole), out.subspan(whole));
  hash_padded(y, out.subspan(whole));
}

/// Goes on with GHASH over `in`, padded with zeros to whole blocks.
void KeyedMode::hash_padded(std::uint8_t* y, Bytes in) const {
  const std::size_t whole = in.size() / 16 * 16;
  hash->update(y, in.data(), whole / 16);
  if (whole == in.size()) return;
  WipedArray<16> last;
  std::memcpy(last.bytes, in.data() + whole, in.size() - whole);
  hash->update(y, last.bytes, 1);
}

/// Steps 5 and 6: the lengths in bits, and the mask that the first counter gives. `y` becomes the tag.
void KeyedMode::finish_tag(std::uint8_t* y, const std::uint8_t* counter, std::size_t associated_bytes,
                           std::size_t text_bytes) const {
  std::uint8_t lengths[16];
  store_u64(lengths, reverse_bytes(std::uint64_t{associated_bytes} * 8));
  store_u64(lengths + 8, reverse_bytes(std::uint64_t{text_bytes} * 8));
  hash->update(y, lengths, 1);
  WipedArray<16> mask;
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, counter, mask.bytes, 1);
  xor_into(y, y, mask.bytes, 16);
}

namespace {

/// inc_32 of the first counter: where the text's counters begin.
void copy_next_counter(const std::uint8_t* first, std::uint8_t* counter) {
  std::memcpy(counter, first, 16);
  for (std::size_t i = 16; i-- != fixed_counter_bytes && ++counter[i] == 0;) {
  }
}

}  // namespace

void Cipher::seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() != 16) fail_usage("the tag is 16 bytes, and room for " + std::to_string(tag.size()) + " was given");
  WipedArray<16> first;
  state_->first_counter(nonce, first.bytes);
  WipedArray<16> counter;
  copy_next_counter(first.bytes, counter.bytes);
  WipedArray<16> y;
  state_->hash_padded(y.bytes, associated_data);
  state_->encrypt_and_hash_padded(counter.bytes, y.bytes, in, out);
  state_->finish_tag(y.bytes, first.bytes, associated_data.size(), in.size());
  std::memcpy(tag.data(), y.bytes, 16);
}

void Cipher::open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() < 12 || tag.size() > 16) {  // section 5.2.1.2, without the 4 and 8 bytes of appendix C
    fail_usage("a tag has 12 to 16 bytes, and " + std::to_string(tag.size()) + " were given");
  }
  WipedArray<16> first;
  state_->first_counter(nonce, first.bytes);
  WipedArray<16> y;
  state_->hash_padded(y.bytes, associated_data);
  state_->hash_padded(y.bytes, in);
  state_->finish_tag(y.bytes, first.bytes, associated_data.size(), in.size());
  if (!are_equal(y.bytes, tag.data(), tag.size())) {
    throw Error(ErrorCode::authentication, "the tag does not verify: wrong key, nonce or associated data, or changed data");
  }
  WipedArray<16> counter;
  copy_next_counter(first.bytes, counter.bytes);
  state_->crypt_counter32(counter.bytes, in, out);
}

}  // namespace phalanx

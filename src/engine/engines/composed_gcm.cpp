#include "engine/engines/composed_gcm.hpp"

#include <algorithm>
#include <cstring>

#include "engine/bytes/equal_bytes.hpp"
#include "engine/bytes/xor_bytes.hpp"
#include "engine/engines/gcm_ends.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

// J_0 of section 7.1, step 2.
void ComposedGcm::write_first_counter_of(Bytes nonce, std::uint8_t* counter) const {
  if (nonce.size() == 12) return write_first_counter(nonce.data(), counter);
  std::memset(counter, 0, 16);
  std::uint8_t lengths[16] = {};
  store_u64(lengths + 8, reverse_bytes(std::uint64_t{nonce.size()} * 8));
  hash_padded(counter, nonce);
  hash_blocks(counter, lengths, 1, nullptr, 0);
}

void ComposedGcm::hash_padded(std::uint8_t* y, Bytes in) const {
  if (in.empty()) return;
  const std::size_t whole = in.size() / 16 * 16;
  if (whole == in.size()) return hash_blocks(y, in.data(), whole / 16, nullptr, 0);
  WipedArray<16> last;
  std::memcpy(last.bytes, in.data() + whole, in.size() - whole);
  hash_blocks(y, in.data(), whole / 16, last.bytes, 1);
}

// GCTR of section 6.5 over whole blocks. A nonce of 12 bytes leaves the low 32 bits of the counter to count from 1, which
// no message makes wrap. Any other is hashed under the key, and where its counter wraps is secret: then every counter is
// written out.
void ComposedGcm::crypt_counted(bool counts_from_1, std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                                std::size_t num_blocks) const {
  if (counts_from_1) return crypt_counter_mode(counter, in, out, num_blocks);
  constexpr std::size_t most_blocks = 65536;
  SecretBytes keystream(16 * std::min(num_blocks, most_blocks));
  while (num_blocks != 0) {
    const std::size_t count = std::min(num_blocks, most_blocks);
    for (std::size_t i = 0; i < count; ++i) copy_counter_after(counter, i, keystream.data() + 16 * i);
    copy_counter_after(counter, count, counter);
    encrypt_blocks(keystream.data(), count);
    xor_bytes(out, in, keystream.data(), 16 * count);
    in += 16 * count;
    out += 16 * count;
    num_blocks -= count;
  }
}

// What lies between the key stream of both ends and the tag, of a message to seal.
void ComposedGcm::seal_between(AeadMessage& message, const std::uint8_t* first_counter,
                               const std::uint8_t* end_keystream) const {
  const std::size_t whole = message.num_bytes / 16 * 16;
  const std::size_t rest = message.num_bytes - whole;
  if (rest != 0) xor_bytes(message.out + whole, message.in + whole, end_keystream + 16, rest);
  const HashedEnd end({message.out + whole, rest}, message.associated_bytes, message.num_bytes);
  WipedArray<16> y;
  hash_padded(y.bytes, message.associated_span());
  WipedArray<16> counter;
  copy_counter_after(first_counter, 1, counter.bytes);
  if (message.nonce_bytes == 12) {
    crypt_and_hash(
        {Direction::encrypt, counter.bytes, y.bytes, message.in, message.out, whole / 16, end.blocks, end.num_blocks});
  } else {
    crypt_counted(false, counter.bytes, message.in, message.out, whole / 16);
    hash_blocks(y.bytes, message.out, whole / 16, end.blocks, end.num_blocks);
  }
  xor_block(y.bytes, y.bytes, end_keystream);
  std::memcpy(message.tag, y.bytes, message.tag_bytes);
}

// The same of a message to open.
void ComposedGcm::open_between(Unverified unverified, AeadMessage& message, const std::uint8_t* first_counter,
                               const std::uint8_t* end_keystream) const {
  const bool counts_from_1 = message.nonce_bytes == 12;
  const bool in_one_pass = counts_from_1 && unverified == Unverified::wiped;
  const std::size_t whole = message.num_bytes / 16 * 16;
  const std::size_t rest = message.num_bytes - whole;
  const HashedEnd end({message.in + whole, rest}, message.associated_bytes, message.num_bytes);
  WipedArray<16> y;
  hash_padded(y.bytes, message.associated_span());
  WipedArray<16> counter;
  copy_counter_after(first_counter, 1, counter.bytes);
  if (in_one_pass) {
    crypt_and_hash(
        {Direction::decrypt, counter.bytes, y.bytes, message.in, message.out, whole / 16, end.blocks, end.num_blocks});
  } else {
    hash_blocks(y.bytes, message.in, whole / 16, end.blocks, end.num_blocks);
  }
  xor_block(y.bytes, y.bytes, end_keystream);
  message.is_authentic = are_equal(y.bytes, message.expected_tag, message.tag_bytes);
  if (message.is_authentic) {
    if (!in_one_pass) crypt_counted(counts_from_1, counter.bytes, message.in, message.out, whole / 16);
    if (rest != 0) xor_bytes(message.out + whole, message.in + whole, end_keystream + 16, rest);
  } else if (unverified == Unverified::wiped) {
    wipe_memory(message.out, message.num_bytes);
  }
}

void ComposedGcm::crypt_between(Direction direction, Unverified unverified, AeadMessage& message,
                                const std::uint8_t* first_counter, const std::uint8_t* end_keystream) const {
  if (direction == Direction::encrypt) {
    seal_between(message, first_counter, end_keystream);
  } else {
    open_between(unverified, message, first_counter, end_keystream);
  }
}

void ComposedGcm::crypt_batch(Direction direction, Unverified unverified, std::span<AeadMessage> messages) const {
  WipedArray<16 * most_at_once> first_counters;
  WipedArray<32 * most_at_once> keystream;
  std::size_t num_keystream = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::uint8_t* const first_counter = first_counters.bytes + 16 * i;
    write_first_counter_of(messages[i].nonce_span(), first_counter);
    num_keystream += write_end_counters(first_counter, messages[i].num_bytes, keystream.bytes + 16 * num_keystream);
  }
  encrypt_blocks(keystream.bytes, num_keystream);
  const std::uint8_t* end_keystream = keystream.bytes;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    crypt_between(direction, unverified, messages[i], first_counters.bytes + 16 * i, end_keystream);
    end_keystream += messages[i].num_bytes % 16 == 0 ? 16 : 32;
  }
}

void ComposedGcm::crypt_message(Direction direction, Unverified unverified, AeadMessage& message) const {
  WipedArray<16> first_counter;
  WipedArray<32> keystream;
  write_first_counter_of(message.nonce_span(), first_counter.bytes);
  encrypt_blocks(keystream.bytes, write_end_counters(first_counter.bytes, message.num_bytes, keystream.bytes));
  crypt_between(direction, unverified, message, first_counter.bytes, keystream.bytes);
}

void ComposedGcm::crypt_part(Direction direction, const GcmPart& part, std::uint8_t* y) const {
  const std::size_t whole = part.num_bytes / 16 * 16, rest = part.num_bytes - whole;
  const bool is_to_seal = direction == Direction::encrypt;
  WipedArray<16> last;  // the short block of ciphertext, padded
  if (rest != 0) {
    WipedArray<16> keystream;
    write_keystream(part.first_counter, (part.offset + whole) / 16, keystream.bytes);
    if (!is_to_seal) std::memcpy(last.bytes, part.in + whole, rest);
    xor_bytes(part.out + whole, part.in + whole, keystream.bytes, rest);
    if (is_to_seal) std::memcpy(last.bytes, part.out + whole, rest);
  }
  const std::size_t num_last = rest == 0 ? 0 : 1;
  WipedArray<16> counter;
  copy_counter_after(part.first_counter, 1 + part.offset / 16, counter.bytes);
  if (part.nonce_bytes == 12) {
    return crypt_and_hash({direction, counter.bytes, y, part.in, part.out, whole / 16, last.bytes, num_last});
  }
  if (!is_to_seal) hash_blocks(y, part.in, whole / 16, last.bytes, num_last);
  crypt_counted(false, counter.bytes, part.in, part.out, whole / 16);
  if (is_to_seal) hash_blocks(y, part.out, whole / 16, last.bytes, num_last);
}

void ComposedGcm::write_keystream(const std::uint8_t* first_counter, std::uint64_t block, std::uint8_t* keystream) const {
  copy_counter_after(first_counter, 1 + block, keystream);
  encrypt_blocks(keystream, 1);
}

void ComposedGcm::write_tag(const std::uint8_t* first_counter, std::uint64_t associated_bytes, std::uint64_t text_bytes,
                            const std::uint8_t* y, std::uint8_t* tag) const {
  const HashedEnd end({}, associated_bytes, text_bytes);
  WipedArray<16> hash, mask;
  std::memcpy(hash.bytes, y, 16);
  hash_blocks(hash.bytes, end.blocks, end.num_blocks, nullptr, 0);
  std::memcpy(mask.bytes, first_counter, 16);
  encrypt_blocks(mask.bytes, 1);
  xor_block(tag, hash.bytes, mask.bytes);
}

}  // namespace phalanx

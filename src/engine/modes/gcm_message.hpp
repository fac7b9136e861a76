// This takes a message of GCM from its nonce to its tag (SP 800-38D, sections 7.1 and 7.2), for ciphers whose single
// blocks are as fast as others. If a group takes long, the key stream of a message's ends is made with that of other
// messages instead (engine/engines/composed_gcm.hpp).
//
// Nothing here waits for anything but the cipher and the hash. The key stream of both ends begins with the text's. The
// last blocks of the hash are put together in registers.
#pragma once

#include "engine/lanes/short_block.hpp"
#include "engine/modes/aead_text.hpp"
#include "engine/modes/gcm_range.hpp"

namespace phalanx {
namespace {

/// The counter of the next block, and the key stream of both ends: wiped at the end.
struct GcmEnds {
  GcmCounter counter;
  alignas(16) std::uint8_t tag_mask[16];
  alignas(16) std::uint8_t rest_mask[16];

  GcmEnds() = default;
  GcmEnds(const GcmEnds&) = delete;
  GcmEnds& operator=(const GcmEnds&) = delete;
  PHALANX_INLINE ~GcmEnds() { wipe(this, sizeof *this); }

  /// J_0 of section 7.1, step 2, for a nonce of 12 bytes, is the nonce and 1; the text's counters follow.
  template <class Core>
  PHALANX_INLINE void start(const typename Core::Schedule& schedule, const AeadText& text) {
    constexpr auto encrypt = Direction::encrypt;
    const std::uint64_t first = load_u64(text.nonce);
    const std::uint64_t second = load_u32(text.nonce + 8);
    const auto counter_block = [=](std::uint32_t number) PHALANX_INLINE_LAMBDA {
      return Pair64{first, second | std::uint64_t{__builtin_bswap32(number)} << 32};
    };
    store_pair(tag_mask, counter_block(1));
    Core::template crypt_block<encrypt>(schedule, tag_mask, tag_mask);
    if (text.num_bytes % 16 != 0) {
      __asm__ volatile("" : : : "memory");  // else the round keys above are put into registers for here
      store_pair(rest_mask, counter_block(static_cast<std::uint32_t>(2 + text.num_bytes / 16)));
      Core::template crypt_block<encrypt>(schedule, rest_mask, rest_mask);
    }
    counter = {reverse_bytes(first), reverse_bytes(second) | 2};
  }
};

/// A block as the hash loads it.
template <class Hash>
PHALANX_INLINE typename Hash::BlockType gcm_hashed_block(Pair64 x) {
  std::uint8_t bytes[16];
  store_pair(bytes, x);
  return Hash::load(bytes);
}

/// The hash of the associated data, padded with zeros to whole blocks.
template <class Hash>
PHALANX_INLINE typename Hash::BlockType gcm_hash_associated(const typename Hash::Key& key, const AeadText& text) {
  using Block = typename Hash::BlockType;
  const Block zero = Block::from_halves(0, 0);
  const std::size_t rest = text.associated_bytes % 16;
  if (text.associated_bytes == 0) return zero;
  if (rest == 0) {
    return Hash::update(key, zero, text.associated_data, text.associated_bytes / 16, typename Hash::InMemory{nullptr, 0});
  }
  const Pair64 end = load_short_block(text.associated_data + text.associated_bytes - rest, rest);
  return Hash::update(key, zero, text.associated_data, text.associated_bytes / 16,
                      typename Hash::InRegisters{zero, gcm_hashed_block<Hash>(end), 1});
}

/// Returns the last blocks of the hash (section 7.1, steps 4 and 5): the short last block of ciphertext, padded, if
/// there is one, and the lengths.
template <class Hash>
PHALANX_INLINE typename Hash::InRegisters gcm_hashed_end(const AeadText& text, Pair64 short_block) {
  const auto lengths =
      Hash::BlockType::from_halves(std::uint64_t{text.associated_bytes} * 8, std::uint64_t{text.num_bytes} * 8);
  return {gcm_hashed_block<Hash>(short_block), lengths, text.num_bytes % 16 != 0 ? std::size_t{2} : 1};
}

template <class Hash>
PHALANX_INLINE Pair64 gcm_tag(typename Hash::BlockType hash, const GcmEnds& ends) {
  std::uint8_t y[16];
  Hash::store(hash, y);
  return load_pair(y) ^ load_pair(ends.tag_mask);
}

template <class Core, class Hash>
PHALANX_INLINE void gcm_seal(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                             const AeadText& text, std::size_t serial_blocks) {
  GcmEnds ends;
  ends.start<Core>(schedule, text);
  const std::size_t num_blocks = text.num_bytes / 16;
  const std::size_t rest = text.num_bytes % 16;
  Pair64 short_block{};
  if (rest != 0) {
    short_block = load_short_block(text.in + 16 * num_blocks, rest) ^ load_pair(ends.rest_mask);
    store_short_block(text.out + 16 * num_blocks, short_block, rest);
    short_block = keep_first_bytes(short_block, rest);
  }
  const auto hash = gcm_crypt<Core, Hash, Direction::encrypt>(
      schedule, hash_key, ends.counter, gcm_hash_associated<Hash>(hash_key, text), text.in, text.out, num_blocks,
      gcm_hashed_end<Hash>(text, short_block), serial_blocks);
  store_short_block(text.tag, gcm_tag<Hash>(hash, ends), text.tag_bytes);
}

/// Plaintext that nobody may see yet: a short message's, until its tag verifies. Decrypting it beside the hash and copying
/// it takes less than decrypting it after the hash.
struct GcmHeldText {
  static constexpr std::size_t most_blocks = 8;
  alignas(64) std::uint8_t bytes[most_blocks * 16];

  GcmHeldText() = default;
  GcmHeldText(const GcmHeldText&) = delete;
  GcmHeldText& operator=(const GcmHeldText&) = delete;
  PHALANX_INLINE ~GcmHeldText() { wipe(bytes, sizeof bytes); }

  PHALANX_INLINE void copy_to(std::uint8_t* out, std::size_t num_blocks) const {
    for (std::size_t i = 0; i < num_blocks; ++i) store_pair(out + 16 * i, load_pair(bytes + 16 * i));
  }
};

/// Returns whether the tag verifies. If `in_one_pass`, the plaintext is written in any case. If not, it is written only
/// where the tag verifies.
template <class Core, class Hash, class CtrFunction>
PHALANX_INLINE bool gcm_open(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                             const AeadText& text, bool in_one_pass, std::size_t serial_blocks, CtrFunction ctr) {
  GcmEnds ends;
  ends.start<Core>(schedule, text);
  const std::size_t num_blocks = text.num_bytes / 16;
  const std::size_t rest = text.num_bytes % 16;
  const Pair64 short_block = rest != 0 ? load_short_block(text.in + 16 * num_blocks, rest) : Pair64{};
  const auto end = gcm_hashed_end<Hash>(text, short_block);
  auto hash = gcm_hash_associated<Hash>(hash_key, text);
  GcmHeldText held;
  const bool holds = !in_one_pass && num_blocks <= GcmHeldText::most_blocks;
  if (in_one_pass || holds) {
    hash = gcm_crypt<Core, Hash, Direction::decrypt>(schedule, hash_key, ends.counter, hash, text.in,
                                                     holds ? held.bytes : text.out, num_blocks, end, serial_blocks);
  } else {
    hash = Hash::update(hash_key, hash, text.in, num_blocks, end);
  }
  const Pair64 tag = keep_first_bytes(gcm_tag<Hash>(hash, ends), text.tag_bytes);
  const Pair64 difference = tag ^ load_short_block(text.expected_tag, text.tag_bytes);
  if ((difference[0] | difference[1]) != 0) return false;
  if (holds) {
    held.copy_to(text.out, num_blocks);
  } else if (!in_one_pass) {
    std::uint8_t counter[16];
    ends.counter.store(counter);
    ctr(counter, text.in, text.out, num_blocks);
  }
  if (rest != 0) store_short_block(text.out + 16 * num_blocks, short_block ^ load_pair(ends.rest_mask), rest);
  return true;
}

}  // namespace
}  // namespace phalanx

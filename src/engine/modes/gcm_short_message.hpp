// This takes a short message of GCM from its nonce to its tag (SP 800-38D, sections 7.1 and 7.2), for vectors that are
// loaded and stored by the byte.
//
// The block that masks the tag is encrypted in one group with the text's key stream, in front of it. The hash is one sum of
// products, with the lengths in it, and is reduced once. Nothing lies in memory between: plaintext stays in registers too,
// until the tag verifies.
#pragma once

#include "engine/modes/gcm_message.hpp"

namespace phalanx {
namespace {

inline constexpr std::size_t most_short_blocks = 34;
inline constexpr std::size_t most_short_bytes = 16 * most_short_blocks;

template <class Core>
constexpr bool takes_short_messages() {
  return requires(typename Core::Vector v) { v.store_bytes(nullptr, 0); };
}

/// Returns the hash of associated data of more than one block. It is called before there is a key stream, which the call
/// would put on the stack.
template <class Hash>
__attribute__((noinline)) typename Hash::BlockType gcm_hash_long_associated(const typename Hash::Key& hash_key,
                                                                            const AeadText& text) {
  return gcm_hash_associated<Hash>(hash_key, text);
}

/// A message whose key stream, with the block for the tag, is num_vectors vectors, and whose text is num_text_vectors, of
/// which the last num_masked may be short or empty.
template <class Core, class Hash, std::size_t num_vectors, std::size_t num_text_vectors, std::size_t num_masked>
class GcmShortMessage {
 public:
  using Vector = typename Core::Vector;
  using Block = typename Hash::BlockType;

  PHALANX_INLINE GcmShortMessage(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                 const AeadText& text)
      : hash_key_(hash_key), text_(text), associated_hash_(Block::from_halves(0, 0)) {
    if (text.associated_bytes > 16) associated_hash_ = gcm_hash_long_associated<Hash>(hash_key, text);
    const std::uint64_t nonce_high = reverse_bytes(load_u64(text.nonce));
    const std::uint64_t nonce_low = reverse_bytes(std::uint64_t{load_u32(text.nonce + 8)});
    const Vector numbers = Vector::numbers128(nonce_high, nonce_low | 1);  // from J_0 of section 7.1, step 2, on
    const auto counters = [=](std::size_t i)
                              PHALANX_INLINE_LAMBDA { return reverse_bytes128(add_low64(numbers, i * blocks_per_vector)); };
    const auto keep = [this](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { key_stream_[i] = v; };
    Core::template OfVectors<num_vectors>::template crypt<Direction::encrypt>(schedule, counters, keep);
  }
  GcmShortMessage(const GcmShortMessage&) = delete;
  GcmShortMessage& operator=(const GcmShortMessage&) = delete;

  PHALANX_INLINE Vector load(std::size_t i) const {
    return is_whole(i) ? Vector::load(text_.in + 64 * i) : Vector::load_bytes(text_.in + 64 * i, bytes_of(i));
  }
  /// A vector of text, encrypted or decrypted; behind the message's end are zeros.
  PHALANX_INLINE Vector crypted(std::size_t i, Vector v) const {
    const Vector crypted = v ^ blocks_from_second(key_stream_[i], key_stream_[i + 1 < num_vectors ? i + 1 : i]);
    return is_whole(i) ? crypted : blend_bytes(bytes_of(i), Vector::zero(), crypted);
  }
  PHALANX_INLINE void store(std::size_t i, Vector v) const {
    is_whole(i) ? v.store(text_.out + 64 * i) : v.store_bytes(text_.out + 64 * i, bytes_of(i));
  }

  PHALANX_INLINE Pair64 tag_of(const Vector* ciphertext) const {
    const std::size_t num_blocks = (text_.num_bytes + 15) / 16;
    const auto lengths = Block::from_halves(std::uint64_t{text_.associated_bytes} * 8, std::uint64_t{text_.num_bytes} * 8);
    typename Hash::Sum sum(hash_key_, Block::from_halves(0, 0), num_blocks, typename Hash::InRegisters{lengths, lengths, 1});
    for (std::size_t i = 0; i < num_text_vectors; ++i) {
      if (is_whole(i) || i * blocks_per_vector < num_blocks) sum.add(ciphertext[i], blocks_per_vector);
    }
    if (text_.associated_bytes != 0) sum.product.add(associated_product(num_blocks));
    std::uint8_t tag[16];
    (reverse_bytes128(sum.reduced()) ^ first128(key_stream_[0])).store(tag);
    return load_pair(tag);
  }

 private:
  static constexpr std::size_t blocks_per_vector = sizeof(Vector) / 16;
  static_assert(blocks_per_vector == 4);
  static_assert(most_short_blocks + 2 <= Hash::num_powers);  // those of associated data and lengths are behind the text's

  static constexpr bool is_whole(std::size_t i) { return i + num_masked < num_text_vectors; }
  /// Returns a mask of the first num_bytes bytes of 64, or of all.
  static PHALANX_INLINE std::uint64_t first_bytes(std::size_t num_bytes) {
    return num_bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << num_bytes) - 1;
  }
  PHALANX_INLINE std::uint64_t bytes_of(std::size_t i) const {
    return first_bytes(text_.num_bytes > 64 * i ? text_.num_bytes - 64 * i : 0);
  }

  /// The associated data, or their hash, times their power. A single block is hashed with the text.
  PHALANX_INLINE typename Hash::Product associated_product(std::size_t num_blocks) const {
    const std::size_t behind_hash = Hash::num_powers - 1 - num_blocks;
    if (text_.associated_bytes <= 16) {
      const Vector block = Vector::load_bytes(text_.associated_data, first_bytes(text_.associated_bytes));
      return hash_key_.powers.times(behind_hash - 1, reverse_bytes128(block));
    }
    return hash_key_.powers.times(behind_hash, Vector::from128(associated_hash_));
  }

  const typename Hash::Key& hash_key_;
  const AeadText& text_;
  Block associated_hash_;
  Vector key_stream_[num_vectors];
};

template <class Core, class Hash, std::size_t num_vectors, std::size_t num_text_vectors, std::size_t num_masked>
__attribute__((noinline)) void gcm_seal_vectors(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                                const AeadText& text) {
  const GcmShortMessage<Core, Hash, num_vectors, num_text_vectors, num_masked> message(schedule, hash_key, text);
  typename Core::Vector ciphertext[num_text_vectors + 1];
  for (std::size_t i = 0; i < num_text_vectors; ++i) {
    ciphertext[i] = message.crypted(i, message.load(i));
    message.store(i, ciphertext[i]);
  }
  store_short_block(text.tag, message.tag_of(ciphertext), text.tag_bytes);
}

template <class Core, class Hash, std::size_t num_vectors, std::size_t num_text_vectors, std::size_t num_masked>
__attribute__((noinline)) bool gcm_open_vectors(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                                const AeadText& text) {
  const GcmShortMessage<Core, Hash, num_vectors, num_text_vectors, num_masked> message(schedule, hash_key, text);
  typename Core::Vector ciphertext[num_text_vectors + 1];
  typename Core::Vector plaintext[num_text_vectors + 1];
  for (std::size_t i = 0; i < num_text_vectors; ++i) {
    ciphertext[i] = message.load(i);
    plaintext[i] = message.crypted(i, ciphertext[i]);
  }
  const Pair64 tag = keep_first_bytes(message.tag_of(ciphertext), text.tag_bytes);
  const Pair64 difference = tag ^ load_short_block(text.expected_tag, text.tag_bytes);
  if ((difference[0] | difference[1]) != 0) return false;
  for (std::size_t i = 0; i < num_text_vectors; ++i) message.store(i, plaintext[i]);
  return true;
}

/// Calls run with the numbers of vectors of key stream, of text, and of text that is masked, which only a message's size
/// says. From 16 blocks on one function takes four sizes, since each would be as long as all those of fewer blocks.
template <class Run>
PHALANX_INLINE auto with_short_vectors(std::size_t num_bytes, Run run) {
  const std::size_t num_blocks = (num_bytes + 15) / 16;
  if (num_blocks == 0) return run.template operator()<1, 0, 0>();
  if (num_blocks < 4) return run.template operator()<1, 1, 1>();
  if (num_blocks == 4) return run.template operator()<2, 1, 1>();
  if (num_blocks < 8) return run.template operator()<2, 2, 1>();
  if (num_blocks == 8) return run.template operator()<3, 2, 1>();
  if (num_blocks < 12) return run.template operator()<3, 3, 1>();
  if (num_blocks == 12) return run.template operator()<4, 3, 1>();
  if (num_blocks < 16) return run.template operator()<4, 4, 1>();
  if (num_blocks < 20) return run.template operator()<5, 5, 2>();
  if (num_blocks < 24) return run.template operator()<6, 6, 2>();
  if (num_blocks < 28) return run.template operator()<7, 7, 2>();
  if (num_blocks < 32) return run.template operator()<8, 8, 2>();
  return run.template operator()<9, 9, 2>();
}

/// Seals a message of most_short_bytes at most.
template <class Core, class Hash>
PHALANX_INLINE void gcm_seal_short(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                   const AeadText& text) {
  with_short_vectors(text.num_bytes,
                     [&]<std::size_t num_vectors, std::size_t num_text_vectors, std::size_t num_masked>()
                         PHALANX_INLINE_LAMBDA {
                           gcm_seal_vectors<Core, Hash, num_vectors, num_text_vectors, num_masked>(schedule, hash_key, text);
                         });
}

/// Returns whether the tag verifies, and writes plaintext only then.
template <class Core, class Hash>
PHALANX_INLINE bool gcm_open_short(const typename Core::Schedule& schedule, const typename Hash::Key& hash_key,
                                   const AeadText& text) {
  return with_short_vectors(
      text.num_bytes,
      [&]<std::size_t num_vectors, std::size_t num_text_vectors, std::size_t num_masked>() PHALANX_INLINE_LAMBDA {
        return gcm_open_vectors<Core, Hash, num_vectors, num_text_vectors, num_masked>(schedule, hash_key, text);
      });
}

}  // namespace
}  // namespace phalanx

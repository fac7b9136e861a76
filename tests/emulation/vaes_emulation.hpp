// The names of engine/lanes/word_avx2_vaes.hpp by AES-NI and PCLMULQDQ, block after block. For tests only.
#pragma once

#include "engine/lanes/word_avx2.hpp"

namespace phalanx {
namespace {

/// What `of_block` makes of each 128-bit element of both.
template <class OfBlock>
inline Word256 of_each_block(Word256 a, Word256 b, OfBlock of_block) {
  alignas(32) std::uint8_t first[32], second[32];
  a.store(first);
  b.store(second);
  for (std::size_t at = 0; at < 32; at += 16) {
    of_block(Word128::load(first + at), Word128::load(second + at)).store(first + at);
  }
  return Word256::load(first);
}

inline Word256 aes_encrypt_round(Word256 v, Word256 key) {
  return of_each_block(v, key, [](Word128 block, Word128 round_key) { return aes_encrypt_round(block, round_key); });
}
inline Word256 aes_encrypt_last(Word256 v, Word256 key) {
  return of_each_block(v, key, [](Word128 block, Word128 round_key) { return aes_encrypt_last(block, round_key); });
}
inline Word256 aes_decrypt_round(Word256 v, Word256 key) {
  return of_each_block(v, key, [](Word128 block, Word128 round_key) { return aes_decrypt_round(block, round_key); });
}
inline Word256 aes_decrypt_last(Word256 v, Word256 key) {
  return of_each_block(v, key, [](Word128 block, Word128 round_key) { return aes_decrypt_last(block, round_key); });
}

template <int halves>
inline Word256 carryless_multiply(Word256 a, Word256 b) {
  return of_each_block(a, b, [](Word128 x, Word128 y) { return carryless_multiply<halves>(x, y); });
}

}  // namespace
}  // namespace phalanx

// Figure 1 and figure 7 of the paper: CBC over IP, three DES without inner permutations, FP. Its parts are policies, so that
// each of the paper's variants is the same code with one part replaced.
#pragma once

#include <cstring>

#include "reference/block_cipher.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/openssl_style_des.hpp"

namespace papers::lin2017 {

using phalanx::reference::Bytes;
using MutableBytes = std::span<std::uint8_t>;

inline constexpr std::size_t block_bytes = 8;
inline constexpr std::size_t key_bytes = 24;

/// The schedules of the three DES in the order in which they run: E(K3, D(K2, E(K1, P))) and its inverse.
struct TripleSchedule {
  KeySchedule encrypt[3];
  KeySchedule decrypt[3];
};

/// Little-endian, as x86 has it: every variant loads and stores two words.
inline Halves load_halves(const std::uint8_t* bytes) {
  Halves block;
  std::memcpy(&block.l, bytes, 4);
  std::memcpy(&block.r, bytes + 4, 4);
  return block;
}

inline void store_halves(const Halves& block, std::uint8_t* bytes) {
  std::memcpy(bytes, &block.l, 4);
  std::memcpy(bytes + 4, &block.r, 4);
}

inline TripleSchedule expand_triple_key(Bytes key) {
  const KeySchedule k1 = expand_key(key.subspan(0).first<8>());
  const KeySchedule k2 = expand_key(key.subspan(8).first<8>());
  const KeySchedule k3 = expand_key(key.subspan(16).first<8>());
  return {{k1, reversed(k2), k3}, {reversed(k3), k2, reversed(k1)}};
}

/// Called between the stages of figure 7: nothing, or a clock (stage_clock.hpp).
struct NoClock {
  void stamp() {}
};

template <class Permutation, class Tables, class Clock = NoClock>
void crypt_block(Halves& block, const KeySchedule (&schedules)[3], Clock& clock) {
  Permutation::IP(block);
  clock.stamp();
  for (const KeySchedule& s : schedules) {
    des_rounds<Tables>(block, s);
    clock.stamp();
  }
  Permutation::FP(block);
}

/// Whole blocks; `in` and `out` are of one size. Each block waits for the one before.
template <class Permutation, class Tables, class Clock = NoClock>
void cbc_encrypt(const TripleSchedule& schedule, Bytes iv, Bytes in, MutableBytes out, Clock clock = {}) {
  Halves chain = load_halves(iv.data());
  for (std::size_t offset = 0; offset < in.size(); offset += block_bytes) {
    const Halves plain = load_halves(in.data() + offset);
    clock.stamp();
    chain = {chain.l ^ plain.l, chain.r ^ plain.r};
    crypt_block<Permutation, Tables>(chain, schedule.encrypt, clock);
    store_halves(chain, out.data() + offset);
    clock.stamp();
  }
}

/// The inverse, which the paper does not time: no block waits for another. Not in place.
template <class Permutation, class Tables>
void cbc_decrypt(const TripleSchedule& schedule, Bytes iv, Bytes in, MutableBytes out) {
  NoClock clock;
  Halves chain = load_halves(iv.data());
  for (std::size_t offset = 0; offset < in.size(); offset += block_bytes) {
    const Halves next_chain = load_halves(in.data() + offset);
    Halves block = next_chain;
    crypt_block<Permutation, Tables>(block, schedule.decrypt, clock);
    store_halves({block.l ^ chain.l, block.r ^ chain.r}, out.data() + offset);
    chain = next_chain;
  }
}

}  // namespace papers::lin2017

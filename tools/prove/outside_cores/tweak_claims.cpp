// XTS's tweaks (IEEE 1619, section 5.2) and the counters of CTR and GCM, as each instruction set makes them in vectors.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"
#include "engine/lanes/word_avx2.hpp"
#include "engine/lanes/word_avx2_vaes.hpp"
#include "engine/lanes/word_avx512.hpp"
#include "engine/lanes/word_neon.hpp"
#include "outside_cores/vector_signals.hpp"

namespace prove {
namespace {

using phalanx::Block128;
using phalanx::NeonWord;
using phalanx::Word128;
using phalanx::Word256;
using phalanx::Word512;

template <class Vector>
constexpr std::size_t blocks_in = sizeof(Vector) / 16;

// T alpha^power: each byte's carry goes to the next byte, the last one's times 135 to the first.
Signals specified_tweak(Signals T, std::size_t power) {
  for (; power != 0; --power) {
    const Literal carry = T[127];
    for (std::size_t k = 127; k != 0; --k) T[k] = T[k - 1];
    T[0] = carry;
    for (const std::size_t k : {1, 2, 7}) T[k] = graph().xor_of(T[k], carry);
  }
  return T;
}

// The vectors of a group's first tweaks, from T on.
template <class Vector>
Recording first_tweaks() {
  std::uint8_t bytes[16];
  const Signals T = unknown_memory(bytes, 16);
  Recording recording;
  for (std::size_t i = 0; i < Vector::tweak_step; ++i) {
    append(recording.implementation, signals_in(Vector::first_tweaks(bytes, i)));
    for (std::size_t k = 0; k < blocks_in<Vector>; ++k) {
      append(recording.specification, specified_tweak(T, i * blocks_in<Vector> + k));
    }
  }
  forget_memory(bytes, 16);
  return recording;
}

// Any tweaks, and those `blocks` blocks after each.
template <class Vector, class Step>
Recording later_tweaks(std::size_t blocks, Step step) {
  const Signals before = graph().inputs(8 * sizeof(Vector));
  Recording recording{signals_in(step(vector_of<Vector>(before))), {}};
  for (std::size_t at = 0; at < before.size(); at += 128) {
    append(recording.specification, specified_tweak(part(before, at, 128), blocks));
  }
  return recording;
}
template <class Vector>
Recording next_tweaks() {
  std::size_t blocks = 1;
  if constexpr (requires { Vector::tweak_step; }) blocks = Vector::tweak_step * blocks_in<Vector>;
  return later_tweaks<Vector>(blocks, [](const Vector& v) { return next_tweaks(v); });
}
template <class Vector>
Recording far_tweaks() {
  return later_tweaks<Vector>(Vector::far_tweak_step * blocks_in<Vector>, [](const Vector& v) { return far_tweaks(v); });
}

Signals number(std::uint64_t value, std::size_t num_bits) {
  Signals bits(num_bits, zero);
  for (std::size_t i = 0; i < num_bits && i < 64; ++i) bits[i] = value >> i & 1;
  return bits;
}

// The big-endian blocks of a vector as numbers, from the lowest bit.
Signals number_of_block(const Signals& block) {
  Signals bits;
  for (std::size_t i = 0; i < 128; ++i) bits.push_back(block[8 * (15 - i / 8) + i % 8]);
  return bits;
}

// The counters of a vector that stands `vectors` vectors after the first counter: SP 800-38A appendix B.1, where all 128 bits
// count, and SP 800-38D section 6.2 (GCM), where 32 do. For all counters whose low 32 bits do not carry up to there: others
// never come to a vector (engine/modes/ctr_range.hpp, carries()).
template <class Vector, std::size_t vectors>
Recording counters() {
  constexpr std::size_t count = (vectors + 1) * blocks_in<Vector>;
  Signals first = graph().inputs(128);
  // Where the low 32 bits carry, both sides are zeros.
  Signals wide(first.begin(), first.begin() + 32);
  wide.push_back(zero);
  const Literal carries = add(wide, number(count - 1, 33), zero)[32];
  const auto high = phalanx::std::uint64_t::of(Signals(first.begin() + 64, first.end()));
  const auto low = phalanx::std::uint64_t::of(Signals(first.begin(), first.begin() + 64));
  Vector v = Vector::numbers128(high, low);
  Recording recording;
  v = add_low64(v, vectors * blocks_in<Vector>);
  const Signals blocks = signals_in(reverse_bytes128(v));
  for (std::size_t k = 0; k < blocks_in<Vector>; ++k) {
    const Signals made = number_of_block(part(blocks, 128 * k, 128));
    const std::size_t after = vectors * blocks_in<Vector> + k;
    const Signals all_128 = add(first, number(after, 128), zero);
    Signals low_32 = add(Signals(first.begin(), first.begin() + 32), number(after, 32), zero);
    low_32.insert(low_32.end(), first.begin() + 32, first.end());
    for (const Signals& specified : {all_128, low_32}) {
      for (std::size_t i = 0; i < 128; ++i) {
        recording.implementation.push_back(graph().and_of(not_of(carries), made[i]));
        recording.specification.push_back(graph().and_of(not_of(carries), specified[i]));
      }
    }
  }
  return recording;
}

template <class Vector>
void add_counters(std::vector<Claim>& claims, const std::string& set) {
  claims.push_back({"ctr." + set + ".first", counters<Vector, 0>});
  claims.push_back({"ctr." + set + ".later", counters<Vector, 7>});
}

}  // namespace

std::vector<Claim> tweak_claims() {
  std::vector<Claim> claims = {
      {"xts.scalar.next", next_tweaks<Block128>}, {"xts.avx2_block.next", next_tweaks<Word128>},
      {"xts.avx2.first", first_tweaks<Word256>},  {"xts.avx2.next", next_tweaks<Word256>},
      {"xts.avx2_vaes.far", far_tweaks<Word256>}, {"xts.avx512.first", first_tweaks<Word512>},
      {"xts.avx512.next", next_tweaks<Word512>},  {"xts.avx512.far", far_tweaks<Word512>},
      {"xts.neon.first", first_tweaks<NeonWord>}, {"xts.neon.next", next_tweaks<NeonWord>},
  };
  add_counters<Block128>(claims, "scalar");
  add_counters<Word128>(claims, "avx2_block");
  add_counters<Word256>(claims, "avx2");
  add_counters<Word512>(claims, "avx512");
  add_counters<NeonWord>(claims, "neon");
  return claims;
}

}  // namespace prove

// Lane words for recording: their operations are those of the shipped words, element by element, over recorded integers.
#pragma once

#include "recorded_std.hpp"

namespace phalanx {
namespace {

using ::prove::look_up;

/// Word64 with three-input lookups: what the words of AVX-512 compute in each 64-bit element.
struct LookupWord64 {
  static constexpr bool has_lut3 = true;
  std::uint64_t bits;

  static LookupWord64 load(const void* p) { return {load_u64(p)}; }
  void store(void* p) const { store_u64(p, bits); }
  static LookupWord64 broadcast64(std::uint64_t x) { return {x}; }

  friend LookupWord64 operator&(LookupWord64 a, LookupWord64 b) { return {a.bits & b.bits}; }
  friend LookupWord64 operator|(LookupWord64 a, LookupWord64 b) { return {a.bits | b.bits}; }
  friend LookupWord64 operator^(LookupWord64 a, LookupWord64 b) { return {a.bits ^ b.bits}; }
  friend LookupWord64 operator~(LookupWord64 a) { return {~a.bits}; }
  friend LookupWord64 and_not(LookupWord64 a, LookupWord64 b) { return {a.bits & ~b.bits}; }
};
template <std::uint8_t table>
LookupWord64 lut3(LookupWord64 a, LookupWord64 b, LookupWord64 c) {
  return {look_up<table>(a.bits, b.bits, c.bits)};
}

/// 16 bytes as four lanes of 32 bits: PlainWord128, or with lookups an element of Word512.
template <bool lookups>
struct FourLanes {
  static constexpr bool has_lut3 = lookups;
  std::uint32_t lane[4];

  static FourLanes load(const void* p) {
    FourLanes w;
    std::memcpy(&w, p, sizeof w);
    return w;
  }
  void store(void* p) const { std::memcpy(p, lane, sizeof lane); }
  static FourLanes broadcast32(std::uint32_t x) { return {{x, x, x, x}}; }

  template <class Operation>
  static FourLanes on_lanes(Operation operation) {
    return {{operation(0), operation(1), operation(2), operation(3)}};
  }
  friend FourLanes operator&(FourLanes a, FourLanes b) {
    return on_lanes([&](int i) { return a.lane[i] & b.lane[i]; });
  }
  friend FourLanes operator|(FourLanes a, FourLanes b) {
    return on_lanes([&](int i) { return a.lane[i] | b.lane[i]; });
  }
  friend FourLanes operator^(FourLanes a, FourLanes b) {
    return on_lanes([&](int i) { return a.lane[i] ^ b.lane[i]; });
  }
  friend FourLanes operator~(FourLanes a) {
    return on_lanes([&](int i) { return ~a.lane[i]; });
  }
  friend FourLanes and_not(FourLanes a, FourLanes b) { return a & ~b; }

  friend FourLanes unpack_low32(FourLanes a, FourLanes b) { return {{a.lane[0], b.lane[0], a.lane[1], b.lane[1]}}; }
  friend FourLanes unpack_high32(FourLanes a, FourLanes b) { return {{a.lane[2], b.lane[2], a.lane[3], b.lane[3]}}; }
  friend FourLanes unpack_low64(FourLanes a, FourLanes b) { return {{a.lane[0], a.lane[1], b.lane[0], b.lane[1]}}; }
  friend FourLanes unpack_high64(FourLanes a, FourLanes b) { return {{a.lane[2], a.lane[3], b.lane[2], b.lane[3]}}; }
  friend std::uint64_t first64(FourLanes a) { return a.lane[0] | std::uint64_t{a.lane[1]} << 32; }
};
template <std::uint8_t table, bool lookups>
FourLanes<lookups> lut3(FourLanes<lookups> a, FourLanes<lookups> b, FourLanes<lookups> c) {
  if constexpr (lookups) {
    return FourLanes<true>::on_lanes([&](int i) { return look_up<table>(a.lane[i], b.lane[i], c.lane[i]); });
  } else {
    return lut3_two_input<table>(a, b, c);
  }
}
template <int count, bool lookups>
FourLanes<lookups> rotate_left32(FourLanes<lookups> a) {
  return FourLanes<lookups>::on_lanes([&](int i) { return a.lane[i] << count | a.lane[i] >> (32 - count); });
}
template <int count, bool lookups>
FourLanes<lookups> shift_left32(FourLanes<lookups> a) {
  return FourLanes<lookups>::on_lanes([&](int i) { return a.lane[i] << count; });
}

}  // namespace
}  // namespace phalanx

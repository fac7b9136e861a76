// Included before the headers of src/: inside namespace phalanx, `std::` then finds these first, so what the shipped code
// calls std::uint32_t and std::uint64_t are recorded integers, and its std::memcpy moves what is known beside the memory
// too. Everything else of `std` is that of the compiler. No header of src/ is changed or copied for it.
//
// std::uint8_t stays plain: bytes are only moved, never computed with, in most of what is recorded. In headers that are
// included after twofish/recorded_twofish.hpp, it is recorded too.
#pragma once

#ifdef PHALANX_INLINE
#error "recorded_std.hpp comes before the headers of src/: those before it are not recorded"
#endif

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "recorded_integer.hpp"

namespace phalanx::std {

using namespace ::std;
using uint32_t = ::prove::RecordedInteger<::std::uint32_t>;
using uint64_t = ::prove::RecordedInteger<::std::uint64_t>;
using int32_t = ::prove::RecordedInteger<::std::int32_t>;

inline void* memcpy(void* to, const void* from, ::std::size_t num_bytes) {
  ::prove::copy_memory(to, from, num_bytes);
  return to;
}
inline void* memset(void* to, int byte, ::std::size_t num_bytes) {
  ::prove::fill_memory(to, byte, num_bytes);
  return to;
}

}  // namespace phalanx::std

// The compiler's own vectors hold no recorded integers, and headers leave them out where nvcc reads them; on the host, this
// too gives those headers as they are.
#define __CUDACC__
#define __host__
#define __device__
#define __constant__
#define __forceinline__ inline
#include "engine/bytes/inline.hpp"
#undef PHALANX_UNROLL
#define PHALANX_UNROLL
#undef PHALANX_NO_UNROLL
#define PHALANX_NO_UNROLL
#include "engine/lanes/lane_word.hpp"
#include "engine/lanes/word_scalar.hpp"

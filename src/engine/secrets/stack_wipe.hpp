// Functions leave values on the stack when they return. A compiler puts values aside there that no program can name,
// and so cannot wipe where they are. Such are parts of a key that registers have no room for. But they all lie below
// the frame of the caller, who can wipe them.
#pragma once

#include "engine/bytes/byte_order.hpp"

namespace phalanx {
namespace {

template <class Function>
__attribute__((noinline)) void call_out_of_line(const Function& function) {
  function();
}

/// Calls the function in a frame of its own, a little below the caller's: so much as wipe_stack_below may need for itself.
template <class Function>
__attribute__((noinline)) void apart(const Function& function) {
  std::uint8_t gap[64];
  __asm__ volatile("" : : "r"(gap) : "memory");
  call_out_of_line(function);
  __asm__ volatile("" : : "r"(gap) : "memory");
}

/// Overwrites num_bytes of the stack below the caller's frame: what `apart` has left there.
template <std::size_t num_bytes>
__attribute__((noinline)) void wipe_stack_below() {
  constexpr std::size_t piece_bytes = 2048;  // C libraries take long to begin with more
  std::uint8_t memory[num_bytes];
  for (std::size_t i = 0; i < num_bytes; i += piece_bytes) {
    wipe(memory + i, num_bytes - i < piece_bytes ? num_bytes - i : piece_bytes);
  }
}

/// Calls the function and overwrites what it has left in num_bytes of the stack; simply calls it where num_bytes is 0.
template <std::size_t num_bytes, class Function>
inline __attribute__((always_inline)) void call_then_wipe_stack(const Function& function) {
  if constexpr (num_bytes == 0) {
    function();
  } else {
    apart(function);
    wipe_stack_below<num_bytes>();
  }
}

}  // namespace
}  // namespace phalanx

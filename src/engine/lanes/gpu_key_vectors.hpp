// The expanded keys of a batch in a GPU's memory.
#pragma once

#include "engine/lanes/gpu_block.hpp"

namespace phalanx {
namespace {

/// The expanded keys of a batch, as vectors of four words: vector i of all messages, then vector i + 1 of all, so that
/// neighbouring threads load neighbouring vectors. This is one message's.
struct GpuMessageKeys {
  std::uint8_t* vectors;
  std::uint64_t num_messages;
  std::uint64_t message;

  struct Vector {
    GpuBlock128 words;
    PHALANX_INLINE std::uint32_t operator[](unsigned i) const { return words.word[i]; }
  };
  PHALANX_INLINE Vector operator[](unsigned i) const { return {load_block<4>(vectors, i * num_messages + message, true)}; }
  PHALANX_INLINE void store(unsigned i, const std::uint32_t words[4]) const {
    store_block<4>(vectors, i * num_messages + message, {{words[0], words[1], words[2], words[3]}}, true);
  }
};

}  // namespace
}  // namespace phalanx

// Brings the next window of messages, and takes back the one before, while a warp crypts the one between.
//
// A scheduler has two such warps, since their keys fill shared memory: too few to crypt in one while the other waits.
#pragma once

#include "engine/engines/cuda/kernels/gpu_des_messages.hpp"

namespace phalanx {
namespace {

/// Between begin() and finish() every begin_step() has an end_step(), with rounds of the cipher in between: what the one
/// loads, the other needs, so that nothing waits for memory. What is loaded in one turn of a loop and needed in the next
/// would wait, where the turn ends: compilers see to that.
struct GpuDesCarrier {
  static constexpr unsigned at_a_time = 8;  ///< places of a lane
  static constexpr unsigned window_blocks = GpuDesMessages::window_blocks;
  enum class Step { to_messages, find_messages, from_messages };

  const GpuDesMessages& messages;
  std::uint64_t start = 0;  ///< of the window that is crypted
  bool takes_back = false;  ///< the window before it
  bool brings = false;      ///< the window behind it
  unsigned k = 0;           ///< the first of the lane's places that are carried now
  unsigned num_places = 0;
  Step step = Step::to_messages;
  GpuBlock64 x[at_a_time] = {};
  std::uint8_t* at_message[at_a_time] = {};

  /// All messages have all blocks of the windows that are carried.
  PHALANX_INLINE void begin(std::uint64_t start_, bool takes_back_, bool brings_) {
    start = start_;
    takes_back = takes_back_;
    brings = brings_;
    k = 0;
    num_places = takes_back || brings ? messages.num_places() : 0;
    step = takes_back ? Step::to_messages : Step::find_messages;
  }
  PHALANX_INLINE void begin_step() {
    if (k == num_places) return;
    const GpuMessage* const message = &messages.message_at(messages.place(k).message);
    if (step == Step::to_messages) {
      const std::uint8_t* const row = own_row();
      each([&](unsigned j) { at_message[j] = message[j * message_step].out; });
      each([&](unsigned j) { x[j] = load_block<2>(row + j * row_step, 0, true); });
    } else if (step == Step::find_messages) {
      each([&](unsigned j) { at_message[j] = const_cast<std::uint8_t*>(message[j * message_step].in); });
    } else {
      const std::uint64_t block = start + window_blocks + messages.place(k).block;
      each([&](unsigned j) { x[j] = load_block<2>(at_message[j], block + j * block_step, true); });
    }
  }
  PHALANX_INLINE void end_step() {
    if (k == num_places) return;
    if (step == Step::to_messages) {
      const std::uint64_t block = start - window_blocks + messages.place(k).block;
      each([&](unsigned j) { store_block<2>(at_message[j], block + j * block_step, x[j], true); });
      if (!brings) k += at_a_time;
      step = brings ? Step::find_messages : Step::to_messages;
    } else if (step == Step::find_messages) {
      step = Step::from_messages;
    } else {
      std::uint8_t* const row = own_row();
      each([&](unsigned j) { store_block<2>(row + j * row_step, 0, x[j], true); });
      k += at_a_time;
      step = takes_back ? Step::to_messages : Step::find_messages;
    }
  }
  /// Carries what is left, where the rounds were too few.
  PHALANX_INLINE void finish() {
    PHALANX_NO_UNROLL
    while (k != num_places) {
      begin_step();
      end_step();
    }
    synchronize_warp();
  }

 private:
  // From a place to the lane's next one.
#if defined(__CUDA_ARCH__)
  static constexpr unsigned message_step = 32 / window_blocks;
  static constexpr unsigned block_step = 0;
#else
  static constexpr unsigned message_step = 0;
  static constexpr unsigned block_step = 1;
#endif
  static constexpr std::ptrdiff_t row_step = 8 * message_step + GpuDesMessages::row_bytes * block_step;

  /// Place k in the window that is not crypted. Two take turns: the one behind comes where the one before was.
  PHALANX_INLINE std::uint8_t* own_row() const {
    const GpuDesMessages::Place at = messages.place(k);
    return messages.row(start + window_blocks + at.block) + 8 * at.message;
  }
  template <class CarryPlace>
  PHALANX_INLINE void each(CarryPlace carry_place) const {
    PHALANX_UNROLL
    for (unsigned j = 0; j < at_a_time; ++j) carry_place(j);
  }
};

/// Keys for GpuDes::crypt_blocks, which has blocks carried beside its rounds.
template <class Keys>
struct GpuDesCarryingKeys : Keys {
  GpuDesCarrier& carrier;

  PHALANX_INLINE auto rounds(unsigned pass, unsigned round) const {
    carrier.begin_step();
    return Keys::rounds(pass, round);
  }
  PHALANX_INLINE void end_rounds(unsigned /*pass*/, unsigned /*round*/) const { carrier.end_step(); }
};

}  // namespace
}  // namespace phalanx

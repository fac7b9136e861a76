// Included before the headers of src/ where Twofish is recorded: its key schedules compute with bytes, so that these are
// recorded too.
#pragma once

#include "claims.hpp"
#include "recorded_std.hpp"
#include "specifications.hpp"

// Before any header of src/ that computes with bytes.
namespace phalanx::std {
using uint8_t = ::prove::RecordedInteger<::std::uint8_t>;
}

#include "twofish/twofish_specification.hpp"

namespace prove {

using phalanx::Direction;
using Byte = phalanx::std::uint8_t;

inline Signals part_of(const Signals& bits, std::size_t first_byte, std::size_t num_bytes) {
  return part(bits, 8 * first_byte, 8 * num_bytes);
}

/// Blocks or keys in memory, each unknown by itself.
template <std::size_t item_bytes, std::size_t num_items>
struct UnknownItems {
  Byte bytes[num_items * item_bytes];
  std::vector<Signals> inputs;

  /// Those with a number of which only_of says no are zeros.
  template <class Chosen>
  explicit UnknownItems(Chosen only_of) : inputs(num_items) {
    fill_memory(bytes, 0, sizeof bytes);
    for (std::size_t i = 0; i < num_items; ++i) {
      if (only_of(i)) inputs[i] = unknown_memory(bytes + i * item_bytes, item_bytes);
    }
  }
  UnknownItems() : UnknownItems([](std::size_t) { return true; }) {}
  [[nodiscard]] std::vector<Signals> now() const {
    std::vector<Signals> items;
    for (std::size_t i = 0; i < num_items; ++i) items.push_back(read_memory(bytes + i * item_bytes, item_bytes));
    return items;
  }
  /// A core's loads and stores, in place.
  template <class Vector>
  [[nodiscard]] auto loads() {
    return [this](std::size_t i) { return Vector::load(bytes + i * sizeof(Vector)); };
  }
  template <class Vector>
  [[nodiscard]] auto stores() {
    return [this](std::size_t i, const Vector& vector) { vector.store(bytes + i * sizeof(Vector)); };
  }
};

/// All lanes at once take up to a minute to record. They go through the same operations; so the quick claims have unknown
/// keys or blocks in some lanes, at the ends and in the middle, and zeros in the others.
enum class Lanes { some, all };
template <Lanes lanes, std::size_t num_lanes>
bool is_unknown(std::size_t lane) {
  return lanes == Lanes::all || lane < 2 || lane == num_lanes / 2 - 1 || lane == num_lanes / 2 || lane == num_lanes - 1;
}
inline Signals of_unknown_lanes(const std::vector<Signals>& outputs, const std::vector<Signals>& inputs) {
  std::vector<Signals> unknown_outputs;
  std::vector<Signals> unknown_inputs;
  for (std::size_t lane = 0; lane < inputs.size(); ++lane) {
    if (inputs[lane].empty()) continue;
    unknown_outputs.push_back(outputs[lane]);
    unknown_inputs.push_back(inputs[lane]);
  }
  return one_of_equal_lanes(unknown_outputs, unknown_inputs);
}

}  // namespace prove

// A box to be computed: its truth tables, and the names that a circuit's text gives to its bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace circuits {

/// Bit x is the value of a signal when the box's input is the number x: enough for six input bits.
using Table = std::uint64_t;

inline constexpr int max_inputs = 6;
inline constexpr int max_outputs = 4;

struct Box {
  std::string name;
  int num_inputs = 0;
  int num_outputs = 0;
  Table all = 0;  // the positions that exist
  Table input[max_inputs] = {};
  Table output[max_outputs] = {};  // as wanted at input 0, or complemented: every signal of a search is 0 there
  bool complemented[max_outputs] = {};
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;

  int all_outputs() const { return (1 << num_outputs) - 1; }
};

/// Reads the boxes that boxes.py prints, a paragraph each: `box NAME`, `inputs ...` and `outputs ...`, the least significant
/// bit first, and `values ...`, an output for every input. Throws std::runtime_error.
std::vector<Box> read_boxes(const std::string& path);

}  // namespace circuits

#include "box.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace circuits {
namespace {

std::vector<std::string> split(std::istringstream& line) {
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

void tabulate(Box& box, const std::vector<std::string>& values) {
  box.num_inputs = static_cast<int>(box.input_names.size());
  box.num_outputs = static_cast<int>(box.output_names.size());
  const std::size_t num_values = std::size_t{1} << box.num_inputs;
  if (box.num_inputs > max_inputs || box.num_outputs > max_outputs || values.size() != num_values) {
    throw std::runtime_error("box " + box.name + " has more bits than the search takes, or too few values");
  }
  box.all = num_values == 64 ? ~Table{0} : (Table{1} << num_values) - 1;
  for (std::size_t x = 0; x < num_values; ++x) {
    const unsigned long y = std::stoul(values[x]);
    for (int i = 0; i < box.num_inputs; ++i) box.input[i] |= Table{x >> i & 1} << x;
    for (int i = 0; i < box.num_outputs; ++i) box.output[i] |= Table{y >> i & 1} << x;
  }
  for (int i = 0; i < box.num_outputs; ++i) {
    box.complemented[i] = box.output[i] & 1;
    if (box.complemented[i]) box.output[i] = ~box.output[i] & box.all;
  }
}

}  // namespace

std::vector<Box> read_boxes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Box> boxes;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string word;
    if (!(line >> word)) continue;
    if (word == "box") {
      boxes.emplace_back();
      line >> boxes.back().name;
    } else if (boxes.empty()) {
      throw std::runtime_error(path + ": '" + word + "' before the first box");
    } else if (word == "inputs") {
      boxes.back().input_names = split(line);
    } else if (word == "outputs") {
      boxes.back().output_names = split(line);
    } else if (word == "values") {
      tabulate(boxes.back(), split(line));
    } else {
      throw std::runtime_error(path + ": unknown word '" + word + "'");
    }
  }
  return boxes;
}

}  // namespace circuits

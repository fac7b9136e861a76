// A reader of OpenSSL's files of test vectors, evpciph_*.txt: lines "Name = value", in blocks between empty lines.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "provider_fixture.hpp"

namespace phalanx {

struct VectorBlock {
  std::size_t line = 0;
  std::map<std::string, std::string> values;

  [[nodiscard]] bool has(const std::string& name) const { return values.count(name) != 0; }
  [[nodiscard]] std::string text(const std::string& name) const { return has(name) ? values.at(name) : ""; }
  /// In hex digits, or a text between quotation marks.
  [[nodiscard]] ByteVector bytes(const std::string& name) const {
    const std::string value = text(name);
    if (!value.empty() && value[0] == '"') return {value.begin() + 1, value.end() - 1};
    ByteVector found;
    for (std::size_t i = 0; i + 1 < value.size(); i += 2) {
      found.push_back(static_cast<std::uint8_t>(std::stoul(value.substr(i, 2), nullptr, 16)));
    }
    return found;
  }
};

inline std::string without_spaces_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The blocks with a cipher.
inline std::vector<VectorBlock> read_vector_blocks(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<VectorBlock> blocks;
  VectorBlock block;
  std::size_t number = 0;
  const auto end_block = [&] {
    if (block.has("Cipher")) blocks.push_back(block);
    block = {};
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = without_spaces_around(line);
    if (line.empty()) end_block();
    const std::size_t sign = line.find('=');
    if (line.empty() || line[0] == '#' || sign == std::string::npos) continue;
    if (block.values.empty()) block.line = number;
    block.values[without_spaces_around(line.substr(0, sign))] = without_spaces_around(line.substr(sign + 1));
  }
  end_block();
  return blocks;
}

}  // namespace phalanx

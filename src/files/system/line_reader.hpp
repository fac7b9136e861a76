// Lines of a file, of which never more than one is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phalanx {

class LineReader {
 public:
  /// Reads from where the descriptor, which stays the caller's, stands. `name` is for messages, and
  /// `end` what each line ends with.
  LineReader(int descriptor, std::string name, std::size_t max_line_bytes, char end = '\n');

  /// The next line, without its end. False at the end of the file. Throws Error: format if the line is longer than
  /// max_line_bytes, runtime if it cannot be read.
  bool next(std::string& line);

  /// Whether the line that next gave had an end: the last one of a file may not.
  [[nodiscard]] bool ended() const { return ended_; }

  /// How many bytes all lines so far take that had an end.
  [[nodiscard]] std::uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  bool fill();

  int descriptor_;
  std::string name_;
  std::size_t max_line_bytes_;
  std::uint8_t line_end_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in the buffer and not yet given
  bool ended_ = false;
  std::uint64_t whole_bytes_ = 0;
};

}  // namespace phalanx

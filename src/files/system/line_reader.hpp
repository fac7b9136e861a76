// This reads the lines of a file, and never has more than one in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phalanx {

class LineReader {
 public:
  /// Reads from the position of the descriptor, which stays the caller's. `name` is for messages, and `end` ends each line.
  LineReader(int descriptor, std::string name, std::size_t max_line_bytes, char end = '\n');

  /// Reads the next line, without its end. Returns false at the end of the file. Throws Error: format if the line is longer
  /// than max_line_bytes, runtime if it cannot be read.
  bool next(std::string& line);

  /// Says whether the last line that next gave had an end: the last line of a file may have none.
  [[nodiscard]] bool ended() const { return ended_; }

  /// Returns the bytes of all lines so far that had an end.
  [[nodiscard]] std::uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  bool fill();

  int descriptor_;
  std::string name_;
  std::size_t max_line_bytes_;
  std::uint8_t line_end_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the part of the buffer that is not given yet
  bool ended_ = false;
  std::uint64_t whole_bytes_ = 0;
};

}  // namespace phalanx

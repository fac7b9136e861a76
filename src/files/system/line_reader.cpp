#include "files/system/line_reader.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t read_bytes_at_once = std::size_t{1} << 16;

}  // namespace

LineReader::LineReader(int descriptor, std::string name, std::size_t max_line_bytes, char end)
    : descriptor_(descriptor),
      name_(std::move(name)),
      max_line_bytes_(max_line_bytes),
      line_end_(static_cast<std::uint8_t>(end)),
      buffer_(read_bytes_at_once) {}

bool LineReader::fill() {
  begin_ = 0;
  end_ = read_until_full(descriptor_, buffer_, name_);
  return end_ != 0;
}

bool LineReader::next(std::string& line) {
  line.clear();
  ended_ = false;
  while (!ended_ && (begin_ < end_ || fill())) {
    const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = std::find(first, buffer_.begin() + static_cast<std::ptrdiff_t>(end_), line_end_);
    line.append(first, last);
    ended_ = last != buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    begin_ = static_cast<std::size_t>(last - buffer_.begin()) + (ended_ ? 1 : 0);
    if (line.size() > max_line_bytes_) {
      throw Error(ErrorCode::format,
                  name_ + " has a line of more than " + std::to_string(max_line_bytes_) + " bytes: is that the right file?",
                  {.name = name_});
    }
  }
  if (ended_) whole_bytes_ += line.size() + 1;
  return ended_ || !line.empty();
}

}  // namespace phalanx

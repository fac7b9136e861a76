#include "program/cli/secrets/first_line.hpp"

#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t longest_line_bytes = 4096;

}  // namespace

FirstLine read_first_line(int descriptor, const std::string& name) {
  FirstLine line{.bytes = SecretBytes(longest_line_bytes + 1)};
  std::size_t size = 0;
  const auto byte_at = [&](std::size_t place) { return line.bytes.data()[place]; };
  while (read_until_full(descriptor, MutableBytes(line.bytes).subspan(size, 1), name) == 1 && byte_at(size) != '\n') {
    if (++size != line.bytes.size()) continue;
    throw Error(ErrorCode::usage, name + ": the first line is longer than " + std::to_string(longest_line_bytes) + " bytes");
  }
  line.ends_with_crlf = byte_at(size) == '\n' && size > 0 && byte_at(size - 1) == '\r';
  line.bytes.shrink(size);
  return line;
}

}  // namespace phalanx

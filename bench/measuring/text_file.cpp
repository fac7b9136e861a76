#include "bench/measuring/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx::bench {

std::string read_text(const std::string& path, std::size_t most_bytes) {
  constexpr std::size_t step_bytes = std::size_t{64} << 10;
  const FileDescriptor file = open_file(path, O_RDONLY);
  std::string text;
  while (text.size() <= most_bytes) {
    const std::size_t at = text.size();
    const std::size_t wanted = std::min(step_bytes, most_bytes + 1 - at);
    text.resize(at + wanted);
    const std::size_t got = read_until_full(file.get(), {reinterpret_cast<std::uint8_t*>(text.data()) + at, wanted}, path);
    text.resize(at + got);
    if (got < wanted) return text;
  }
  throw Error(ErrorCode::usage,
              fmt::format("{} is too large to be what phalanx-bench reads: more than {} bytes", path, most_bytes));
}

}  // namespace phalanx::bench

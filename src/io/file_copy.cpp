#include "io/file_copy.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "io/chunk.hpp"

namespace phalanx {
namespace {

constexpr std::size_t cloned_at_once_bytes = std::size_t{64} << 20;

}  // namespace

void copy_rest(Input& input, const AtomicFile& file, Progress& progress) {
  for (;;) {
    const ssize_t size = copy_file_range(input.descriptor(), nullptr, file.descriptor(), nullptr, cloned_at_once_bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
      throw_system_error("write", file.partial_path());
    }
    if (size <= 0) break;  // the end, or a file system that cannot: what is left is read
    progress.add(static_cast<std::uint64_t>(size));
  }
  std::vector<std::uint8_t> buffer(default_chunk_bytes);
  while (const std::size_t size = input.read(buffer)) {
    write_all(file.descriptor(), Bytes(buffer).first(size), file.partial_path());
    progress.add(size);
  }
}

}  // namespace phalanx

#include "files/system/output/file_copy.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

namespace phalanx {
namespace {

constexpr std::size_t cloned_at_once_bytes = std::size_t{64} << 20;
constexpr std::size_t copied_at_once_bytes = std::size_t{1} << 20;

}  // namespace

void copy_rest(Input& input, AtomicFile& file, Progress& progress) {
  off_t end = lseek(file.descriptor(), 0, SEEK_END);
  if (end < 0) throw_system_error("write", file.partial_path());
  for (;;) {
    const ssize_t size = copy_file_range(input.descriptor(), nullptr, file.descriptor(), &end, cloned_at_once_bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
      throw_system_error("write", file.partial_path());
    }
    if (size <= 0) break;  // the end, or a file system that cannot: the rest is read
    file.count_appended(static_cast<std::uint64_t>(size));
    progress.add(static_cast<std::uint64_t>(size));
  }
  std::vector<std::uint8_t> buffer(copied_at_once_bytes);
  while (const std::size_t size = input.read(buffer)) {
    file.append(Bytes(buffer).first(size));
    progress.add(size);
  }
}

}  // namespace phalanx

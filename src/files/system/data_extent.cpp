#include "files/system/data_extent.hpp"

#include <unistd.h>

#include <cerrno>

namespace phalanx {

DataExtent next_data_extent(int file, std::uint64_t offset, std::uint64_t file_bytes) {
  if (offset >= file_bytes) return {file_bytes, file_bytes};
  const off_t begin = lseek(file, static_cast<off_t>(offset), SEEK_DATA);
  if (begin < 0) return errno == ENXIO ? DataExtent{file_bytes, file_bytes} : DataExtent{offset, file_bytes};
  const off_t end = lseek(file, begin, SEEK_HOLE);
  return {static_cast<std::uint64_t>(begin), end <= begin ? file_bytes : static_cast<std::uint64_t>(end)};
}

}  // namespace phalanx

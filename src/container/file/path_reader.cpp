// A container in a file, for the library's reader.
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <phalanx/container.hpp>

#include "files/file_descriptor.hpp"

namespace phalanx {
namespace {

ContainerReader reader_of(const std::string& path, std::span<const Identity> identities, const Options& options,
                          const CostLimits& limits) {
  const auto file = std::make_shared<const FileDescriptor>(open_file(path, O_RDONLY | O_NONBLOCK));
  struct stat status {};
  if (fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::runtime, "cannot open " + path + ": it is not a regular file");
  }
  const auto read = [file, path](std::uint64_t offset, MutableBytes out) {
    if (read_at(file->get(), out, offset, path) == out.size()) return;
    throw Error(ErrorCode::runtime, "cannot read " + path + ": it became shorter");
  };
  return ContainerReader(read, static_cast<std::uint64_t>(status.st_size), identities, options, limits);
}

}  // namespace

ContainerReader::ContainerReader(const std::string& path, std::span<const Identity> identities, const Options& options,
                                 const CostLimits& limits)
    : ContainerReader(reader_of(path, identities, options, limits)) {}

}  // namespace phalanx

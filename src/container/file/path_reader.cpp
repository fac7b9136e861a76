// Containers and bare messages in files, for the library's readers.
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <phalanx/chunked.hpp>
#include <phalanx/container.hpp>

#include "files/file_descriptor.hpp"

namespace phalanx {
namespace {

// A file that is open for as long as one of these is, and how long it was.
struct OpenFile {
  ReadAt read_at;
  std::uint64_t num_bytes;

  OpenFile(FileDescriptor descriptor, const std::string& name) {
    const auto file = std::make_shared<const FileDescriptor>(std::move(descriptor));
    struct stat status {};
    if (fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      throw Error(ErrorCode::runtime, "cannot open " + name + ": it is not a regular file");
    }
    num_bytes = static_cast<std::uint64_t>(status.st_size);
    read_at = [file, name](std::uint64_t offset, MutableBytes out) {
      if (phalanx::read_at(file->get(), out, offset, name) == out.size()) return;
      throw Error(ErrorCode::runtime, "cannot read " + name + ": it became shorter");
    };
  }
  explicit OpenFile(const std::string& path) : OpenFile(open_file(path, O_RDONLY | O_NONBLOCK), path) {}
  OpenFile(int number, const std::string& name) : OpenFile(duplicate(number, name), name) {}
};

ContainerReader reader_of(const std::string& path, std::span<const Identity> identities, const Options& options,
                          const CostLimits& limits) {
  const OpenFile file(path);
  return ContainerReader(file.read_at, file.num_bytes, identities, options, limits);
}

ChunkedReader reader_of(const ChunkedAead& aead, const OpenFile& file) {
  return ChunkedReader(aead, file.read_at, file.num_bytes);
}

}  // namespace

ContainerReader::ContainerReader(const std::string& path, std::span<const Identity> identities, const Options& options,
                                 const CostLimits& limits)
    : ContainerReader(reader_of(path, identities, options, limits)) {}

ChunkedReader::ChunkedReader(const ChunkedAead& aead, const std::string& path)
    : ChunkedReader(reader_of(aead, OpenFile(path))) {}
ChunkedReader::ChunkedReader(const ChunkedAead& aead, int descriptor)
    : ChunkedReader(reader_of(aead, OpenFile(descriptor, "the descriptor " + std::to_string(descriptor)))) {}

}  // namespace phalanx

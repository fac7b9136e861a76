// Containers and bare messages in files, for the library's readers.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <phalanx/chunked.hpp>
#include <phalanx/container.hpp>
#include <vector>

#include "container/file/header_exchange.hpp"
#include "files/file_descriptor.hpp"
#include "files/paths.hpp"

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

// The file as it is but for its header.
ReadAt begins_with(Bytes header, const ReadAt& read_at) {
  return
      [header = std::vector<std::uint8_t>(header.begin(), header.end()), read_at](std::uint64_t offset, MutableBytes out) {
        read_at(offset, out);
        if (offset >= header.size()) return;
        const Bytes rest = Bytes(header).subspan(static_cast<std::size_t>(offset));
        std::copy_n(rest.begin(), std::min(rest.size(), out.size()), out.begin());
      };
}

// By what stands beside it, where another run changes its header (header_exchange.hpp).
ContainerReader reader_of(const std::string& path, std::span<const Identity> identities, const Options& options,
                          const CostLimits& limits, const Binding& given) {
  const OpenFile file(path);
  const Binding binding = placed_at(given, name_of_container(last_name_of(path)));
  const auto open = [&](const ReadAt& read_at) {
    return ContainerReader(read_at, file.num_bytes, identities, options, limits, binding);
  };
  try {
    return open(file.read_at);
  } catch (const Error&) {
    for (const std::vector<std::uint8_t>& header : headers_beside(path)) {
      try {
        return open(begins_with(header, file.read_at));
      } catch (const Error&) {  // the other one may open
      }
    }
    throw;
  }
}

ChunkedReader reader_of(const ChunkedAead& aead, const OpenFile& file) {
  return ChunkedReader(aead, file.read_at, file.num_bytes);
}

}  // namespace

ContainerReader::ContainerReader(const std::string& path, std::span<const Identity> identities, const Options& options,
                                 const CostLimits& limits, const Binding& binding)
    : ContainerReader(reader_of(path, identities, options, limits, binding)) {}

ChunkedReader::ChunkedReader(const ChunkedAead& aead, const std::string& path)
    : ChunkedReader(reader_of(aead, OpenFile(path))) {}
ChunkedReader::ChunkedReader(const ChunkedAead& aead, int descriptor)
    : ChunkedReader(reader_of(aead, OpenFile(descriptor, "the descriptor " + std::to_string(descriptor)))) {}

}  // namespace phalanx

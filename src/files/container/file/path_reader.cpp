// These are the library's readers of containers and bare messages in files.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <phalanx/files/chunked_file.hpp>
#include <phalanx/files/container.hpp>
#include <vector>

#include "engine/chunked/chunked_key.hpp"
#include "engine/threads/threads.hpp"
#include "files/container/file/header_rewrite.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

// Holds an open file and its size, for as long as a reader lives.
struct OpenFile {
  ReadAt read_at;
  std::uint64_t num_bytes;

  OpenFile(FileDescriptor descriptor, const std::string& name, int num_threads) {
    const auto file = std::make_shared<const FileDescriptor>(std::move(descriptor));
    struct stat status {};
    if (fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      throw Error(ErrorCode::runtime, "cannot open " + name + ": it is not a regular file");
    }
    num_bytes = static_cast<std::uint64_t>(status.st_size);
    read_at = [file, name, num_threads](std::uint64_t offset, MutableBytes out) {
      run_parallel(num_threads, (out.size() + bytes_a_thread - 1) / bytes_a_thread,
                   [&](std::size_t first, std::size_t last) {
                     const std::size_t start = first * bytes_a_thread;
                     const MutableBytes part = out.subspan(start, std::min(last * bytes_a_thread, out.size()) - start);
                     if (phalanx::read_at(file->get(), part, offset + start, name) == part.size()) return;
                     throw Error(ErrorCode::runtime, "cannot read " + name + ": it became shorter");
                   });
    };
  }
  OpenFile(const std::string& path, int num_threads)
      : OpenFile(open_file(require_named(path), O_RDONLY | O_NONBLOCK), path, num_threads) {}
  OpenFile(int number, const std::string& name, int num_threads) : OpenFile(duplicate(number, name), name, num_threads) {}

 private:
  // From the page cache one thread is slower than a GPU's link. Several parts for each thread let all threads end together.
  static constexpr std::size_t bytes_a_thread = std::size_t{256} << 10;
};

// Reads the file with another header in the place of its own.
ReadAt begins_with(Bytes header, const ReadAt& read_at) {
  return
      [header = std::vector<std::uint8_t>(header.begin(), header.end()), read_at](std::uint64_t offset, MutableBytes out) {
        read_at(offset, out);
        if (offset >= header.size()) return;
        const Bytes rest = Bytes(header).subspan(static_cast<std::size_t>(offset));
        std::copy_n(rest.begin(), std::min(rest.size(), out.size()), out.begin());
      };
}

// Opens the container by a header beside it, where another run changes its header (header_rewrite.hpp).
ContainerReader reader_of(const std::string& path, std::span<const Identity> identities, const EngineOptions& options,
                          const CostLimits& limits, const Binding& given) {
  const OpenFile file(path, options.num_threads);
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
      } catch (const Error&) {  // the other header may open
      }
    }
    throw;
  }
}

int threads_of(const ChunkedAead& aead) { return ChunkedKey::of(aead)->options.num_threads; }

ChunkedReader reader_of(const ChunkedAead& aead, const OpenFile& file) {
  return ChunkedReader(aead, file.read_at, file.num_bytes);
}

}  // namespace

ContainerReader::ContainerReader(const std::string& path, std::span<const Identity> identities, const EngineOptions& options,
                                 const CostLimits& limits, const Binding& binding)
    : ContainerReader(reader_of(path, identities, options, limits, binding)) {}

inline namespace PHALANX_VERSION_NAMESPACE {

ChunkedReader open_chunked_file(const ChunkedAead& aead, const std::string& path) {
  return reader_of(aead, OpenFile(path, threads_of(aead)));
}

ChunkedReader open_chunked_file(const ChunkedAead& aead, int descriptor) {
  return reader_of(aead, OpenFile(descriptor, "the descriptor " + std::to_string(descriptor), threads_of(aead)));
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

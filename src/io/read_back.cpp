#include "io/read_back.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "io/container_reading.hpp"
#include "io/file_descriptor.hpp"

namespace phalanx {
namespace {

// The beginning of a stream.
class BeginningSource : public ByteSource {
 public:
  BeginningSource(ByteSource& source, std::uint64_t num_bytes) : source_(source), rest_bytes_(num_bytes) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t got =
        source_.read(out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), rest_bytes_))));
    rest_bytes_ -= got;
    return got;
  }

 private:
  ByteSource& source_;
  std::uint64_t rest_bytes_;
};

}  // namespace

std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes, const PlaintextMacKey& key,
                          Progress& progress) {
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  BeginningSource input(file, num_bytes);
  PlaintextMacSink sink(key);
  if (job.bare) {
    const ChunkedCipher cipher = read_prefix(input, *job.suite, job.bare_key, job.bare_context, job.options);
    open_chunks(input, cipher, sink, progress);
  } else {
    read_through(input, identities_of(job.recipients), {}, job.options, sink, progress);
  }
  return sink.mac().finish();
}

void verify_partial(const ContainerJob& job, const AtomicFile& file, const WrittenContainer& written, Progress& progress) {
  if (fsync(file.descriptor()) != 0) throw_system_error("write", file.partial_path());
  std::string found;
  try {
    Input container(duplicate(file.descriptor(), file.partial_path()), file.partial_path());
    container.seek(0);
    found = read_back_mac(job, container, written.num_bytes, written.key, progress);
  } catch (const Error& error) {
    throw Error(error.code(), std::string("OUT does not read back as it was written: ") + error.what());
  }
  if (found == written.mac) return;
  throw Error(ErrorCode::authentication, "OUT does not read back as it was written: its plaintext is another");
}

void read_through(ByteSource& source, std::span<const Identity> identities, const CostLimits& limits, const Options& options,
                  ByteSink& sink, Progress& progress) {
  const ContainerHeader header = read_header(source);
  const OpenedHeader opened = open_header(header, identities, limits);
  const std::vector<std::uint8_t> context = body_context(*header.suite);
  const ChunkedCipher cipher = read_prefix(source, *header.suite, opened.data_key, context, options);
  open_chunks(source, cipher, sink, progress);
}

}  // namespace phalanx

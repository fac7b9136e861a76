// Reading a container back once it is written, before anybody relies on it.
#pragma once

#include <cstdint>
#include <string>

#include "io/atomic_file.hpp"
#include "io/container_writing.hpp"
#include "io/input.hpp"
#include "io/progress.hpp"

namespace phalanx {

/// The SHA-256 in hex of what the first num_bytes of the file open to for the job's recipients, read from the disk as far as
/// the system lets us. Throws as opening does.
[[nodiscard]] std::string read_back_sha256(const ContainerJob& job, Input& file, std::uint64_t num_bytes,
                                           Progress& progress);

/// Makes the partial file durable and reads it back. Returns the digest, which is `sha256`, that of the plaintext that went
/// in. Throws Error: authentication if it is another, runtime if the file cannot be read, and as opening does.
std::string verify_partial(const ContainerJob& job, const AtomicFile& file, std::uint64_t num_bytes,
                           const std::string& sha256, Progress& progress);

/// Opens a container, authenticates all of it and writes its plaintext to `sink`. Throws as open_header and open_chunks do.
void read_through(ByteSource& source, std::span<const Identity> identities, const CostLimits& limits, const Options& options,
                  ByteSink& sink, Progress& progress);

}  // namespace phalanx

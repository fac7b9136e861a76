// Reading a container back once it is written, before anybody relies on it.
#pragma once

#include <cstdint>
#include <string>

#include "container/file/resumable_writer.hpp"
#include "files/input.hpp"
#include "files/input_watch.hpp"
#include "files/output/atomic_file.hpp"
#include "files/progress.hpp"
#include "pipeline/plaintext_mac.hpp"

namespace phalanx {

/// What a container that was written holds, or what was read to make it.
struct WrittenContainer {
  std::uint64_t num_bytes;     ///< of the file, from its beginning; or of what was read
  const PlaintextMacKey& key;  ///< the caller's
  std::string mac;             ///< of the plaintext that went in, under that key
};

/// The MAC of what the first num_bytes of the file open to for the job's recipients, read from the disk as far as the system
/// lets us. Throws as opening does.
[[nodiscard]] std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes,
                                        const PlaintextMacKey& key, Progress& progress);

/// Reads as many bytes once more from where the watch began, and compares. Throws Error (runtime) if they are others now.
void verify_input(const InputWatch& watch, const ContainerJob& job, const WrittenContainer& read);

/// Makes the partial file durable, reads it back, and compares what it opens to. Throws Error: authentication if that is
/// another plaintext, runtime if the file cannot be read, and as opening does.
void verify_partial(const ContainerJob& job, const AtomicFile& file, const WrittenContainer& written, Progress& progress);

}  // namespace phalanx

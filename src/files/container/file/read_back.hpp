// Reading a container back once it is written, before anybody relies on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "files/container/file/resumable_writer.hpp"
#include "files/container/format/body_facts.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// What was read to make a container.
struct ReadInput {
  std::uint64_t num_bytes;
  const PlaintextMacKey& key;  ///< the caller's
  std::string mac;             ///< of what was read, under that key
};

/// What a file shows of its body, without a key. Throws as shown_body_facts does of any bytes.
[[nodiscard]] BodyFacts shown_body_facts(int descriptor, const std::string& name);

/// Reads and authenticates the whole body of an open container, whose chunks the file stands at and ends with at num_bytes:
/// its plaintext through `stages`. Digests the body too, the very bytes that are opened, where that is asked for. Throws as
/// open_chunks does.
[[nodiscard]] BodyFacts read_open_body(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes, bool with_digest,
                                       std::span<PipelineStage* const> stages, const RunOptions& options,
                                       Progress& progress);

/// SHA-256 of all that stands behind the header of a container, without a key.
[[nodiscard]] Sha256Digest digest_body(int descriptor, const std::string& name, Progress& progress);

/// What read_back_mac also finds: facts where it is asked to.
struct FoundBody {
  bool with_facts = true;
  bool with_digest = false;
  BodyFacts facts{};
  ContentSource source = ContentSource::disk;  ///< of what read_back_mac has read
};

/// The MAC of what the first num_bytes of the file open to for the job's recipients, read from the disk as far as it was
/// synced and the system lets us; where the run can open none of them, by `data_key`, under which the header's MAC is
/// verified all the same. Throws as opening does, and Error (usage) where there is none of that either.
[[nodiscard]] std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes,
                                        const PlaintextMacKey& key, Progress& progress, Bytes data_key = {},
                                        FoundBody* found = nullptr);

/// The same of chunks alone, from where the file stands on, wherever they are read from.
[[nodiscard]] std::string read_back_chunks(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes,
                                           const RunOptions& options, const PlaintextMacKey& key, Progress& progress,
                                           FoundBody* found = nullptr);

/// The MAC of all that a file holds, from where it stands on.
[[nodiscard]] std::string plaintext_mac_of(Input& input, const RunOptions& options, const PlaintextMacKey& key,
                                           Progress& progress);

/// Reads as many bytes once more from where the watch began, and compares. Throws Error (runtime) if they are others now.
void verify_input(const InputWatch& watch, const ReadInput& read, const RunOptions& options);

}  // namespace phalanx

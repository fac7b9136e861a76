// This reads a container back once it is written, before anybody relies on it.
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

/// Describes the input of a new container, as it was read.
struct ReadInput {
  std::uint64_t num_bytes;
  const PlaintextMacKey& key;  ///< the caller's
  std::string mac;             ///< the MAC of the bytes that were read, under that key
};

/// Returns what a file shows of its body, without a key. Throws as shown_body_facts does of any bytes.
[[nodiscard]] BodyFacts shown_body_facts(int descriptor, const std::string& name);

/// Reads and authenticates the whole body of an open container, and passes its plaintext through `stages`. The file stands
/// at the first chunk, and ends with the last one at num_bytes. With `with_digest` it also digests the very bytes that are
/// opened. Throws as open_chunks does.
[[nodiscard]] BodyFacts read_open_body(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes, bool with_digest,
                                       std::span<PipelineStage* const> stages, const RunOptions& options,
                                       Progress& progress);

/// Computes SHA-256 of all that stands behind the header of a container, without a key.
[[nodiscard]] Sha256Digest digest_body(int descriptor, const std::string& name, Progress& progress);

/// Holds further results of read_back_mac: facts where the caller sets with_facts.
struct FoundBody {
  bool with_facts = true;
  bool with_digest = false;
  BodyFacts facts{};
  ContentSource source = ContentSource::disk;  ///< where read_back_mac read from
};

/// Opens the first num_bytes of the file for the job's recipients, and returns the MAC of the plaintext. The file is read
/// from the disk as far as it was synced and the system allows it. If the run can open it for none of them, it takes
/// `data_key`, and verifies the header's MAC under that. Throws as opening does, and Error (usage) where there is no data
/// key either.
[[nodiscard]] std::string read_back_mac(const ContainerJob& job, Input& file, std::uint64_t num_bytes,
                                        const PlaintextMacKey& key, Progress& progress, Bytes data_key = {},
                                        FoundBody* found = nullptr);

/// Does this for chunks alone, from the file's position on, wherever they are read from.
[[nodiscard]] std::string read_back_chunks(const ChunkedCipher& cipher, Input& file, std::uint64_t num_bytes,
                                           const RunOptions& options, const PlaintextMacKey& key, Progress& progress,
                                           FoundBody* found = nullptr);

/// Computes the MAC of a file from its position to its end.
[[nodiscard]] std::string plaintext_mac_of(Input& input, const RunOptions& options, const PlaintextMacKey& key,
                                           Progress& progress);

/// Reads as many bytes once more from where the watch began, and compares them. Throws Error (runtime) if they differ now.
void verify_input(const InputWatch& watch, const ReadInput& read, const RunOptions& options);

}  // namespace phalanx

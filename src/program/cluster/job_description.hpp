// A run over pieces, described in bytes: what rank 0 tells the others, so that they do some of the pieces; and what they
// tell it afterwards. A part says nothing of itself: here stands what each kind of part is to another rank, and
// worker_share.cpp makes the parts of what was written here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "files/pipeline/scheduler.hpp"
#include "files/system/output/atomic_file.hpp"
#include "program/cluster/job_codec.hpp"

namespace phalanx {

/// The description of each part begins with one of these.
enum class JobPart : std::uint8_t {
  file_pieces = 1,
  piece_cipher,
  seal,
  open,
  plaintext_mac,
  plaintext_kind,
  nowhere,
  file,
  sealed_file_records,
  written_file_records,
};

/// False where a part is none of these, or wants the pieces in their order. The reader is asked first: the end of a file
/// that grows is settled then, and all ranks read up to there. `engine` is the one that was asked for: each has its own.
/// At its end stand the proofs that the others open the same files (shared_file.hpp).
[[nodiscard]] bool describe_run(JobEncoder& job, const RunParts& parts, std::string_view engine);

/// Returns the text that each description begins with. It says which program made the description. Ranks of another
/// program refuse it.
[[nodiscard]] std::string program_of_job();

/// Returns how many bytes the reader of a described run reads.
[[nodiscard]] std::uint64_t described_bytes(const PieceReader& reader);

/// The file that the sink of a described run writes; nullptr where it writes none.
[[nodiscard]] const WrittenFile* written_by(const PieceSink& sink);

/// Puts the results that the stages and the sink of a described run have after a share of it.
void put_result(JobEncoder& result, std::span<PipelineStage* const> stages, const PieceSink& sink);
/// Takes these results into the stages and the sink of rank 0. Throws Error (runtime) for bytes that are no results.
void merge_result(JobDecoder& result, std::span<PipelineStage* const> stages, PieceSink& sink);

}  // namespace phalanx

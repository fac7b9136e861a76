#include <phalanx/files/verification.hpp>

#include "engine/host/process_mark.hpp"
#include "files/container/file/file_unsealing.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/pipeline/digest_stage.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

// Reads and authenticates one open container.
Verified read_whole(Input& input, const ChunkedCipher& cipher, bool sha256, const RunOptions& options, Progress& progress) {
  DigestStage digest;
  PipelineStage* const stages[] = {&digest};
  if (sha256) {
    read_all_chunks(cipher, input, stages, options, progress);
    return {.plain_bytes = digest.num_bytes(), .sha256 = digest.finish()};
  }
  const std::uint64_t plain_bytes = SeekableMessage(input, cipher).plain_bytes();
  read_all_chunks(cipher, input, {}, options, progress);
  return {.plain_bytes = plain_bytes};
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

Verified verify_container(const std::string& path, std::span<const Identity> identities,
                          const VerificationOptions& options) {
  Input input(require_named(path));
  if (options.from_disk) require_from_disk(input.descriptor(), input.name());
  ProgressCall progress(options.on_progress, options.cancellation);
  const Binding binding = placed_at(options.binding, name_of_container(last_name_of(path)));
  const ChunkedCipher cipher = read_beginning(input, identities, options.limits, binding, options.engine);
  return read_whole(input, cipher, options.sha256, options.engine, progress);
}

VerificationCounts verify_containers(std::span<const std::string> paths, std::span<const Identity> identities,
                                     const OnVerified& on_verified, const VerificationOptions& options) {
  ProgressCall progress(options.on_progress, options.cancellation);
  const ProtectedFiles needed;
  const TreeListing files(paths, needed);
  require_no_name_of_tree(options.binding);
  VerificationCounts counts;
  Verified verified;
  const auto work = [&](Input& input, const ListedFile& file) -> std::string {
    require_not_cancelled(options.cancellation);
    if (!is_meant_as_container(input, file)) return no_container;
    if (options.from_disk) require_from_disk(input.descriptor(), input.name());
    const Binding binding = placed_at(options.binding, container_name_of(file));
    verified = read_whole(input, read_one_of_many(input, identities, options.limits, binding, options.engine),
                          options.sha256, options.engine, progress);
    return "";
  };
  const auto tell = [&](const ListedFile& file, const FileOutcome& outcome) {
    if (outcome.why == no_container && is_tree_record(file)) return;
    const VerifiedAs as = outcome.failed        ? VerifiedAs::failed
                          : outcome.why.empty() ? VerifiedAs::authentic
                                                : VerifiedAs::skipped;
    ++(as == VerifiedAs::failed ? counts.num_failed : as == VerifiedAs::skipped ? counts.num_skipped : counts.num_authentic);
    if (!on_verified) return;
    FileVerification result{.path = file.path, .outcome = as, .code = outcome.code, .why = outcome.why};
    if (as == VerifiedAs::authentic) result.verified = verified;
    const CallerRuns away;
    on_verified(result);
  };
  run_tree(files, work, tell, {.cancellation = options.cancellation});
  require_not_cancelled(options.cancellation);
  return counts;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

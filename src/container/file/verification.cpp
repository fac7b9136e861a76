#include <algorithm>
#include <optional>
#include <phalanx/verification.hpp>

#include "container/file/file_unsealing.hpp"
#include "container/file/many_files.hpp"
#include "pipeline/digest_stage.hpp"
#include "pipeline/progress_call.hpp"

namespace phalanx {
namespace {

// What one open container holds.
Verified read_whole(Input& input, const ChunkedCipher& cipher, bool sha256, const RunOptions& options, Progress& progress) {
  DigestStage digest;
  PieceStage* const stages[] = {&digest};
  if (sha256) {
    read_all_chunks(cipher, input, stages, options, progress);
    return {.plain_bytes = digest.num_bytes(), .sha256 = digest.finish()};
  }
  const std::uint64_t plain_bytes = SeekableMessage(input, cipher).plain_bytes();
  read_all_chunks(cipher, input, {}, options, progress);
  return {.plain_bytes = plain_bytes};
}

// Of many containers of several suites, each takes the keys of its own length.
std::vector<Identity> fitting(std::span<const Identity> identities, const Suite& suite) {
  std::vector<Identity> result;
  std::ranges::copy_if(identities, std::back_inserter(result), [&](const Identity& identity) {
    return identity.kind == KeyKind::passphrase || identity.secret.size() == suite.key_bytes;
  });
  if (result.empty())
    throw Error(ErrorCode::wrong_key, "none of the keys has the length of one for " + std::string(suite.name));
  return result;
}

ChunkedCipher open_fitting(Input& input, std::span<const Identity> identities, const VerificationOptions& options) {
  const ContainerHeader header = read_header(input);
  const Suite& suite = *header.suite;
  const OpenedHeader opened = open_header(header, fitting(identities, suite), options.limits);
  return read_prefix(input, suite, opened.data_key, body_context(suite), options.engine);
}

}  // namespace

Verified verify_container(const std::string& path, std::span<const Identity> identities, const CostLimits& limits,
                          const OnProgress& on_progress, const Options& options) {
  Input input(path);
  ProgressCall progress(on_progress, nullptr);
  const ChunkedCipher cipher = read_beginning(input, identities, limits, options);
  return read_whole(input, cipher, true, options, progress);
}

VerificationCounts verify_containers(std::span<const std::string> paths, std::span<const Identity> identities,
                                     const OnVerified& on_verified, const VerificationOptions& options) {
  ProgressCall progress(options.on_progress, options.cancellation);
  const ProtectedFiles needed;
  const ManyFiles files(paths, needed);
  VerificationCounts counts;
  Verified verified;
  const auto work = [&](Input& input, const FileOfMany& file) -> std::string {
    require_not_cancelled(options.cancellation);
    if (!is_meant_as_container(input, file)) return "no container";
    verified = read_whole(input, open_fitting(input, identities, options), options.sha256, options.engine, progress);
    return "";
  };
  const auto tell = [&](const FileOfMany& file, const FileOutcome& outcome) {
    const VerifiedAs as = outcome.failed        ? VerifiedAs::failed
                          : outcome.why.empty() ? VerifiedAs::authentic
                                                : VerifiedAs::skipped;
    ++(as == VerifiedAs::failed ? counts.num_failed : as == VerifiedAs::skipped ? counts.num_skipped : counts.num_authentic);
    if (!on_verified) return;
    FileVerification result{.path = file.path, .outcome = as, .code = outcome.code, .why = outcome.why};
    if (as == VerifiedAs::authentic) result.verified = verified;
    on_verified(result);
  };
  files.run(work, 1, tell, options.cancellation);
  require_not_cancelled(options.cancellation);
  return counts;
}

}  // namespace phalanx

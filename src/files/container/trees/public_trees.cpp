// This file implements trees.hpp: folders are sealed and opened.
#include <filesystem>
#include <optional>
#include <phalanx/files/trees.hpp>
#include <system_error>

#include "engine/host/process_mark.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/trees/tree_sealing.hpp"
#include "files/container/trees/tree_unsealing.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

void require_folder(const std::string& from) {
  std::error_code error;
  if (std::filesystem::is_directory(require_named(from), error)) return;
  throw Error(ErrorCode::usage, from + " is no folder: name one");
}

OnTreeFileResult caller_of(const OnTreeFileResult& on_file) {
  return [&on_file](const TreeFileResult& file) {
    if (!on_file) return;
    const CallerRuns away;
    on_file(file);
  };
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

SealTreeCounts seal_tree(const std::string& from, const std::string& to, std::string_view suite,
                         std::span<const Recipient> recipients, const SealTreeOptions& options) {
  if (recipients.empty()) throw Error(ErrorCode::usage, "a container has a recipient at least: name one");
  TreeSealing sealing;
  sealing.job.suite = &find_suite(suite);
  sealing.job.recipients.assign(recipients.begin(), recipients.end());
  sealing.job.options = options.engine;
  sealing.job.binding = options.binding;
  sealing.options = options;
  require_no_name_of_tree(options.binding);
  sealing.to = &to;
  require_folder(from);
  ProgressCall progress(options.on_progress, options.cancellation);
  ProtectedFiles needed;
  std::optional<TreeIndexRun> index;
  if (options.index != nullptr) {
    sealing.index = &index.emplace(*options.index);
    index->add_to(needed);
  }
  TreeSealer sealer({from}, sealing, needed);
  const OnTreeFileResult on_file = caller_of(options.on_file);
  const TreeCounts counts =
      sealer.run({.progress = progress, .on_file = on_file, .running = {.cancellation = options.cancellation}});
  require_not_cancelled(options.cancellation);
  return {.num_sealed = counts.num_done,
          .num_unchanged = counts.num_unchanged,
          .num_skipped = counts.num_skipped,
          .num_failed = counts.num_failed,
          .num_gone = counts.num_gone,
          .num_removed = counts.num_removed,
          .num_newly_kept = counts.num_newly_kept,
          .num_unfinished = counts.num_unfinished,
          .why_not_removed = counts.why_not_removed,
          .why_other_wish = counts.why_other_wish,
          .index = sealer.index_generation()};
}

UnsealTreeCounts unseal_tree(const std::string& from, const std::string& to, std::span<const Identity> identities,
                             const UnsealTreeOptions& options) {
  TreeUnsealing unsealing;
  require_no_name_of_tree(options.binding);
  unsealing.open = [&](Input& input, const std::string& name) {
    return read_one_of_many(input, identities, options.limits, placed_at(options.binding, name), options.engine);
  };
  unsealing.options = options;
  unsealing.engine = options.engine;
  unsealing.to = &to;
  require_folder(from);
  ProgressCall progress(options.on_progress, options.cancellation);
  const ProtectedFiles needed;
  TreeUnsealer unsealer({from}, unsealing, needed);
  const OnTreeFileResult on_file = caller_of(options.on_file);
  const TreeCounts counts =
      unsealer.run({.progress = progress, .on_file = on_file, .running = {.cancellation = options.cancellation}});
  require_not_cancelled(options.cancellation);
  return {.num_opened = counts.num_done,
          .num_skipped = counts.num_skipped,
          .num_failed = counts.num_failed,
          .num_unchanged = counts.num_unchanged};
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

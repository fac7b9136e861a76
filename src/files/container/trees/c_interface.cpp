// This file implements trees.h by trees.hpp.
#include <phalanx/files/trees.h>

#include <cstddef>
#include <phalanx/files/trees.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/container/index/c_index.hpp"
#include "files/pipeline/c_progress.hpp"

namespace {

using phalanx::not_null;
using phalanx::taken_struct;

phalanx::TreeUpdate update_of(int update) {
  if (update >= PHALANX_UPDATE_NONE && update <= PHALANX_UPDATE_BY_CONTENT) return static_cast<phalanx::TreeUpdate>(update);
  throw phalanx::Error(phalanx::ErrorCode::usage,
                       "update is " + std::to_string(update) + ": give one of the constants PHALANX_UPDATE_...");
}

phalanx::OnTreeFileResult on_file_of(phalanx_on_tree_file on_file, void* user_data) {
  if (on_file == nullptr) return {};
  return [=](const phalanx::TreeFileResult& file) {
    const bool failed = file.outcome == phalanx::TreeFileAs::failed;
    const phalanx_tree_file_result told{.path = file.path.c_str(),
                                        .outcome = static_cast<int>(file.outcome),
                                        .code = failed ? static_cast<int>(file.code) : PHALANX_OK,
                                        .why = file.why.c_str()};
    if (on_file(user_data, &told) == 0) return;
    throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
  };
}

std::vector<std::string> words_of(const char* const* words, std::size_t number) {
  std::vector<std::string> found;
  if (number != 0) static_cast<void>(not_null(words, "prune_also"));
  for (std::size_t i = 0; i < number; ++i) found.emplace_back(&not_null(words[i], "a word of prune_also"));
  return found;
}

phalanx::SealTreeOptions options_of(const phalanx_seal_tree_options& given, const phalanx::IndexInC& index,
                                    std::span<const std::string> prune_also, const phalanx_binding* binding,
                                    const phalanx_engine_options* options) {
  return {.update = update_of(given.update),
          .prune = given.prune != 0,
          .prune_also = prune_also,
          .renew_tree = given.renew_tree != 0,
          .expect_tree = given.expect_tree != 0,
          .dry_run = given.dry_run != 0,
          .update_recipients = given.update_recipients != 0,
          .replace = given.replace != 0,
          .keep = given.keep != 0,
          .verify = given.verify != 0,
          .changing_input = given.changing_input != 0,
          .binding = phalanx::binding_in_c(binding),
          .bind_names = given.bind_names != 0,
          .on_file = on_file_of(given.on_file, given.user_data),
          .on_progress = phalanx::progress_of(given.on_progress, given.progress_user_data),
          .cancellation = phalanx::cancellation_of(given.cancellation),
          .engine = phalanx::engine_in_c(options),
          .index = index.options()};
}

constexpr const char* from_name = "the folder that is read";
constexpr const char* to_name = "the folder that is written";

}  // namespace

int phalanx_seal_tree(const char* from, const char* to, const char* suite, const phalanx_recipient* recipients,
                      std::size_t num_recipients, const phalanx_seal_tree_options* tree_options,
                      const phalanx_binding* binding, const phalanx_engine_options* options,
                      phalanx_seal_tree_counts* counts) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&not_null(counts, "the place of the counts"), PHALANX_SEAL_TREE_COUNTS_INIT);
    phalanx_seal_tree_counts& filled = place.filled;
    const phalanx_seal_tree_options given = taken_struct(tree_options, PHALANX_SEAL_TREE_OPTIONS_INIT);
    const phalanx::IndexInC index(given.index, given.appended);
    const std::vector<std::string> prune_also = words_of(given.prune_also, given.num_prune_also);
    const phalanx::SealTreeCounts found = phalanx::seal_tree(
        &not_null(from, from_name), &not_null(to, to_name), &not_null(suite, "the suite's name"),
        phalanx::recipients_of(recipients, num_recipients), options_of(given, index, prune_also, binding, options));
    filled.num_sealed = found.num_sealed;
    filled.num_unchanged = found.num_unchanged;
    filled.num_skipped = found.num_skipped;
    filled.num_failed = found.num_failed;
    filled.num_gone = found.num_gone;
    filled.num_removed = found.num_removed;
    filled.num_newly_kept = found.num_newly_kept;
    filled.num_unfinished = found.num_unfinished;
    phalanx::put_text(found.why_not_removed, filled.why_not_removed);
    phalanx::put_text(found.why_other_wish, filled.why_other_wish);
    place.give();
    index.give(found.index);
  });
}

int phalanx_unseal_tree(const char* from, const char* to, const phalanx_identity* identities, std::size_t num_identities,
                        const phalanx_cost_limits* limits, const phalanx_unseal_tree_options* tree_options,
                        const phalanx_binding* binding, const phalanx_engine_options* options,
                        phalanx_unseal_tree_counts* counts) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&not_null(counts, "the place of the counts"), PHALANX_UNSEAL_TREE_COUNTS_INIT);
    phalanx_unseal_tree_counts& filled = place.filled;
    const phalanx_unseal_tree_options given = taken_struct(tree_options, PHALANX_UNSEAL_TREE_OPTIONS_INIT);
    const phalanx::UnsealTreeOptions how{.update = update_of(given.update),
                                         .replace = given.replace != 0,
                                         .keep = given.keep != 0,
                                         .limits = phalanx::limits_of(limits),
                                         .binding = phalanx::binding_in_c(binding),
                                         .on_file = on_file_of(given.on_file, given.user_data),
                                         .on_progress = phalanx::progress_of(given.on_progress, given.progress_user_data),
                                         .cancellation = phalanx::cancellation_of(given.cancellation),
                                         .engine = phalanx::engine_in_c(options)};
    const phalanx::UnsealTreeCounts found = phalanx::unseal_tree(&not_null(from, from_name), &not_null(to, to_name),
                                                                 phalanx::identities_of(identities, num_identities), how);
    filled.num_opened = found.num_opened;
    filled.num_skipped = found.num_skipped;
    filled.num_failed = found.num_failed;
    filled.num_unchanged = found.num_unchanged;
    place.give();
  });
}

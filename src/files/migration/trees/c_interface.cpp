// migration.h over migration.hpp: phalanx_migrate_tree, phalanx_preview_tree and phalanx_verify_tree.
#include <phalanx/files/migration.h>

#include <cstddef>
#include <phalanx/files/migration.hpp>
#include <string>
#include <vector>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/container/index/c_index.hpp"
#include "files/foreign/c_arguments.hpp"
#include "files/migration/trees/tree_findings.hpp"
#include "files/pipeline/c_progress.hpp"

namespace {

using phalanx::formats_of;
using phalanx::not_null;
using phalanx::taken_struct;

std::vector<std::string> suffixes_of(const char* const* suffixes, std::size_t num_suffixes) {
  std::vector<std::string> result;
  for (const char* suffix : phalanx::elements_at(suffixes, num_suffixes, "the list of suffixes"))
    result.emplace_back(&not_null(suffix, "a suffix"));
  return result;
}

void tell(const phalanx_tree_migration_options& given, const phalanx::TreeFileMigration& file) {
  const phalanx_tree_file_migration told{
      .name = file.name.c_str(),
      .code = file.outcome == phalanx::MigratedAs::failed ? static_cast<int>(file.code) : PHALANX_OK,
      .skipped = file.outcome == phalanx::MigratedAs::skipped ? 1 : 0,
      .why = file.why.c_str(),
      .source_bytes = file.source_bytes,
      .container_bytes = file.container_bytes,
      .verified = file.verified ? 1 : 0,
      .sha256 = file.sha256.c_str(),
      .found = file.found.c_str(),
      .doubt = static_cast<int>(file.doubt.kind),
      .doubt_sentence = file.doubt.sentence.c_str(),
      .deleted = file.deleted ? 1 : 0,
      .kept = file.kept.c_str(),
      .container = file.container.c_str()};
  if (given.on_migrated(given.user_data, &told) == 0) return;
  throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
}

phalanx::TreeMigrationOptions options_of(const phalanx_tree_migration_options& given, const phalanx::IndexInC& index,
                                         const phalanx_binding* binding, const phalanx_engine_options* options) {
  phalanx::TreeMigrationOptions how;
  how.verify = given.verify != 0;
  how.preserve = given.preserve != 0;
  how.replace = given.replace != 0;
  how.sha256 = given.sha256 != 0;
  how.find_wrapping = given.find_wrapping != 0;
  how.delete_source = given.delete_source != 0;
  how.delete_doubtful = given.delete_doubtful != 0;
  how.delete_volatile = given.delete_volatile != 0;
  how.keep_going = given.keep_going != 0;
  how.binding = phalanx::binding_in_c(binding);
  how.bind_names = given.bind_names != 0;
  how.index = index.options();
  how.num_jobs = given.num_jobs;
  how.strip_suffixes = suffixes_of(given.strip_suffixes, given.num_strip_suffixes);
  if (given.on_migrated != nullptr) {
    how.on_migrated = [&given](const phalanx::TreeFileMigration& file) { tell(given, file); };
  }
  how.on_progress = phalanx::progress_of(given.on_progress, given.progress_user_data);
  how.engine = phalanx::engine_in_c(options);
  how.cancellation = phalanx::cancellation_of(given.cancellation);
  return how;
}

void fill(const phalanx::TreeMigrationCounts& from, phalanx_tree_migration_counts& to) {
  to.num_done = from.num_done;
  to.num_done_before = from.num_done_before;
  to.num_failed = from.num_failed;
  to.num_skipped = from.num_skipped;
  to.num_doubtful = from.num_doubtful;
  to.num_deleted = from.num_deleted;
  to.num_kept = from.num_kept;
  to.num_left = from.num_left;
}

void tell(const phalanx_tree_finding_options& given, const phalanx::TreeFileFinding& file) {
  const phalanx_tree_file_finding told{.name = file.name.c_str(),
                                       .verdict = static_cast<int>(file.verdict),
                                       .code = phalanx::is_failure(file.verdict) ? static_cast<int>(file.code) : PHALANX_OK,
                                       .detail = file.detail.c_str(),
                                       .doubt = static_cast<int>(file.doubt.kind),
                                       .doubt_sentence = file.doubt.sentence.c_str(),
                                       .num_bytes = file.num_bytes};
  if (given.on_finding(given.user_data, &told) == 0) return;
  throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
}

phalanx_tree_finding_counts counts_in_c(const phalanx::TreeFindingCounts& counts) {
  return {.struct_bytes = sizeof(phalanx_tree_finding_counts),
          .num_opening = counts.num_opening,
          .num_failing = counts.num_failing,
          .num_skipped = counts.num_skipped,
          .num_done = counts.num_done,
          .num_same = counts.num_same,
          .num_differing = counts.num_differing,
          .num_doubtful = counts.num_doubtful,
          .num_bytes = counts.num_bytes,
          .num_not_compared = counts.num_not_compared};
}

// Either call, between what C gives and takes.
template <class Look>
int looked_at(const phalanx_tree_finding_options* finding, const phalanx_binding* binding,
              const phalanx_engine_options* options, phalanx_tree_finding_counts* counts, const Look& look) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&not_null(counts, "the place of the counts"), PHALANX_TREE_FINDING_COUNTS_INIT);
    const phalanx_tree_finding_options given = phalanx::taken_struct(finding, PHALANX_TREE_FINDING_OPTIONS_INIT);
    phalanx::TreeFindingOptions how{.find_wrapping = given.find_wrapping != 0,
                                    .binding = phalanx::binding_in_c(binding),
                                    .num_jobs = given.num_jobs,
                                    .strip_suffixes = suffixes_of(given.strip_suffixes, given.num_strip_suffixes),
                                    .on_progress = phalanx::progress_of(given.on_progress, given.progress_user_data),
                                    .engine = phalanx::engine_in_c(options),
                                    .cancellation = phalanx::cancellation_of(given.cancellation)};
    if (given.on_finding != nullptr) how.on_finding = [&](const phalanx::TreeFileFinding& file) { tell(given, file); };
    place.filled = counts_in_c(look(how));
    place.give();
  });
}

constexpr const char* from_name = "the folder of the old files";
constexpr const char* to_name = "the containers' folder";
constexpr const char* manifest_name = "the manifest";

}  // namespace

int phalanx_migrate_tree(const char* from, const char* to, const char* manifest,
                         const phalanx_foreign_format* const* formats, std::size_t num_formats, const char* suite,
                         const phalanx_recipient* recipients, std::size_t num_recipients,
                         const phalanx_tree_migration_options* migration, const phalanx_binding* binding,
                         const phalanx_engine_options* options, phalanx_tree_migration_counts* counts) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&not_null(counts, "the place of the counts"), PHALANX_TREE_MIGRATION_COUNTS_INIT);
    phalanx_tree_migration_counts& filled = place.filled;
    const phalanx_tree_migration_options given = taken_struct(migration, PHALANX_TREE_MIGRATION_OPTIONS_INIT);
    const phalanx::IndexInC index(given.index, given.appended);
    const phalanx::TreeMigrationCounts found = phalanx::migrate_tree(
        &not_null(from, from_name), &not_null(to, to_name), &not_null(manifest, manifest_name),
        phalanx::formats_of(formats, num_formats), &not_null(suite, "the suite's name"),
        phalanx::recipients_of(recipients, num_recipients), options_of(given, index, binding, options));
    fill(found, filled);
    place.give();
    index.give(found.index);
  });
}

int phalanx_preview_tree(const char* from, const char* to, const char* manifest,
                         const phalanx_foreign_format* const* formats, std::size_t num_formats,
                         const phalanx_tree_finding_options* finding, const phalanx_binding* binding,
                         const phalanx_engine_options* options, phalanx_tree_finding_counts* counts) {
  return looked_at(finding, binding, options, counts, [&](const phalanx::TreeFindingOptions& how) {
    return phalanx::preview_tree(&not_null(from, from_name), &not_null(to, to_name), &not_null(manifest, manifest_name),
                                 formats_of(formats, num_formats), how);
  });
}

int phalanx_verify_tree(const char* from, const char* to, const char* manifest, const phalanx_foreign_format* const* formats,
                        std::size_t num_formats, const phalanx_identity* identities, std::size_t num_identities,
                        const phalanx_tree_finding_options* finding, const phalanx_binding* binding,
                        const phalanx_engine_options* options, phalanx_tree_finding_counts* counts) {
  return looked_at(finding, binding, options, counts, [&](const phalanx::TreeFindingOptions& how) {
    return phalanx::verify_tree(&not_null(from, from_name), &not_null(to, to_name), &not_null(manifest, manifest_name),
                                formats_of(formats, num_formats), phalanx::identities_of(identities, num_identities), how);
  });
}

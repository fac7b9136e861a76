// migration.h over migration.hpp: phalanx_migrate_tree.
#include <phalanx/migration.h>

#include <phalanx/migration.hpp>
#include <string>

#include "container/file/c_containers.hpp"
#include "container/index/c_index.hpp"
#include "foreign/c_format.hpp"
#include "library/c_errors.hpp"
#include "migration/trees/c_options.hpp"
#include "pipeline/c_progress.hpp"

namespace {

using phalanx::not_null;
using phalanx::taken_struct;

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
      .doubt = file.doubt.c_str(),
      .deleted = file.deleted ? 1 : 0,
      .kept = file.kept.c_str(),
      .container = file.container.c_str()};
  if (given.on_migrated(given.context, &told) == 0) return;
  throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
}

phalanx::TreeMigrationOptions options_of(const phalanx_tree_migration_options& given, const phalanx::IndexInC& index,
                                         const phalanx_options* options) {
  phalanx::TreeMigrationOptions how;
  how.verify = given.without_verification == 0;
  how.preserve = given.without_preserving == 0;
  how.replace = given.replace != 0;
  how.sha256 = given.sha256 != 0;
  how.find_wrapping = given.find_wrapping != 0;
  how.delete_source = given.delete_source != 0;
  how.delete_doubtful = given.delete_doubtful != 0;
  how.delete_volatile = given.delete_volatile != 0;
  how.keep_going = given.keep_going != 0;
  how.binding = phalanx::binding_in_c(options);
  how.bind_names = given.bind_names != 0;
  how.index = index.options();
  how.num_jobs = given.num_jobs;
  how.strip_suffixes = phalanx::suffixes_of(given.strip_suffixes, given.num_strip_suffixes);
  if (given.on_migrated != nullptr) {
    how.on_migrated = [&given](const phalanx::TreeFileMigration& file) { tell(given, file); };
  }
  how.on_progress = phalanx::progress_of(given.on_progress, given.progress_context);
  how.engine = phalanx::container_options_in_c(options);
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

}  // namespace

int phalanx_migrate_tree(const char* from, const char* to, const char* manifest,
                         const phalanx_foreign_format* const* formats, std::size_t num_formats, const char* suite,
                         const phalanx_recipient* recipients, std::size_t num_recipients,
                         const phalanx_tree_migration_options* migration, const phalanx_options* options,
                         phalanx_tree_migration_counts* counts) {
  return phalanx::guarded([&] {
    phalanx_tree_migration_counts& place = not_null(counts, "the place of the counts");
    phalanx_tree_migration_counts filled = taken_struct(place);
    const phalanx_tree_migration_options given =
        migration == nullptr ? phalanx_tree_migration_options PHALANX_TREE_MIGRATION_OPTIONS_INIT : taken_struct(*migration);
    const phalanx::IndexInC index(given.index, given.appended);
    const phalanx::TreeMigrationCounts found = phalanx::migrate_tree(
        &not_null(from, "the folder of the old files"), &not_null(to, "the containers' folder"),
        &not_null(manifest, "the manifest"), phalanx::formats_of(formats, num_formats), &not_null(suite, "the suite's name"),
        phalanx::recipients_of(recipients, num_recipients), options_of(given, index, options));
    fill(found, filled);
    phalanx::give_struct(filled, place);
    index.give(found.index);
  });
}

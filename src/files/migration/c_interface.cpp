// This implements phalanx_migrate_file of migration.h over migration.hpp.
#include <phalanx/files/migration.h>

#include <phalanx/files/migration.hpp>
#include <string>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/foreign/c_arguments.hpp"
#include "files/pipeline/c_progress.hpp"

namespace {

using phalanx::engine_in_c;
using phalanx::format_of;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::put_text;

}  // namespace

int phalanx_migrate_file(const char* in, const phalanx_foreign_format* format, const char* out, const char* suite,
                         const phalanx_recipient* recipients, std::size_t num_recipients,
                         const phalanx_migration_options* migration, const phalanx_binding* binding,
                         const phalanx_engine_options* options, phalanx_migrated* migrated) {
  return guarded([&] {
    phalanx::StructPlace place(&not_null(migrated, "the place of what came of it"), PHALANX_MIGRATED_INIT);
    phalanx_migrated& filled = place.filled;
    const phalanx_migration_options given = phalanx::taken_struct(migration, PHALANX_MIGRATION_OPTIONS_INIT);
    phalanx::MigrationOptions how{.verify = given.verify != 0,
                                  .replace = given.replace != 0,
                                  .resume = given.resume != 0,
                                  .sha256 = given.sha256 != 0,
                                  .binding = phalanx::binding_in_c(binding),
                                  .engine = engine_in_c(options)};
    how.on_progress = phalanx::progress_of(given.on_progress, given.user_data);
    how.cancellation = phalanx::cancellation_of(given.cancellation);
    const phalanx::Migrated result =
        phalanx::migrate_file(&not_null(in, "IN"), format_of(format), &not_null(out, "OUT"),
                              &not_null(suite, "the suite's name"), phalanx::recipients_of(recipients, num_recipients), how);
    filled.source_bytes = result.source_bytes;
    filled.container_bytes = result.container_bytes;
    put_text(result.sha256, filled.sha256);
    put_text(result.digest, filled.digest);
    filled.doubt = static_cast<int>(result.doubt.kind);
    put_text(result.doubt.sentence, filled.doubt_sentence);
    place.give();
  });
}

#include <phalanx/files/migration.hpp>

#include "files/migration/file_migration.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

Migrated migrate_file(const std::string& in, const ForeignFormat& format, const std::string& out, std::string_view suite,
                      std::span<const Recipient> recipients, const MigrationOptions& options) {
  Migration migration;
  const MessagePlan plan = plan_foreign(format, options.engine);
  check_sectors(plan, "sectors.sector_bytes");
  migration.candidates = make_candidates(plan, SecretBytes(format.key.empty() ? format.passphrase : format.key));
  migration.container.suite = &find_suite(suite);
  migration.container.recipients.assign(recipients.begin(), recipients.end());
  migration.container.options = options.engine;
  migration.container.binding = options.binding;
  migration.verify = options.verify;
  migration.sha256 = options.sha256;
  Input input(require_named(in));
  ProgressCall progress(options.on_progress, options.cancellation);
  const MigratedFile migrated = migrate_file(
      migration, input, {.out = require_named(out), .force = options.replace, .resume = options.resume}, progress);
  return {.source_bytes = migrated.in_bytes,
          .container_bytes = migrated.out_bytes,
          .sha256 = migrated.sha256,
          .digest = migrated.digest,
          .doubt = migration.trials.doubt(migrated.evidence)};
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

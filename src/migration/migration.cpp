#include <mutex>
#include <phalanx/migration.hpp>

#include "container/file/stages.hpp"
#include "container/file/stream_reader.hpp"
#include "migration/file_migration.hpp"
#include "pipeline/digest_stage.hpp"
#include "pipeline/piece_sinks.hpp"

namespace phalanx {
namespace {

// Stages run side by side, and tell one at a time.
class ProgressCall : public Progress {
 public:
  explicit ProgressCall(const OnProgress& on_progress) : on_progress_(on_progress) {}

  void add(std::uint64_t num_bytes) override {
    if (!on_progress_) return;
    const std::lock_guard lock(mutex_);
    on_progress_(num_bytes);
  }

 private:
  const OnProgress& on_progress_;
  std::mutex mutex_;
};

}  // namespace

Migrated migrate_file(const std::string& in, const ForeignFormat& format, const std::string& out, std::string_view suite,
                      std::span<const Recipient> recipients, const MigrationOptions& options) {
  Migration migration;
  const MessagePlan plan = plan_foreign(format, options.engine);
  check_sectors(plan, "sectors.sector_bytes");
  migration.candidates = make_candidates(plan, SecretBytes(format.key.empty() ? format.passphrase : format.key));
  migration.container.suite = &find_suite(suite);
  migration.container.recipients.assign(recipients.begin(), recipients.end());
  migration.container.options = options.engine;
  migration.verify = options.verify;
  migration.sha256 = options.verify;
  Input input(in);
  ProgressCall progress(options.on_progress);
  const MigratedFile migrated =
      migrate_file(migration, input, {.out = out, .force = options.replace, .resume = options.resume}, progress);
  return {.source_bytes = migrated.in_bytes,
          .container_bytes = migrated.out_bytes,
          .sha256 = migrated.sha256,
          .digest = migrated.digest,
          .doubt = migration.trials.doubt(migrated.evidence)};
}

Verified verify_container(const std::string& path, std::span<const Identity> identities, const CostLimits& limits,
                          const OnProgress& on_progress, const Options& options) {
  Input input(path);
  ProgressCall progress(on_progress);
  const ChunkedCipher cipher = read_beginning(input, identities, limits, options);
  DigestStage digest;
  PieceStage* const stages[] = {&digest};
  NullPieces nowhere;
  const std::unique_ptr<PieceReader> reader = pieces_of(input, sealed_piece_bytes, 0);
  open_chunks(*reader, cipher, stages, nowhere, options, progress);
  return {.plain_bytes = digest.num_bytes(), .sha256 = digest.finish()};
}

}  // namespace phalanx

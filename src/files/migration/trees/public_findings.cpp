// migration.hpp: preview_tree and verify_tree.
#include <list>
#include <phalanx/files/migration.hpp>

#include "engine/host/process_mark.hpp"
#include "engine/text/characters.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/migration/trees/tree_calls.hpp"
#include "files/migration/trees/tree_findings.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

std::uint64_t& number_of(TreeVerdict verdict, TreeFindingCounts& counts) {
  switch (verdict) {
    case TreeVerdict::opens:
      return counts.num_opening;
    case TreeVerdict::fails:
      return counts.num_failing;
    case TreeVerdict::skipped:
      return counts.num_skipped;
    case TreeVerdict::done:
      return counts.num_done;
    case TreeVerdict::same:
      return counts.num_same;
    case TreeVerdict::not_compared:
      return counts.num_not_compared;
    case TreeVerdict::differs:
      break;
  }
  return counts.num_differing;
}

// Counts, and tells the caller's functions.
class CallingObserver : public FindingObserver {
 public:
  explicit CallingObserver(const TreeFindingOptions& options)
      : options_(options), progress_(options.on_progress, options.cancellation) {}

  Progress& begin(std::uint64_t /*num_bytes*/) override { return progress_; }
  void require_going() override { progress_.require_going(); }
  void on_finding(const TreeFinding& finding) override {
    ++number_of(finding.verdict, counts);
    if (finding.doubt) ++counts.num_doubtful;
    if (!finding.is_failure()) counts.num_bytes += finding.num_bytes;
    const CallerRuns away;
    if (options_.on_finding) options_.on_finding(finding);
  }

  TreeFindingCounts counts{};

 private:
  const TreeFindingOptions& options_;
  ProgressOfMany progress_;
};

// By one of the two, which writes nothing.
template <class Look>
TreeFindingCounts look_at(const TreeMigrationSettings& places, std::span<const ForeignFormat> formats,
                          const ContainerJob& container, const TreeFindingOptions& options, const Look& look) {
  Migration migration;
  if (!formats.empty()) migration.candidates = candidates_of(formats, options.engine, options.find_wrapping);
  migration.container = container;
  migration.container.options = options.engine;
  migration.container.binding = options.binding;
  require_no_name_of_tree(options.binding);
  TreeMigrationSettings tree = places;
  tree.only_reads = true;
  tree.options.num_jobs = options.num_jobs;
  tree.options.strip_suffixes = options.strip_suffixes;
  CallingObserver observer(options);
  look(migration, tree, observer);
  observer.require_going();
  return observer.counts;
}

// A key and a passphrase are their own recipients; whose identity it is, a call does not say.
void add_opener(const Identity& identity, ContainerJob& container, std::list<std::string>& public_keys) {
  if (identity.kind != KeyKind::public_key) {
    container.recipients.push_back({identity.kind, identity.secret, {}});
    return;
  }
  container.identities.push_back(identity);
  if (identity.unwrap != nullptr) return;
  const SecretBytes secret = read_native_identity(characters_of(identity.secret));
  const std::string& key = public_keys.emplace_back(native_recipient_text(x25519_public_key(secret)));
  container.recipients.push_back({KeyKind::public_key, bytes_of(key), {}});
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

TreeFindingCounts preview_tree(const std::string& from, const std::string& to, const std::string& manifest,
                               std::span<const ForeignFormat> formats, const TreeFindingOptions& options) {
  require_a_format(formats);
  const TreeMigrationSettings places{
      .from = require_named(from), .to = require_named(to), .manifest = require_named(manifest), .list = {}};
  return look_at(places, formats, {}, options,
                 [](auto& migration, auto& tree, auto& observer) { run_tree_preview(migration, tree, observer); });
}

TreeFindingCounts verify_tree(const std::string& from, const std::string& to, const std::string& manifest,
                              std::span<const ForeignFormat> formats, std::span<const Identity> identities,
                              const TreeFindingOptions& options) {
  if (identities.empty())
    throw Error(ErrorCode::usage, "no key or passphrase of the containers is given: give one at least");
  ContainerJob container;
  std::list<std::string> public_keys;
  for (const Identity& identity : identities) add_opener(identity, container, public_keys);
  const TreeMigrationSettings places{
      .from = require_named(from), .to = require_named(to), .manifest = require_named(manifest), .list = {}};
  return look_at(places, formats, container, options,
                 [](auto& migration, auto& tree, auto& observer) { run_tree_verification(migration, tree, observer); });
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

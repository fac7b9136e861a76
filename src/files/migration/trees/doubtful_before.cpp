#include "files/migration/trees/doubtful_before.hpp"

#include <algorithm>
#include <phalanx/files/container.hpp>
#include <vector>

namespace phalanx {
namespace {

// Returns whether the container begins with the plaintext that was opened, and has no more if that is whole.
bool holds(const Migration& migration, const std::string& container, const OpenedBeginning& begun) {
  const std::vector<Identity> identities = openers_of(migration.container);
  const ContainerReader reader(container, identities, migration.container.options);
  if (reader.size() < begun.plain_bytes || (begun.is_whole && reader.size() != begun.plain_bytes)) return false;
  SecretBytes held(begun.plain_bytes);
  reader.read(0, held);
  return std::equal(held.begin(), held.end(), begun.plain.begin());
}

RecheckResult look(const Migration& migration, const SourceTree& files, const ListedFile& entry,
                   const ManifestRecord& before, Progress& progress) {
  Input input = entry.open();
  const bool is_that_file = !before.source.empty() && is_source_of(before, FileStamp(input.status()));
  if (!is_that_file || !files.why_skipped(entry, input).empty()) return RecheckResult::nothing_new;
  OpenedBeginning begun = open_beginning(migration, input);
  if (holds(migration, files.place_of(before.container()).path, begun)) {
    begun.evidence.num_failed_before = before.key.failed;
    return migration.trials.doubt(begun.evidence) ? RecheckResult::nothing_new : RecheckResult::vouched_now;
  }
  input.seek(0);
  const MigratedFile read = read_old_file(migration, input, progress);
  return migration.trials.doubt(read.evidence) ? RecheckResult::nothing_new : RecheckResult::another_key;
}

}  // namespace

RecheckResult look_again(const Migration& migration, const SourceTree& files, const ListedFile& entry,
                         const ManifestRecord& before, Progress& progress) {
  try {
    return look(migration, files, entry, before, progress);
  } catch (const Error&) {
    return RecheckResult::nothing_new;
  }
}

}  // namespace phalanx

#include "files/migration/trees/indexed_containers.hpp"

#include <fcntl.h>

#include "files/container/file/read_back.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/container/format/binding.hpp"

namespace phalanx {
IndexedContainers::IndexedContainers(Migration& migration, const SourceTree& files, TreeIndexRun* index)
    : migration_(migration), files_(files), index_(index) {
  if (index_ == nullptr) return;
  index_->add_to(migration.needed);
  migration.body_facts = true;
  migration.body_digest = index_->wants_digests();
}

bool IndexedContainers::has(const std::string& name) const {
  if (index_ == nullptr || index_->has_put(name)) return true;
  try {
    const ResultPlace place = files_.place_of(name);
    const FileDescriptor container = place.open(O_RDONLY);
    return index_->keep_if_known(name, shown_body_facts(container.get(), place.path));
  } catch (const Error&) {
    return false;  // whoever goes on with it says what is wrong
  }
}

void IndexedContainers::put(const std::string& name, const MigratedFile& migrated) const {
  if (index_ == nullptr || index_->take_opened(name, migrated.body)) return;
  throw Error(ErrorCode::authentication,
              files_.place_of(name).path +
                  " has a header of an earlier generation of the index, which was put back: who was removed since may open "
                  "it; move it away, and give the command again");
}

// A container keeps its entry where the index has another container under its name, or its header was put back. A
// container that does not open gets no entry: a verification then tells of it.
void IndexedContainers::take_as_found(const ManifestRecord& record, Progress& progress, TreeSummary& summary) const {
  const std::string name = container_name(record.name, record.stripped);
  if (has(name)) return;
  try {
    Input out = files_.place_of(name).open_input();
    const BodyFacts opened = read_container(migration_, name_of_container(name), out, progress).body;
    const bool was_indexed = index_->admit_opened(name, opened);
    if (!index_->take_opened(name, opened)) {
      ++summary.num_not_indexed;
    } else if (!was_indexed) {
      ++summary.num_taken_as_found;
    }
  } catch (const Error&) {
    ++summary.num_not_indexed;
  }
}

void IndexedContainers::finish(const Manifest& manifest, Progress& progress, TreeSummary& summary) const {
  if (index_ == nullptr) return;
  manifest.for_each_done([&](const ManifestRecord& record) { take_as_found(record, progress, summary); });
  index_->forget_where_asked([&](const std::string& name) { return files_.place_of(name).look().has_value(); });
  summary.index = index_->finish();
}

}  // namespace phalanx

#include "migration/trees/indexed_containers.hpp"

#include <fcntl.h>

#include "container/file/many_files.hpp"
#include "container/file/read_back.hpp"
#include "container/format/binding.hpp"

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
    const std::string path = files_.out_path(name);
    const FileDescriptor container = open_file(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    return index_->keep_if_known(name, shown_body_facts(container.get(), path));
  } catch (const Error&) {
    return false;  // whoever goes on with it says what is wrong
  }
}

void IndexedContainers::put(const std::string& name, const MigratedFile& migrated) const {
  if (index_ != nullptr) index_->put(name, migrated.body);
}

// What the index has another entry for keeps that, and what does not open has none: whoever verifies is told.
void IndexedContainers::take_as_found(const ManifestRecord& record, Progress& progress, TreeSummary& summary) const {
  const std::string name = container_name(record.name, record.stripped);
  if (has(name)) return;
  if (index_->contains(name)) {
    ++summary.num_not_indexed;
    return;
  }
  try {
    Input out = open_regular_file(files_.out_path(name));
    index_->put(name, read_container(migration_, name_of_container(name), out, progress).body);
    ++summary.num_taken_as_found;
  } catch (const Error&) {
    ++summary.num_not_indexed;
  }
}

void IndexedContainers::finish(const Manifest& manifest, Progress& progress, TreeSummary& summary) const {
  if (index_ == nullptr) return;
  manifest.for_each_done([&](const ManifestRecord& record) { take_as_found(record, progress, summary); });
  const RootedFolder folder(files_.trees().to);
  index_->forget_where_asked([&](const std::string& name) { return folder.look_at(name).has_value(); });
  summary.index = index_->finish();
}

}  // namespace phalanx

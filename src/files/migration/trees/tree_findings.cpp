#include "files/migration/trees/tree_findings.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "engine/text/counted.hpp"
#include "files/foreign/search/unopened_file.hpp"
#include "files/migration/manifest/container_names.hpp"
#include "files/migration/manifest/manifest.hpp"
#include "files/migration/trees/look_at_all.hpp"
#include "files/migration/trees/source_tree.hpp"

namespace phalanx {
namespace {

TreeFinding finding_of(const std::string& name, TreeVerdict verdict, const std::string& detail = "") {
  TreeFinding finding;
  finding.name = name;
  finding.verdict = verdict;
  finding.detail = detail;
  return finding;
}

TreeFinding failure(TreeVerdict verdict, const std::string& name, const Error& error) {
  TreeFinding finding = finding_of(name, verdict, error.what());
  finding.code = error.code();
  return finding;
}

TreeFinding preview_entry(const Migration& migration, const SourceTree& files, const Manifest& manifest,
                          const ContainerNames& names, const ListedFile& entry) {
  try {
    if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
    if (!entry.is_regular) return finding_of(entry.name, TreeVerdict::skipped, entry.why_not);
    Input input = entry.open();
    const std::string why = files.why_skipped(entry, input);
    if (!why.empty()) return finding_of(entry.name, TreeVerdict::skipped, why);
    const auto before = manifest.find(entry.name);
    const bool is_done = before && before->state == MigratedAs::done && is_source_of(*before, FileStamp(input.status())) &&
                         files.place_of(names.name_of(entry.name)).look();
    if (is_done) {
      TreeFinding finding = finding_of(entry.name, TreeVerdict::done, "by an earlier run");
      finding.doubt = before->doubt;
      return finding;
    }
    files.place_of(names.unshared_name_of(entry.name)).refuse_long_name();
    return preview_file(migration, entry.name, input);
  } catch (const Error& error) {
    return failure(TreeVerdict::fails, entry.name, error);
  }
}

// The old file, if it is still there; a name that leads elsewhere now is none of ours.
std::optional<Input> find_old(const SourceTree& files, const std::string& name) {
  struct stat status {};
  if (::lstat(files.folder().path_of(name).c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::nullopt;
  return Input(files.folder().open(name, O_RDONLY | O_NONBLOCK), files.folder().path_of(name));
}

TreeFinding verify_record(const Migration& migration, const SourceTree& files, const ManifestRecord& record,
                          Progress& progress) {
  try {
    Input out = files.place_of(record.container()).open_input();
    const auto num_bytes = static_cast<std::uint64_t>(out.status().st_size);
    if (num_bytes != record.out_bytes) {
      throw Error(ErrorCode::runtime, "its container has " + std::to_string(num_bytes) + " bytes, and had " +
                                          std::to_string(record.out_bytes) + " when it was made");
    }
    std::optional<Input> old = find_old(files, record.name);
    return verify_file(migration, record.name, out, old, record, progress);
  } catch (const Error& error) {
    return failure(TreeVerdict::differs, record.name, error);
  }
}

// A whole container whose old file nothing opens that was given: neither of them is shown to be wrong.
TreeFinding not_compared(const std::string& name, const ManifestRecord& record, const Error& why) {
  TreeFinding finding = failure(TreeVerdict::not_compared, name, why);
  finding.detail = "its container is whole; the old file was not opened: " + finding.detail;
  finding.doubt = record.doubt;
  return finding;
}

// As verify_file, of a container that is whole.
TreeFinding compare_with_old(const Migration& migration, const std::string& name, const ReadContainer& container, Input& old,
                             const ManifestRecord& record, Progress& progress) {
  if (migration.candidates.list.empty())
    return not_compared(name, record, Error(ErrorCode::wrong_key, "no old cipher, key or passphrase is given"));
  TreeFinding finding = finding_of(name, TreeVerdict::same);
  try {
    const MigratedFile read = read_old_file(migration, old, progress);
    if (read.mac != container.mac)
      throw Error(ErrorCode::runtime, "its container opens to another plaintext than the old file");
    finding.evidence = read.evidence;
  } catch (const UndecryptableFile& error) {
    return not_compared(name, record, error);
  }
  finding.evidence->num_failed_before = record.key.failed;
  finding.doubt = migration.trials.doubt(*finding.evidence);
  return finding;
}

// Nothing that was verified must not look like everything.
std::vector<ManifestRecord> done_files(const Manifest& manifest, const std::string& path) {
  std::vector<ManifestRecord> done;
  manifest.for_each_done([&](const ManifestRecord& record) { done.push_back(record); });
  if (done.empty()) throw Error(ErrorCode::usage, path + " tells of no file that is done: there is nothing to verify");
  std::ranges::sort(done, {}, &ManifestRecord::name);
  return done;
}

}  // namespace

const char* verdict_name(TreeVerdict verdict) {
  constexpr const char* names[] = {"", "opens", "fails", "skipped", "done", "same", "differs", "not compared"};
  return names[static_cast<std::size_t>(verdict)];
}

TreeFinding preview_file(const Migration& migration, const std::string& name, Input& input) {
  try {
    TreeFinding finding = finding_of(name, TreeVerdict::opens);
    const OpenedWith& with = finding.evidence.emplace(open_beginning(migration, input).evidence).with;
    finding.doubt = migration.trials.doubt(*finding.evidence);
    finding.detail = with.found;
    if (with.padding_bytes != 0) finding.detail += ", " + count_bytes(with.padding_bytes) + " of padding";
    for (const std::string& other : with.also_fits) finding.detail += "; " + other + " fits too";
    finding.num_bytes = input.remaining_bytes() ? static_cast<std::uint64_t>(input.status().st_size) : 0;
    return finding;
  } catch (const Error& error) {
    return failure(TreeVerdict::fails, name, error);
  }
}

void run_tree_preview(Migration& migration, const TreeMigrationSettings& settings, FindingObserver& observer) {
  SourceTree files(migration.needed, settings);
  const Manifest manifest(settings.manifest, files.trees(), ManifestUse::preview);
  files.list();
  manifest.add_to(migration.needed);
  const std::vector<ListedFile>& entries = files.entries();
  ContainerNames names(manifest, settings.options.strip_suffixes);
  names.learn(entries);
  const auto look = [&](std::size_t number) { return preview_entry(migration, files, manifest, names, entries[number]); };
  look_at_all(entries.size(), num_jobs_of(settings, entries.size()), look, migration.trials, observer);
}

TreeFinding verify_file(const Migration& migration, const std::string& name, Input& out, std::optional<Input>& old,
                        const ManifestRecord& record, Progress& progress) {
  std::uint64_t num_bytes = 0;
  TreeFinding finding = finding_of(name, TreeVerdict::same);
  const std::string own_name =
      name_of_container(record.name.empty() ? last_name_of(name) : container_name(record.name, record.stripped));
  try {
    const ReadContainer container = read_container(migration, own_name, out, progress);
    num_bytes = container.num_bytes;
    if (old) {
      finding = compare_with_old(migration, name, container, *old, record, progress);
    } else {
      finding.detail = "its container is whole; the old file is gone";
      finding.doubt = record.doubt;
    }
  } catch (const Error& error) {
    finding = failure(TreeVerdict::differs, name, error);
  }
  finding.num_bytes = num_bytes;
  return finding;
}

void run_tree_verification(Migration& migration, const TreeMigrationSettings& settings, FindingObserver& observer) {
  const SourceTree files(migration.needed, settings);
  const Manifest manifest(settings.manifest, files.trees(), ManifestUse::look);
  const std::vector<ManifestRecord> done = done_files(manifest, settings.manifest);
  std::uint64_t num_bytes = 0;
  std::vector<std::string> containers;
  for (const ManifestRecord& record : done) {
    num_bytes += record.in_bytes + record.out_bytes;
    containers.push_back(files.place_of(record.container()).path);
  }
  observer.on_containers(containers);
  Progress& progress = observer.begin(num_bytes);
  const auto look = [&](std::size_t number) { return verify_record(migration, files, done[number], progress); };
  look_at_all(done.size(), num_jobs_of(settings, done.size()), look, migration.trials, observer);
}

}  // namespace phalanx

#include "migration/trees/tree_findings.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "migration/trees/manifest.hpp"
#include "migration/trees/source_tree.hpp"

namespace phalanx {
namespace {

TreeFinding failure(Verdict verdict, const std::string& name, const Error& error) {
  return {.name = name, .verdict = verdict, .detail = error.what(), .code = error.code()};
}

TreeFinding preview_entry(const Migration& migration, const SourceTree& files, const Manifest& manifest,
                          const TreeEntry& entry) {
  try {
    if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
    if (!entry.is_regular) return {.name = entry.name, .detail = entry.why_not};
    Input input = files.open(entry);
    const std::string why = files.why_skipped(entry, input);
    if (!why.empty()) return {.name = entry.name, .detail = why};
    const auto before = manifest.find(entry.name);
    struct stat out {};
    const bool is_done = before && before->state == MigrationState::done &&
                         is_source_of(*before, FileStamp(input.status())) &&
                         ::stat(files.out_path(entry.name).c_str(), &out) == 0;
    if (is_done) return {.name = entry.name, .verdict = Verdict::done, .detail = "by an earlier run"};
    files.refuse_long_name(entry.name);
    return preview_file(migration, entry.name, input);
  } catch (const Error& error) {
    return failure(Verdict::fails, entry.name, error);
  }
}

// The old file, if it is still there; a name that leads elsewhere now is none of ours.
std::optional<Input> find_old(const SourceTree& files, const std::string& name) {
  struct stat status {};
  if (::lstat(files.folder().path_of(name).c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::nullopt;
  TreeEntry entry;
  entry.name = name;
  return files.open(entry);
}

TreeFinding verify_record(const Migration& migration, const SourceTree& files, const ManifestRecord& record,
                          Progress& progress) {
  try {
    Input out = open_regular_file(files.out_path(record.name));
    const auto num_bytes = static_cast<std::uint64_t>(out.status().st_size);
    if (num_bytes != record.out_bytes) {
      throw Error(ErrorCode::runtime, "its container has " + std::to_string(num_bytes) + " bytes, and had " +
                                          std::to_string(record.out_bytes) + " when it was made");
    }
    std::optional<Input> old = find_old(files, record.name);
    return verify_file(migration, record.name, out, old, progress);
  } catch (const Error& error) {
    return failure(Verdict::differs, record.name, error);
  }
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

const char* verdict_name(Verdict verdict) {
  constexpr const char* names[] = {"opens", "fails", "skipped", "done", "same", "differs"};
  return names[static_cast<std::size_t>(verdict)];
}

TreeFinding preview_file(const Migration& migration, const std::string& name, Input& input) {
  try {
    const MatchedCandidate choice = preview_old(migration, input);
    TreeFinding finding{.name = name, .verdict = Verdict::opens, .detail = choice.found};
    finding.record.in_bytes = input.remaining_bytes() ? static_cast<std::uint64_t>(input.status().st_size) : 0;
    finding.record.found = choice.found;
    finding.record.padding_bytes = choice.padding_bytes;
    finding.record.also_fits = choice.also_fit;
    if (choice.padding_bytes != 0) finding.detail += ", " + std::to_string(choice.padding_bytes) + " bytes of padding";
    for (const std::string& other : choice.also_fit) finding.detail += "; " + other + " fits too";
    finding.num_bytes = finding.record.in_bytes;
    return finding;
  } catch (const Error& error) {
    return failure(Verdict::fails, name, error);
  }
}

void preview_tree(Migration& migration, const TreeOptions& options, FindingObserver& observer) {
  SourceTree files(migration.needed, options);
  const Manifest manifest(options.manifest, files.trees(), ManifestUse::preview);
  files.list();
  manifest.add_to(migration.needed);
  for (const TreeEntry& entry : files.entries()) {
    observer.on_finding(preview_entry(migration, files, manifest, entry));
  }
}

TreeFinding verify_file(const Migration& migration, const std::string& name, Input& out, std::optional<Input>& old,
                        Progress& progress) {
  std::uint64_t num_bytes = 0;
  TreeFinding finding{.name = name, .verdict = Verdict::same};
  try {
    const ReadContainer container = read_container(migration, out, progress);
    num_bytes = container.num_bytes;
    if (!old) {
      finding.detail = "its container is whole; the old file is gone";
    } else if (read_old_file(migration, *old, progress).mac != container.mac) {
      throw Error(ErrorCode::runtime, "its container opens to another plaintext than the old file");
    }
  } catch (const Error& error) {
    finding = failure(Verdict::differs, name, error);
  }
  finding.num_bytes = num_bytes;
  return finding;
}

void verify_tree(Migration& migration, const TreeOptions& options, FindingObserver& observer) {
  const SourceTree files(migration.needed, options);
  const Manifest manifest(options.manifest, files.trees(), ManifestUse::look);
  const std::vector<ManifestRecord> done = done_files(manifest, options.manifest);
  std::uint64_t num_bytes = 0;
  for (const ManifestRecord& record : done) num_bytes += record.in_bytes + record.out_bytes;
  Progress& progress = observer.begin(num_bytes);
  for (const ManifestRecord& record : done) observer.on_finding(verify_record(migration, files, record, progress));
}

}  // namespace phalanx

#include "cli/migrate/read_only_runs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console/exit_codes.hpp"
#include "cli/console/messages.hpp"
#include "cli/migrate/report.hpp"
#include "cli/migrate/source_tree.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

// What is said of each file, and of all of them.
class Findings {
 public:
  explicit Findings(const MigrateOptions& options, bool hold = false) : options_(options), hold_(hold) {}

  // "opens", "fails", ...; `detail` says with what, or why.
  void add(const char* verdict, const std::string& name, const std::string& detail, const ManifestRecord& record = {}) {
    ++counts_[verdict];
    if (options_.json) {
      ManifestRecord named;
      named.name = name;
      named.state = MigrationState::skipped;
      Json json = Json::parse(manifest_line(named));
      json.erase("why");
      json["state"] = verdict;
      if (!detail.empty()) json["detail"] = detail;
      if (record.in_bytes != 0) json["in_bytes"] = record.in_bytes;
      put_evidence(json, record);
      put(json_line(json));
    } else {
      put(fmt::format("{:<8} {}{}{}", verdict, name, detail.empty() ? "" : ": ", detail));
    }
  }

  void add_failure(const char* verdict, const std::string& name, const Error& error) {
    ++exit_codes_[exit_code_of(error.code())];
    add(verdict, name, error.what());
  }

  void count_bytes(std::uint64_t num_bytes) { num_bytes_ += num_bytes; }

  int finish(const std::string& what) {
    for (const std::string& line : held_) put_line(line);
    std::string summary;
    Json json;
    for (const auto& [verdict, number] : counts_) {
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", number, verdict);
      json[verdict] = number;
    }
    json["bytes"] = num_bytes_;
    if (options_.json) put_line(json_line(json));
    print_note(
        fmt::format("{}: {}, {} bytes; nothing was written", what, summary.empty() ? "no files" : summary, num_bytes_),
        options_.messages.quiet);
    if (exit_codes_.empty()) return 0;
    return exit_codes_.size() == 1 ? exit_codes_.begin()->first : exit_code_of(ErrorCode::runtime);
  }

 private:
  void put(const std::string& line) {
    if (hold_) {
      held_.push_back(line);
    } else {
      put_line(line);
    }
  }

  const MigrateOptions& options_;
  bool hold_;  // beside a line of progress
  std::vector<std::string> held_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<int, std::uint64_t> exit_codes_;
  std::uint64_t num_bytes_ = 0;
};

void preview(const Migration& migration, const std::string& name, Input& input, Findings& findings) {
  try {
    const MatchedCandidate choice = preview_old(migration, input);
    ManifestRecord record;
    record.in_bytes = input.remaining_bytes() ? static_cast<std::uint64_t>(input.status().st_size) : 0;
    record.found = choice.found;
    record.padding_bytes = choice.padding_bytes;
    record.also_fits = choice.also_fit;
    std::string detail = choice.found;
    if (choice.padding_bytes != 0) detail += fmt::format(", {} bytes of padding", choice.padding_bytes);
    for (const std::string& other : choice.also_fit) detail += "; " + other + " fits too";
    findings.count_bytes(record.in_bytes);
    findings.add("opens", name, detail, record);
  } catch (const Error& error) {
    findings.add_failure("fails", name, error);
  }
}

void preview_entry(const Migration& migration, const SourceTree& files, const Manifest& manifest, const TreeEntry& entry,
                   Findings& findings) {
  try {
    if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
    if (!entry.is_regular) return findings.add("skipped", entry.name, entry.why_not);
    Input input = files.open(entry);
    const std::string why = files.why_skipped(entry, input);
    if (!why.empty()) return findings.add("skipped", entry.name, why);
    const auto before = manifest.find(entry.name);
    struct stat out {};
    const bool is_done = before && before->state == MigrationState::done &&
                         is_source_of(*before, FileStamp(input.status())) &&
                         ::stat(files.out_path(entry.name).c_str(), &out) == 0;
    if (is_done) return findings.add("done", entry.name, "by an earlier run");
    files.refuse_long_name(entry.name);
    preview(migration, entry.name, input, findings);
  } catch (const Error& error) {
    findings.add_failure("fails", entry.name, error);
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

// Throws Error where something differs; returns what was compared.
std::string compare(const Migration& migration, Input& out, std::optional<Input>& old, Progress& progress,
                    Findings& findings) {
  const ReadContainer container = read_container(migration, out, progress);
  findings.count_bytes(container.num_bytes);
  if (!old) return "its container is whole; the old file is gone";
  const MigratedFile migrated = read_old_file(migration, *old, progress);
  if (migrated.mac == container.mac) return "";
  throw Error(ErrorCode::runtime, "its container opens to another plaintext than the old file");
}

void verify_record(const Migration& migration, const SourceTree& files, const ManifestRecord& record, Progress& progress,
                   Findings& findings) {
  try {
    Input out = open_regular_file(files.out_path(record.name));
    const auto num_bytes = static_cast<std::uint64_t>(out.status().st_size);
    if (num_bytes != record.out_bytes) {
      throw Error(ErrorCode::runtime,
                  fmt::format("its container has {} bytes, and had {} when it was made", num_bytes, record.out_bytes));
    }
    std::optional<Input> old = find_old(files, record.name);
    const std::string detail = compare(migration, out, old, progress, findings);
    findings.add("same", record.name, detail);
  } catch (const Error& error) {
    findings.add_failure("differs", record.name, error);
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

int dry_run_tree(Migration& migration, const MigrateOptions& options) {
  SourceTree files(migration.needed, options);
  const Manifest manifest(*options.manifest, files.trees(), ManifestUse::preview);
  files.list();
  manifest.add_to(migration.needed);
  Findings findings(options);
  for (const TreeEntry& entry : files.entries()) preview_entry(migration, files, manifest, entry, findings);
  return findings.finish("dry run");
}

int dry_run_one(const Migration& migration, const MigrateOptions& options) {
  Input input(options.in);
  Findings findings(options);
  preview(migration, input.name(), input, findings);
  return findings.finish("dry run");
}

int verify_tree(Migration& migration, const MigrateOptions& options, ProgressStyle style) {
  const SourceTree files(migration.needed, options);
  const Manifest manifest(*options.manifest, files.trees(), ManifestUse::look);
  const std::vector<ManifestRecord> done = done_files(manifest, *options.manifest);
  std::uint64_t num_bytes = 0;
  for (const ManifestRecord& record : done) num_bytes += record.in_bytes + record.out_bytes;
  style = style_beside_lines(style, options.messages);
  ProgressReport progress(style, num_bytes);
  Findings findings(options, line_style_beside(style, options.json, options.messages.quiet).hold_results);
  for (const ManifestRecord& record : done) verify_record(migration, files, record, progress, findings);
  progress.finish();
  return findings.finish("verified");
}

int verify_one(const Migration& migration, const MigrateOptions& options, ProgressStyle style) {
  Input out = open_regular_file(options.out);
  std::optional<Input> old;
  old.emplace(options.in);
  ProgressReport progress(style, out.remaining_bytes().value_or(0) + old->remaining_bytes().value_or(0));
  Findings findings(options, true);
  try {
    static_cast<void>(compare(migration, out, old, progress, findings));
    findings.add("same", options.out, "");
  } catch (const Error& error) {
    findings.add_failure("differs", options.out, error);
  }
  progress.finish();
  return findings.finish("verified");
}

}  // namespace phalanx

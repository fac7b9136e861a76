#include "program/cli/migrate/read_only_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/text/counted.hpp"
#include "files/migration/trees/tree_findings.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/migrate/report.hpp"
#include "program/cli/options/scrypt_sum.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

// Returns "open" for "3 open", where each file's line has "opens".
std::string counted_verdict(const std::string& verdict, std::uint64_t number) {
  constexpr std::string_view verbs[] = {"opens", "fails", "differs"};
  const bool is_verb = std::ranges::find(verbs, verdict) != std::end(verbs);
  return is_verb && number != 1 ? verdict.substr(0, verdict.size() - 1) : verdict;
}

// Says what was found of each file, and of all of them.
class Findings : public FindingObserver {
 public:
  Findings(const MigrateOptions& options, ProgressStyle style, bool hold) : options_(options), style_(style), hold_(hold) {}

  // `job` stays the caller's.
  void say_costs_for(const ContainerJob& job) { job_ = &job; }

  void on_containers(const std::vector<std::string>& paths) override {
    if (job_ != nullptr) say_scrypt_of(paths, job_->recipients, options_.container.secrets.warn);
  }

  Progress& begin(std::uint64_t num_bytes) override { return progress_.emplace(style_, num_bytes); }

  void on_finding(const TreeFinding& finding) override {
    const char* const verdict = verdict_name(finding.verdict);
    ++counts_[verdict];
    num_bytes_ += finding.num_bytes;
    count_failure(finding);
    if (finding.doubt) ++num_doubtful_;
    put(options_.json ? json_of(finding) : line_of(finding));
  }

  int finish(const std::string& what) {
    if (progress_) progress_->finish();
    for (const std::string& line : held_) put_line(line);
    std::string summary;
    Json json;
    for (const auto& [verdict, number] : counts_) {
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", number, counted_verdict(verdict, number));
      json[verdict] = number;
    }
    if (num_doubtful_ != 0) {
      summary += fmt::format(", {} doubtful", num_doubtful_);
      json["doubtful"] = num_doubtful_;
    }
    json["bytes"] = num_bytes_;
    if (options_.json) put_line(json_line(json));
    print_note(fmt::format("{}: {}, {}; nothing was written", what, summary.empty() ? "no files" : summary,
                           count_bytes(num_bytes_)),
               options_.messages.quiet);
    const int exit_code = exit_code_with_doubts(failures_.exit_code(), num_doubtful_, options_.doubt_is_ok);
    return exit_code == 0 && is_left_uncompared_ ? doubtful_exit_code : exit_code;
  }

 private:
  // A file that was not compared is no failure where nothing was given that could open it.
  void count_failure(const TreeFinding& finding) {
    if (finding.verdict == TreeVerdict::not_compared && !options_.describes_old()) {
      is_left_uncompared_ = true;
    } else if (finding.is_failure()) {
      failures_.add(exit_code_of(finding.code));
    }
  }

  static std::string line_of(const TreeFinding& finding) {
    std::string detail = finding.detail;
    if (finding.doubt) detail += (detail.empty() ? "doubtful: " : "; doubtful: ") + finding.doubt.sentence;
    return fmt::format("{:<8} {}{}{}", verdict_name(finding.verdict), finding.name, detail.empty() ? "" : ": ", detail);
  }

  static std::string json_of(const TreeFinding& finding) {
    ManifestRecord named;
    named.name = finding.name;
    named.state = MigratedAs::skipped;
    Json json = Json::parse(manifest_line(named));
    json.erase("why");
    json["state"] = verdict_name(finding.verdict);
    if (!finding.detail.empty()) json["detail"] = finding.detail;
    if (finding.doubt) put_doubt(json, finding.doubt);
    if (finding.verdict == TreeVerdict::opens && finding.num_bytes != 0) json["in_bytes"] = finding.num_bytes;
    if (finding.verdict == TreeVerdict::opens && finding.evidence) put_evidence(json, finding.evidence->with);
    return json_line(json);
  }

  void put(const std::string& line) {
    if (hold_) {
      held_.push_back(line);
    } else {
      put_line(line);
    }
  }

  const MigrateOptions& options_;
  ProgressStyle style_;
  const ContainerJob* job_ = nullptr;
  bool hold_;  // lines wait, beside a line of progress
  std::optional<ProgressReport> progress_;
  std::vector<std::string> held_;
  std::map<std::string, std::uint64_t> counts_;
  FailureCount failures_;
  bool is_left_uncompared_ = false;
  std::uint64_t num_bytes_ = 0, num_doubtful_ = 0;
};

}  // namespace

int dry_run_tree(Migration& migration, const MigrateOptions& options) {
  Findings findings(options, ProgressStyle::none, false);
  run_tree_preview(migration, options.tree_options(), findings);
  return findings.finish("dry run");
}

int dry_run_one(const Migration& migration, const MigrateOptions& options) {
  Input input(options.in);
  Findings findings(options, ProgressStyle::none, false);
  findings.on_finding(preview_file(migration, input.name(), input));
  return findings.finish("dry run");
}

int print_tree_verification(Migration& migration, const MigrateOptions& options, ProgressStyle style) {
  style = style_beside_lines(style, options.messages);
  Findings findings(options, style, line_style_beside(style, options.json, options.messages.quiet).hold_results);
  findings.say_costs_for(migration.container);
  run_tree_verification(migration, options.tree_options(), findings);
  return findings.finish("verified");
}

int verify_one(const Migration& migration, const MigrateOptions& options, ProgressStyle style) {
  Input out = open_regular_file(options.out);
  std::optional<Input> old;
  old.emplace(options.in);
  Findings findings(options, style, true);
  Progress& progress = findings.begin(out.remaining_bytes().value_or(0) + old->remaining_bytes().value_or(0));
  findings.on_finding(verify_file(migration, options.out, out, old, {}, progress));
  return findings.finish("verified");
}

}  // namespace phalanx

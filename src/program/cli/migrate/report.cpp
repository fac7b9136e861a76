#include "program/cli/migrate/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/text/counted.hpp"
#include "engine/text/utf8.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/length_limits.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

void put_plaintext(Json& json, const MigratedFile& migrated) {
  json["plain_bytes"] = migrated.plain_bytes;
  if (!migrated.sha256.empty()) json["plaintext_sha256"] = migrated.sha256;
}

Json json_of(const TreeSummary& summary) {
  Json json;
  json["done"] = summary.num_done;
  json["done_before"] = summary.num_settled;
  json["failed"] = summary.num_failed;
  for (const auto& [reason, number] : summary.failed_reasons) json["failed_by_reason"][reason] = number;
  json["skipped"] = summary.num_skipped;
  json["doubtful"] = summary.num_doubtful;
  json["left"] = summary.num_left;
  json["deleted"] = summary.num_deleted;
  if (summary.num_kept != 0) json["kept"] = summary.num_kept;
  if (summary.index.number != 0) {
    json["index_generation"] = summary.index.number;
    json["index_digest"] = summary.index.digest;
  }
  return json;
}

// Says why a run was given up, or returns "" if it was not. The numbers are the summary's, which has the files that other
// threads were at work on then.
std::string why_stopped_early(const TreeSummary& summary, const std::string& probable_cause) {
  if (probable_cause.empty()) return "";
  return fmt::format("stopped early: {} of {} files failed, so that {} is probably wrong; --keep-going tries all",
                     summary.num_failed, summary.num_failed + summary.num_done, probable_cause);
}

}  // namespace

void put_line(const std::string& text) { print_result(plain_line(text) + '\n'); }

std::string json_line(const Json& json) {
  return escape_json_controls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void print_beginning(const MigrationNotes& notes, const MigrationBeginning& beginning, const ChosenEngine& chosen) {
  const auto say = [&](bool wanted, const std::string& note) {
    if (!note.empty()) print_note(notes.label + note, !wanted);
  };
  const ContainerFileWriter& writer = beginning.writer;
  say(notes.verbose, describe_engine(full_name(beginning.choice.plan.cipher), beginning.old_message.engine(), chosen));
  say(notes.verbose, "sealing runs on " + writer.engine());
  say(notes.findings, beginning.choice.with.note);
  say(notes.warnings, length_warning(beginning.choice.plan, beginning.old_message.remaining_bytes().value_or(0)));
  if (writer.goes_on()) {
    say(notes.findings,
        fmt::format("comparing the {} that an earlier run has done, then going on", count_bytes(writer.resumed_bytes())));
  } else if (writer.is_lost()) {
    say(notes.findings, "what an earlier run wrote" + std::string(unread_from_disk) + ": began afresh, under new keys");
  } else if (writer.started_over()) {
    say(notes.findings, "an earlier run has done too little to go on with: began afresh, under new keys");
  }
}

void put_evidence(nlohmann::ordered_json& json, const OpenedWith& with) {
  if (!with.found.empty()) json["found"] = with.found;
  if (with.padding_bytes != 0) json["padding_bytes"] = with.padding_bytes;
  if (!with.kind.empty()) json["kind"] = with.kind;
  if (!with.also_fits.empty()) json["also_fits"] = with.also_fits;
}

void put_doubt(nlohmann::ordered_json& json, const Doubt& doubt) {
  json["doubt"] = doubt.sentence;
  json["doubt_kind"] = doubt_name(doubt.kind);
}

void print_migrated_json(const MigratedFile& migrated, const SourceVerdict& verdict) {
  Json result;
  result["in_bytes"] = migrated.in_bytes;
  result["out_bytes"] = migrated.out_bytes;
  result["verified"] = migrated.verified;
  result["deleted"] = verdict.deleted;
  if (!verdict.kept.empty()) result["kept"] = verdict.kept;
  if (verdict.doubt) put_doubt(result, verdict.doubt);
  put_plaintext(result, migrated);
  put_evidence(result, migrated.evidence.with);
  put_line(json_line(result));
}

void print_migrated(const MigratedFile& migrated) {
  if (migrated.verified) {
    put_line(fmt::format("read back: OUT opens to the plaintext of IN, {}", count_bytes(migrated.plain_bytes)));
  }
  if (!migrated.sha256.empty()) put_line("SHA-256 of the plaintext: " + migrated.sha256);
}

ProgressStyle style_beside_lines(ProgressStyle style, const MessageOptions& messages) {
  const bool would_mix = isatty(STDOUT_FILENO) == 1 || messages.verbose;
  return messages.progress == "auto" && would_mix ? ProgressStyle::none : style;
}

LineStyle line_style_beside(ProgressStyle style, bool json, bool quiet) {
  const bool has_bar = style == ProgressStyle::bar;
  return {.json = json, .quiet = quiet, .hold_results = has_bar && isatty(STDOUT_FILENO) == 1, .hold_errors = has_bar};
}

void MigrationReport::put_result(const std::string& line) {
  if (style_.hold_results) {
    held_results_.push_back(line);
  } else {
    put_line(line);
  }
}

void MigrationReport::put_failure(const std::string& line) {
  if (style_.hold_errors) {
    held_errors_.push_back(line);
  } else {
    print_error(line);
  }
}

void MigrationReport::print_held() {
  const std::lock_guard lock(mutex_);
  for (const std::string& line : held_results_) put_line(line);
  for (const std::string& line : held_errors_) print_error(line);
  held_results_.clear();
  held_errors_.clear();
}

void MigrationReport::add(const ManifestRecord& record, const MigratedFile& migrated) {
  const std::lock_guard lock(mutex_);
  const bool done = record.state == MigratedAs::done, doubtful = done && record.doubt;
  if (record.state == MigratedAs::failed) put_failure(record.name + ": " + record.why);
  if (!record.kept.empty()) put_failure(record.name + ": the old file is kept: " + record.kept);
  if (style_.json) {
    Json json = Json::parse(manifest_line(record));
    if (done) put_plaintext(json, migrated);
    put_result(json_line(json));
  } else if (record.state == MigratedAs::skipped) {
    put_result("skipped  " + record.name + ": " + record.why);
  } else if (doubtful) {
    put_result("doubtful " + record.name + ": " + record.doubt.sentence);
  } else if (done && !migrated.sha256.empty()) {
    put_result("done     " + record.name + ": SHA-256 of its plaintext " + migrated.sha256);
  } else if (done && !style_.hold_results) {  // beside a bar, what went well is only counted
    put_line("done     " + record.name);
  }
}

void MigrationReport::stop_early(ErrorCode code) {
  const std::lock_guard lock(mutex_);
  probable_cause_ = code == ErrorCode::wrong_key ? "the old key or passphrase, or how it is derived (--from-auto finds the "
                                                   "digest, and tries PBKDF2 with --from-pbkdf2)"
                    : code == ErrorCode::truncated ? "the old cipher, or whether the files are in base64"
                                                   : "the format of the old files (--from-auto finds that of `openssl enc`)";
}

void MigrationReport::finish(const TreeSummary& summary, const std::string& manifest_path) {
  print_held();
  const std::lock_guard lock(mutex_);
  const std::string why_stopped = why_stopped_early(summary, probable_cause_);
  if (style_.json) {
    Json json = json_of(summary);
    if (!why_stopped.empty()) json["stopped_early"] = why_stopped;
    put_line(json_line(json));
  }
  if (!why_stopped.empty()) print_error(why_stopped);
  std::string reasons;
  for (const auto& [reason, number] : summary.failed_reasons) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? " (" : ", ", number, reason);
  }
  if (!reasons.empty()) reasons += ")";
  print_note(fmt::format("{} done, {} done before, {} failed{}, {} skipped, {} doubtful, {} deleted{}{}; {} says which",
                         summary.num_done, summary.num_settled, summary.num_failed, reasons, summary.num_skipped,
                         summary.num_doubtful, summary.num_deleted,
                         summary.num_kept == 0 ? "" : fmt::format(", {} kept", summary.num_kept),
                         summary.num_left == 0 ? "" : fmt::format(", {} left untried", summary.num_left), manifest_path),
             style_.quiet);
}

int exit_code_of_all(const TreeSummary& summary, bool doubt_is_ok) {
  FailureCount all;
  for (const auto& [code, number] : summary.failed_codes) all.add(exit_code_of(code));
  if (summary.num_kept != 0) all.add(exit_code_of(ErrorCode::runtime));
  if (summary.num_not_indexed != 0) all.add(exit_code_of(ErrorCode::authentication));
  return exit_code_with_doubts(all.exit_code(), summary.num_doubtful, doubt_is_ok);
}

}  // namespace phalanx

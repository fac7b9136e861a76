#include "files/migration/manifest/manifest_record.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "engine/text/hex.hpp"
#include "engine/text/json_line.hpp"
#include "files/container/file/tree_run.hpp"

namespace phalanx {
namespace {

constexpr const char* version_field = "phalanx_manifest";
constexpr std::uint64_t manifest_version = 1;
constexpr std::uint64_t most_exit_code = std::numeric_limits<int>::max();

[[noreturn]] void refuse() { throw Error(ErrorCode::format, "the line is not as a manifest's are"); }

template <class Value>
Value required(std::optional<Value> value) {
  if (!value) refuse();
  return *std::move(value);
}

// JSON holds Unicode, and names hold any bytes: those of a name that is not UTF-8 follow it in hex.
void put_name(JsonLine& json, const std::string& field, const std::string& name) {
  json.put(field, name);
  if (is_utf8(name)) return;
  json.put(field + "_hex", encode_hex({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()}));
}

std::string get_name(const JsonObject& json, const std::string& field) {
  const std::optional<std::string> digits = json.text(field + "_hex");
  if (!digits) return required(json.text(field));
  std::string name(digits->size() / 2, '\0');
  decode_hex(*digits, "the manifest", {reinterpret_cast<std::uint8_t*>(name.data()), name.size()});
  return name;
}

// The program's exit code, which manifests hold: the code's own number, but that input of another format counts as usage.
std::uint64_t exit_code_of(ErrorCode code) {
  return static_cast<std::uint64_t>(code == ErrorCode::format ? ErrorCode::usage : code);
}

// Only what a run can have taken off: its container lies in the folder that the old file's name says.
std::string get_stripped(const JsonObject& json, const std::string& name) {
  if (!json.text("stripped") && !json.text("stripped_hex")) return "";
  std::string stripped = get_name(json, "stripped");
  const std::size_t last_bytes = name.size() - (name.rfind('/') + 1);
  if (!name.ends_with(stripped) || stripped.size() >= last_bytes) refuse();
  return stripped;
}

ErrorCode error_code_of(std::uint64_t exit_code) {
  const bool is_one = exit_code >= exit_code_of(ErrorCode::runtime) && exit_code <= exit_code_of(ErrorCode::policy);
  return is_one ? static_cast<ErrorCode>(exit_code) : ErrorCode::runtime;
}

MigratedAs state_of(const std::string& name) {
  for (const MigratedAs state : {MigratedAs::done, MigratedAs::failed, MigratedAs::skipped}) {
    if (name == state_name(state)) return state;
  }
  refuse();
}

// Earlier versions wrote no kind, and later ones may know others.
Doubt doubt_of(std::string sentence, const std::string& name) {
  if (sentence.empty() && name.empty()) return {};
  for (unsigned number = 1; number <= static_cast<unsigned>(DoubtKind::no_tag); ++number) {
    const auto kind = static_cast<DoubtKind>(number);
    if (name == doubt_name(kind)) return {kind, std::move(sentence)};
  }
  return {DoubtKind::not_recorded, std::move(sentence)};
}

void put_done(JsonLine& json, const ManifestRecord& record) {
  const auto put_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) json.put(name, text);
  };
  json.put("in_bytes", record.in_bytes);
  json.put("out_bytes", record.out_bytes);
  json.put("verified", record.verified);
  if (!record.stripped.empty()) put_name(json, "stripped", record.stripped);
  put_text("source", record.source);
  if (record.removing && !record.deleted && record.kept.empty()) json.put("removing", true);
  json.put("deleted", record.deleted);
  put_text("kept", record.kept);
  put_text("doubt", record.doubt.sentence);
  if (record.doubt) json.put("doubt_kind", doubt_name(record.doubt.kind));
  if (record.key.opened != 0) json.put("key_opened", record.key.opened);
  if (record.key.failed != 0) json.put("key_failed", record.key.failed);
  put_text("found", record.with.found);
  if (record.with.padding_bytes != 0) json.put("padding_bytes", std::uint64_t{record.with.padding_bytes});
  put_text("kind", record.with.kind);
  if (!record.with.also_fits.empty()) json.put("also_fits", record.with.also_fits);
}

}  // namespace

const char* state_name(MigratedAs state) {
  if (state == MigratedAs::done) return "done";
  return state == MigratedAs::failed ? "failed" : "skipped";
}

const char* reason_of(ErrorCode code, std::uint64_t in_bytes) {
  switch (code) {
    case ErrorCode::runtime:
      return "input or output";
    case ErrorCode::usage:
    case ErrorCode::format:
      return "not as described";
    case ErrorCode::authentication:
      return "not authentic";
    case ErrorCode::wrong_key:
      return "wrong key";
    case ErrorCode::truncated:
      return in_bytes == 0 ? "empty" : "cut short";
    case ErrorCode::policy:
      return "refused";
  }
  return "";
}

std::string container_name(const std::string& old_name, const std::string& stripped) {
  return old_name.substr(0, old_name.size() - stripped.size()) + container_suffix;
}

std::string ManifestRecord::container() const { return container_name(name, stripped); }

std::string mark_of(const FileStamp& old_file) {
  constexpr std::size_t num_digits = 9;
  const std::string nanoseconds = std::to_string(old_file.modified.tv_nsec);
  return std::to_string(old_file.identity.inode) + ' ' + std::to_string(old_file.modified.tv_sec) + '.' +
         std::string(num_digits - std::min(num_digits, nanoseconds.size()), '0') + nanoseconds;
}

bool is_source_of(const ManifestRecord& done, const FileStamp& old_file) {
  if (done.deleted || static_cast<std::uint64_t>(old_file.size) != done.in_bytes) return false;
  return done.source.empty() || done.source == mark_of(old_file);
}

std::string manifest_line(const ManifestRecord& record) {
  JsonLine json;
  put_name(json, "name", record.name);
  json.put("state", state_name(record.state));
  if (record.state == MigratedAs::done) {
    put_done(json, record);
  } else {
    json.put("why", record.why);
  }
  if (record.state == MigratedAs::failed) {
    json.put("reason", record.reason);
    json.put("exit_code", exit_code_of(record.code));
  }
  return json.finish();
}

ManifestRecord read_manifest_line(std::string_view line) {
  const JsonObject json(line);
  const auto text_of = [&](const char* name) { return json.text(name).value_or(""); };
  const auto is_true = [&](const char* name) { return json.truth(name).value_or(false); };
  ManifestRecord record;
  record.name = get_name(json, "name");
  record.state = state_of(required(json.text("state")));
  record.code = error_code_of(json.number("exit_code", most_exit_code).value_or(0));
  record.why = text_of("why");
  record.reason = text_of("reason");
  record.in_bytes = json.number("in_bytes").value_or(0);
  record.out_bytes = json.number("out_bytes").value_or(0);
  record.verified = is_true("verified");
  record.stripped = get_stripped(json, record.name);
  record.source = text_of("source");
  record.removing = is_true("removing");
  record.deleted = is_true("deleted");
  record.kept = text_of("kept");
  record.doubt = doubt_of(text_of("doubt"), text_of("doubt_kind"));
  record.key = {.opened = json.number("key_opened").value_or(0), .failed = json.number("key_failed").value_or(0)};
  record.with.found = text_of("found");
  record.with.padding_bytes = json.number("padding_bytes", std::numeric_limits<std::size_t>::max()).value_or(0);
  record.with.kind = text_of("kind");
  record.with.also_fits = json.texts("also_fits").value_or(std::vector<std::string>());
  return record;
}

std::string manifest_header(const ManifestTrees& trees) {
  JsonLine json;
  json.put(version_field, manifest_version);
  put_name(json, "from_tree", trees.from);
  put_name(json, "to_tree", trees.to);
  return json.finish();
}

ManifestHeader read_manifest_header(std::string_view line) {
  const JsonObject json(line);
  if (required(json.number(version_field)) != manifest_version) return {.is_later = true};
  return {.trees = {.from = get_name(json, "from_tree"), .to = get_name(json, "to_tree")}};
}

}  // namespace phalanx

#include "cli/migrate/manifest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cli/console/json_numbers.hpp"
#include "files/line_reader.hpp"
#include "files/named_place.hpp"
#include "files/output/atomic_file.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* version_field = "phalanx_manifest";
constexpr int manifest_version = 1;
constexpr std::size_t max_line_bytes = std::size_t{1} << 16;  // names of 4096 bytes, in text and in hex, and a reason

Bytes as_bytes(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// JSON holds Unicode, and names hold any bytes: those of a name that is not UTF-8 follow it in hex.
void put_name(Json& json, const std::string& field, const std::string& name) {
  json[field] = name;
  if (Json::parse(dump(Json(name))).get<std::string>() != name) json[field + "_hex"] = encode_hex(as_bytes(name));
}

std::string get_name(const Json& json, const std::string& field) {
  if (!json.contains(field + "_hex")) return json.at(field).get<std::string>();
  const auto digits = json.at(field + "_hex").get<std::string>();
  std::string name(digits.size() / 2, '\0');
  decode_hex(digits, "the manifest", {reinterpret_cast<std::uint8_t*>(name.data()), name.size()});
  return name;
}

std::string header_line(const ManifestTrees& trees) {
  Json json;
  json[version_field] = manifest_version;
  put_name(json, "from_tree", trees.from);
  put_name(json, "to_tree", trees.to);
  return dump(json);
}

ManifestRecord parse_record(const Json& json) {
  ManifestRecord record;
  record.name = get_name(json, "name");
  const auto state = json.at("state").get<std::string>();
  constexpr MigrationState states[] = {MigrationState::done, MigrationState::failed, MigrationState::skipped};
  const auto* const found =
      std::find_if(std::begin(states), std::end(states), [&](MigrationState known) { return state == state_name(known); });
  if (found == std::end(states)) throw std::invalid_argument("state");
  record.state = *found;
  record.exit_code = whole_number_at(json, "exit_code", 0);
  record.why = json.value("why", "");
  record.reason = json.value("reason", "");
  record.in_bytes = whole_number_at(json, "in_bytes", std::uint64_t{0});
  record.out_bytes = whole_number_at(json, "out_bytes", std::uint64_t{0});
  record.verified = json.value("verified", false);
  record.source = json.value("source", "");
  record.removing = json.value("removing", false);
  record.deleted = json.value("deleted", false);
  record.kept = json.value("kept", "");
  record.doubt = json.value("doubt", "");
  record.found = json.value("found", "");
  record.padding_bytes = whole_number_at(json, "padding_bytes", std::size_t{0});
  record.kind = json.value("kind", "");
  record.also_fits = json.value("also_fits", std::vector<std::string>());
  return record;
}

void check_header(const Json& json, const ManifestTrees& trees, const std::string& path) {
  if (whole_number_from<int>(json.at(version_field)) != manifest_version) {
    throw Error(ErrorCode::format, path + " is a manifest of a later version: use the Phalanx that wrote it");
  }
  const ManifestTrees written{.from = get_name(json, "from_tree"), .to = get_name(json, "to_tree")};
  if (written.from == trees.from && written.to == trees.to) return;
  throw Error(ErrorCode::usage, path + " is the manifest of " + written.from + " and " + written.to +
                                    ": give those folders, or name another manifest");
}

}  // namespace

const char* state_name(MigrationState state) {
  if (state == MigrationState::done) return "done";
  return state == MigrationState::failed ? "failed" : "skipped";
}

std::string mark_of(const FileStamp& old_file) {
  return fmt::format("{} {}.{:09}", old_file.identity.inode, old_file.modified.tv_sec, old_file.modified.tv_nsec);
}

bool is_source_of(const ManifestRecord& done, const FileStamp& old_file) {
  if (done.deleted || static_cast<std::uint64_t>(old_file.size) != done.in_bytes) return false;
  return done.source.empty() || done.source == mark_of(old_file);
}

void put_evidence(nlohmann::ordered_json& json, const ManifestRecord& record) {
  if (!record.found.empty()) json["found"] = record.found;
  if (record.padding_bytes != 0) json["padding_bytes"] = record.padding_bytes;
  if (!record.kind.empty()) json["kind"] = record.kind;
  if (!record.also_fits.empty()) json["also_fits"] = record.also_fits;
}

std::string manifest_line(const ManifestRecord& record) {
  Json json;
  put_name(json, "name", record.name);
  json["state"] = state_name(record.state);
  if (record.state == MigrationState::done) {
    json["in_bytes"] = record.in_bytes;
    json["out_bytes"] = record.out_bytes;
    json["verified"] = record.verified;
    if (!record.source.empty()) json["source"] = record.source;
    if (record.removing && !record.deleted && record.kept.empty()) json["removing"] = true;
    json["deleted"] = record.deleted;
    if (!record.kept.empty()) json["kept"] = record.kept;
    if (!record.doubt.empty()) json["doubt"] = record.doubt;
    put_evidence(json, record);
  } else {
    json["why"] = record.why;
  }
  if (record.state == MigrationState::failed) {
    json["reason"] = record.reason;
    json["exit_code"] = record.exit_code;
  }
  return dump(json);
}

Manifest::Manifest(const std::string& path, const ManifestTrees& trees, ManifestUse use) : path_(resolve_links(path)) {
  const bool appends = use == ManifestUse::append;
  if (!appends && is_missing()) {
    if (use == ManifestUse::preview) return;
    throw Error(ErrorCode::usage,
                path_ + ": there is no manifest of that name: name the one of the run that made the containers");
  }
  struct stat status {};
  file_ = open_file(path_, (appends ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY) | O_NONBLOCK, 0666);
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path_ + " is not a regular file: name another manifest");
  identity_ = FileIdentity(status);
  if (appends && !lock_file(file_.get(), path_)) {
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on these files");
  }
  read_records(trees);
  if (appends) begin_appending(trees);
}

bool Manifest::is_missing() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) != 0 && errno == ENOENT;
}

void Manifest::begin_appending(const ManifestTrees& trees) {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (static_cast<std::uint64_t>(status.st_size) > size_bytes_ && !set_size(file_.get(), size_bytes_)) {
    throw_system_error("write", path_);
  }
  if (size_bytes_ == 0) append_line(header_line(trees));
  sync_folder_of(path_);
}

// A last line without its end is what a crash left of it; the constructor cuts it off.
void Manifest::read_records(const ManifestTrees& trees) {
  LineReader lines(file_.get(), path_, max_line_bytes);
  std::size_t number = 0;
  for (std::string line; lines.next(line);) {
    if (++number == 1) require_beginning(line);
    if (!lines.ended()) break;
    Json json = Json::parse(line, nullptr, false);
    try {
      if (number == 1) {
        check_header(json, trees, path_);
      } else {
        keep(parse_record(json));
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw Error(ErrorCode::format, path_ + ": line " + std::to_string(number) + " is damaged: remove that line");
    }
  }
  size_bytes_ = lines.whole_bytes();
}

void Manifest::require_beginning(const std::string& line) const {
  const std::string beginning = std::string("{\"") + version_field + '"';
  const std::size_t compared = std::min(line.size(), beginning.size());
  if (line.compare(0, compared, beginning, 0, compared) == 0) return;
  throw Error(ErrorCode::format, path_ + " is not a manifest of Phalanx: name another file");
}

std::optional<ManifestRecord> Manifest::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(name);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

void Manifest::for_each_done(const std::function<void(const ManifestRecord&)>& act) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, record] : records_) {
    if (record.state == MigrationState::done) act(record);
  }
  for (const auto& [name, record] : done_before_) act(record);
}

void Manifest::keep(ManifestRecord record) {
  const bool is_done = record.state == MigrationState::done;
  ManifestRecord& newest = records_[record.name];
  if (is_done) done_before_.erase(record.name);
  if (!is_done && newest.state == MigrationState::done && !newest.name.empty())
    done_before_[record.name] = std::move(newest);
  newest = std::move(record);
}

void Manifest::append(const ManifestRecord& record) {
  const std::lock_guard lock(mutex_);
  require_name();
  append_line(manifest_line(record));
  keep(record);
}

void Manifest::append_line(const std::string& line) {
  try {
    write_all(file_.get(), as_bytes(line + '\n'), path_);
    if (!sync_data(file_.get())) throw_system_error("write", path_);
  } catch (const Error&) {
    // No half line is left, as a full disk makes one, for another to follow.
    static_cast<void>(set_size(file_.get(), size_bytes_));
    throw;
  }
  size_bytes_ += line.size() + 1;
}

void Manifest::require_name() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && FileIdentity(status) == identity_) return;
  throw Error(ErrorCode::runtime,
              path_ +
                  " was moved, replaced or removed by another program: the run ends, and nothing more is "
                  "migrated without a manifest");
}

}  // namespace phalanx

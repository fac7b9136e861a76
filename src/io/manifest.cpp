#include "io/manifest.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "formats/hex.hpp"
#include "io/atomic_file.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* version_field = "phalanx_manifest";
constexpr int manifest_version = 1;
constexpr std::size_t read_bytes_at_once = std::size_t{1} << 20;

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
  record.exit_code = json.value("exit_code", 0);
  record.why = json.value("why", "");
  record.in_bytes = json.value("in_bytes", std::uint64_t{0});
  record.out_bytes = json.value("out_bytes", std::uint64_t{0});
  record.verified = json.value("verified", false);
  record.deleted = json.value("deleted", false);
  record.note = json.value("note", "");
  return record;
}

void check_header(const Json& json, const ManifestTrees& trees, const std::string& path) {
  if (json.at(version_field).get<int>() != manifest_version) {
    throw Error(ErrorCode::usage, path + " is a manifest of a later version: use the Phalanx that wrote it");
  }
  const ManifestTrees written{.from = get_name(json, "from_tree"), .to = get_name(json, "to_tree")};
  if (written.from == trees.from && written.to == trees.to) return;
  throw Error(ErrorCode::usage, path + " is the manifest of " + written.from + " and " + written.to +
                                    ": give those folders, or name another manifest");
}

std::string read_all(int descriptor, const std::string& path) {
  std::string text;
  std::vector<std::uint8_t> buffer(read_bytes_at_once);
  while (const std::size_t size = read_at(descriptor, buffer, text.size(), path)) {
    text.append(reinterpret_cast<const char*>(buffer.data()), size);
  }
  return text;
}

}  // namespace

const char* state_name(MigrationState state) {
  if (state == MigrationState::done) return "done";
  return state == MigrationState::failed ? "failed" : "skipped";
}

std::string manifest_line(const ManifestRecord& record) {
  Json json;
  put_name(json, "name", record.name);
  json["state"] = state_name(record.state);
  if (record.state == MigrationState::done) {
    json["in_bytes"] = record.in_bytes;
    json["out_bytes"] = record.out_bytes;
    json["verified"] = record.verified;
    json["deleted"] = record.deleted;
    if (!record.note.empty()) json["note"] = record.note;
  } else {
    json["why"] = record.why;
  }
  if (record.state == MigrationState::failed) json["exit_code"] = record.exit_code;
  return dump(json);
}

Manifest::Manifest(const std::string& path, const ManifestTrees& trees) : path_(path) {
  file_ = open_file(path_, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path_ + " is not a regular file: name another manifest");
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on these files");
  }
  const std::string text = read_all(file_.get(), path_);
  const std::size_t whole_bytes = text.rfind('\n') + 1;  // 0 where there is no line end
  const std::string beginning = std::string("{\"") + version_field + '"';
  const std::size_t compared = std::min(text.size(), beginning.size());
  if (text.compare(0, compared, beginning, 0, compared) != 0) {
    throw Error(ErrorCode::usage, path_ + " is not a manifest of Phalanx: name another file");
  }
  read_records(text.substr(0, whole_bytes), trees);
  if (whole_bytes < text.size() && ftruncate(file_.get(), static_cast<off_t>(whole_bytes)) != 0) {
    throw_system_error("write", path_);
  }
  size_bytes_ = whole_bytes;
  if (whole_bytes == 0) append_line(header_line(trees));
  sync_folder_of(path_);
}

void Manifest::read_records(const std::string& text, const ManifestTrees& trees) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    Json json = Json::parse(line, nullptr, false);
    try {
      if (++number == 1) {
        check_header(json, trees, path_);
      } else {
        ManifestRecord record = parse_record(json);
        records_[record.name] = std::move(record);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw Error(ErrorCode::usage, path_ + ": line " + std::to_string(number) + " is damaged: remove that line");
    }
  }
}

std::optional<ManifestRecord> Manifest::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(name);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

void Manifest::append(const ManifestRecord& record) {
  const std::lock_guard lock(mutex_);
  append_line(manifest_line(record));
  records_[record.name] = record;
}

void Manifest::append_line(const std::string& line) {
  try {
    write_all(file_.get(), as_bytes(line + '\n'), path_);
    if (fdatasync(file_.get()) != 0) throw_system_error("write", path_);
  } catch (const Error&) {
    // No half line is left, as a full disk makes one, for another to follow.
    [[maybe_unused]] const int ignored = ftruncate(file_.get(), static_cast<off_t>(size_bytes_));
    throw;
  }
  size_bytes_ += line.size() + 1;
}

bool Manifest::lies_at(const std::string& path) const {
  struct stat own {
  }, other{};
  return fstat(file_.get(), &own) == 0 && ::stat(path.c_str(), &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

}  // namespace phalanx

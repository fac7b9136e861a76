#include "program/cli/engine/calibration_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <phalanx/catalog.hpp>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/registry.hpp"
#include "engine/text/characters.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/rooted_folder.hpp"
#include "program/cli/engine/processor_name.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "phalanx-calibration";
constexpr int format_version = 1;
constexpr std::size_t most_file_bytes = std::size_t{1} << 20;
constexpr std::size_t most_serial_blocks = 4096;

// Members that a reader does not know are left alone, so that later versions may add theirs without a new format_version.
Json to_json(const Calibration& calibration) {
  Json json;
  json["format"] = format_name;
  json["format_version"] = format_version;
  json["phalanx"] = version();
  json["cpu"] = processor_name();
  json["serial_blocks"] = Json::array();
  for (const Crossover& crossover : calibration.crossovers) {
    json["serial_blocks"].push_back(
        {{"engine", crossover.engine}, {"cipher", crossover.cipher}, {"blocks", crossover.serial_blocks}});
  }
  return json;
}

// Says where the file is: below a folder that the environment names, which may be reached by links. Below that folder no
// link is followed.
struct CachePlace {
  std::string folder;
  std::string name;

  [[nodiscard]] std::string path() const { return folder + '/' + name; }
};

std::optional<CachePlace> cache_place() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return CachePlace{.folder = cache, .name = "phalanx/calibration.json"};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return std::nullopt;
  return CachePlace{.folder = home, .name = ".cache/phalanx/calibration.json"};
}

// A pipe in the file's place is not waited for. A file is obeyed only if it is the user's own or root's.
std::string read_whole(const CachePlace& place) {
  const std::string path = place.path();
  const FileDescriptor file = RootedFolder(place.folder).open(place.name, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw_system_error("look at", path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, "it is no regular file");
  if (status.st_uid != geteuid() && status.st_uid != 0) throw Error(ErrorCode::usage, "it belongs to another user");
  std::string text(most_file_bytes + 1, '\0');
  text.resize(read_until_full(file.get(), {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}, path));
  if (text.size() > most_file_bytes) throw Error(ErrorCode::usage, "it is too large");
  return text;
}

Crossover crossover_from(const Json& json) {
  Crossover crossover{.engine = json.at("engine"), .cipher = json.at("cipher")};
  const Json& blocks = json.at("blocks");
  if (!blocks.is_number_unsigned() || blocks > most_serial_blocks || find_cipher(crossover.cipher) == nullptr) {
    throw Error(ErrorCode::usage, "it is malformed");
  }
  crossover.serial_blocks = blocks;
  return crossover;
}

Calibration parse(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.at("format") != format_name || json.at("format_version") != format_version) {
    throw Error(ErrorCode::usage, "it is of another format");
  }
  if (json.at("cpu") != processor_name()) throw Error(ErrorCode::usage, "it was measured on another processor");
  if (json.at("phalanx") != version()) throw Error(ErrorCode::usage, "it was measured by another version");
  Calibration calibration;
  for (const Json& entry : json.at("serial_blocks")) calibration.crossovers.push_back(crossover_from(entry));
  calibration.has_gpu_crossovers = json.contains("gpu_crossovers");
  return calibration;
}

void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw_system_error("create folder", folder);
  }
}

// Throws Error (usage) where a link stands in the place of a folder.
void make_folders_below(const RootedFolder& tree, const std::string& name) {
  if (name.empty()) return;
  make_folders_below(tree, parent_name_of(name));
  const FileDescriptor parent = tree.open(parent_name_of(name), O_PATH | O_DIRECTORY);
  if (mkdirat(parent.get(), last_name_of(name).c_str(), 0700) == 0) return;
  if (errno != EEXIST) throw_system_error("create folder", tree.path_of(name));
  static_cast<void>(tree.open(name, O_PATH | O_DIRECTORY));
}

}  // namespace

std::string calibration_path() {
  const std::optional<CachePlace> place = cache_place();
  return place ? place->path() : "";
}

FoundCalibration read_calibration() {
  const std::optional<CachePlace> place = cache_place();
  const std::string path = place ? place->path() : "";
  struct stat status {};
  if (!place || ::lstat(path.c_str(), &status) != 0) return {.calibration = {}, .note = "built in"};
  const auto ignored = [&path](const std::string& reason) {
    return FoundCalibration{
        .calibration = {},
        .note = fmt::format("built in: {} is ignored, {}; phalanx bench --calibrate makes a new one", path, reason)};
  };
  try {
    return {.calibration = parse(read_whole(*place)), .note = {}};
  } catch (const Json::exception&) {
    return ignored("it is malformed");
  } catch (const Error& error) {
    return ignored(error.what());
  }
}

FoundCalibration use_calibration() {
  FoundCalibration found = read_calibration();
  if (!found.calibration) return found;
  for (const EngineInfo& engine : list_cpu_engines()) {
    if (!engine.usable) continue;
    for (const Crossover& crossover : found.calibration->crossovers) {
      if (crossover.engine != engine.name) continue;
      set_serial_blocks(engine.name, *find_cipher(crossover.cipher), crossover.serial_blocks);
    }
  }
  return found;
}

std::string prepare_calibration_file() {
  const std::optional<CachePlace> place = cache_place();
  if (!place) throw Error(ErrorCode::runtime, "no place to keep the calibration: set HOME or XDG_CACHE_HOME");
  const std::string path = place->path();
  make_folders(place->folder + '/');
  const RootedFolder tree(place->folder);
  make_folders_below(tree, parent_name_of(place->name));
  tree.require_free(place->name);
  return path;
}

std::string write_calibration(const Calibration& calibration) {
  const std::string path = prepare_calibration_file();
  const std::string text = to_json(calibration).dump(1) + "\n";
  AtomicFile file(path, {.replace = true, .keep_attributes = false, .replaced = identity_at(path)});
  file.append(bytes_of(text));
  file.commit();
  return path;
}

}  // namespace phalanx

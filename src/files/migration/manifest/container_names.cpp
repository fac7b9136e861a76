#include "files/migration/manifest/container_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace phalanx {
namespace {

void check_suffix(const std::string& suffix) {
  if (suffix.empty() || suffix.find('/') != std::string::npos)
    throw Error(ErrorCode::usage, "a suffix of old names is their end, such as .des3: '" + suffix + "' is none");
  if (std::isalnum(static_cast<unsigned char>(suffix.front())) == 0) return;
  throw Error(ErrorCode::usage, "the suffix " + suffix + " lacks what stands before it in names: give ." + suffix);
}

}  // namespace

ContainerNames::ContainerNames(const Manifest& manifest, std::vector<std::string> suffixes)
    : manifest_(manifest), suffixes_(std::move(suffixes)) {
  std::ranges::for_each(suffixes_, check_suffix);
  std::ranges::stable_sort(suffixes_, std::ranges::greater(), &std::string::size);
}

// Nothing is taken off a name that is nothing but a suffix.
std::string ContainerNames::new_stripped(const std::string& old_name) const {
  const std::size_t last_bytes = old_name.size() - (old_name.rfind('/') + 1);
  for (const std::string& suffix : suffixes_) {
    if (suffix.size() < last_bytes && old_name.ends_with(suffix)) return suffix;
  }
  return "";
}

std::string ContainerNames::stripped_of(const std::string& old_name) const {
  const auto done = manifest_.find_done(old_name);
  return done ? done->stripped : new_stripped(old_name);
}

// Names that no suffix was taken off never meet.
void ContainerNames::learn(const std::vector<ListedFile>& entries) {
  bool has_stripped = !suffixes_.empty();
  manifest_.for_each_done([&](const ManifestRecord& record) { has_stripped |= !record.stripped.empty(); });
  if (!has_stripped) return;
  manifest_.for_each_done([&](const ManifestRecord& record) { owners_[record.container()].push_back(record.name); });
  for (const ListedFile& entry : entries) {
    if (entry.is_regular && !manifest_.find_done(entry.name)) owners_[name_of(entry.name)].push_back(entry.name);
  }
}

std::string ContainerNames::unshared_name_of(const std::string& old_name) const {
  std::string container = name_of(old_name);
  if (owners_.empty() || manifest_.find_done(old_name)) return container;
  const auto owners = owners_.find(container);
  if (owners == owners_.end()) return container;
  const auto other = std::ranges::find_if(owners->second, [&](const std::string& name) { return name != old_name; });
  if (other == owners->second.end()) return container;
  if (manifest_.find_done(*other)) {
    throw Error(ErrorCode::usage, "its container would be " + container + ", which is that of " + *other +
                                      ", as the manifest says: rename the old file");
  }
  throw Error(ErrorCode::usage, "its container would be " + container + ", as that of " + *other +
                                    ": rename one of the two, or take no suffix off");
}

}  // namespace phalanx

#include "files/container/results/found_file.hpp"

#include <fcntl.h>

#include <algorithm>

#include "files/container/file/stream_reader.hpp"
#include "files/system/file_clock.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

constexpr std::size_t few_header_bytes = 1024;  // which nearly every header has at most, and one call reads

}  // namespace

std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name) {
  return look_at_container(descriptor, name, static_cast<std::uint64_t>(stamp_of(descriptor, name).size));
}

std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name, std::uint64_t num_bytes) {
  try {
    std::vector<std::uint8_t> bytes(few_header_bytes);
    bytes.resize(read_at(descriptor, bytes, 0, name));
    const std::size_t wanted = header_bytes(bytes);
    const bool is_whole = wanted <= bytes.size();
    bytes.resize(wanted);
    if (!is_whole) bytes.resize(read_at(descriptor, bytes, 0, name));
    const ContainerHeader header = parse_header(bytes);
    const std::uint64_t before_chunks = header.bytes.size() + message_prefix_bytes;
    if (num_bytes < before_chunks) return std::nullopt;
    return SeenContainer{.plain_bytes = plain_bytes_of_chunks(num_bytes - before_chunks),
                         .binding_flags = header.binding.flags};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return std::nullopt;
  }
}

// A step of the file system is looked for only where it could be the reason.
bool ResultTimes::has_time(const FoundFile& found, const timespec& modified, const ResultPlace& place) {
  constexpr std::int64_t longest = 2'000'000'000;
  const timespec& kept = found.status.st_mtim;
  if (begin_of_step(kept, 1) == begin_of_step(modified, 1)) return true;
  if (begin_of_step(kept, longest) != begin_of_step(modified, longest)) return false;
  const std::int64_t step = step_at(place, found.status.st_dev);
  if (begin_of_step(kept, 1) != begin_of_step(modified, step)) return false;
  const std::lock_guard lock(mutex_);
  longest_step_ = std::max(longest_step_, step);
  return true;
}

std::int64_t ResultTimes::longest_step() {
  const std::lock_guard lock(mutex_);
  return longest_step_;
}

std::int64_t ResultTimes::step_at(const ResultPlace& place, dev_t device) {
  const std::lock_guard lock(mutex_);
  const auto [step, is_new] = steps_.try_emplace(device, 1);
  if (!is_new) return step->second;
  const FileDescriptor folder =
      place.folder ? place.folder->open(parent_name_of(place.name), O_RDONLY | O_DIRECTORY) : open_folder_of(place.path);
  step->second = time_step_of(folder.get(), place.path);
  return step->second;
}

namespace {

// In the folder that is held for the place; nullptr: none is.
std::optional<FoundFile> find_in(const ResultPlace& place, const HeldFolder* held) {
  const std::string name = last_name_of(place.name);
  const std::optional<struct stat> seen = held == nullptr ? place.look() : held->look_at(name, place.path);
  if (!seen) return std::nullopt;
  require_regular(*seen, place.path);  // to open a device may do something to it
  const FileDescriptor file = held == nullptr ? place.open(O_RDONLY) : held->open(name, O_RDONLY, place.path);
  FoundFile found;
  if (fstat(file.get(), &found.status) != 0) throw_system_error("look at", place.path);
  require_regular(found.status, place.path);
  found.container = look_at_container(file.get(), place.path, static_cast<std::uint64_t>(found.status.st_size));
  return found;
}

}  // namespace

std::optional<FoundFile> find_file(const ResultPlace& place) { return find_in(place, nullptr); }

std::optional<FoundFile> find_file(const ResultPlace& place, std::shared_ptr<const HeldFolder>& free_in) {
  free_in = place.hold_folder();
  std::optional<FoundFile> found = find_in(place, free_in.get());
  if (found) free_in.reset();
  return found;
}

}  // namespace phalanx

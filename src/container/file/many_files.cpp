#include "container/file/many_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <string_view>

#include "container/format/header.hpp"
#include "files/paths.hpp"
#include "threads/shared_loop.hpp"

namespace phalanx {

Input open_one(const FileOfMany& file) {
  constexpr int flags = O_RDONLY | O_NONBLOCK;
  if (file.folder) return {file.folder->open(file.name_in_folder, flags), file.path};
  return {open_file(file.path, flags), file.path};
}

bool begins_as_container(Input& input) {
  std::vector<std::uint8_t> beginning(header_start_bytes);
  beginning.resize(input.read(beginning));
  input.seek(0);
  return is_container(beginning);
}

bool is_tree_record(const FileOfMany& file) { return file.from_folder && last_name_of(file.path) == tree_record_name; }

bool is_meant_as_container(Input& input, const FileOfMany& file) {
  return !file.from_folder || file.path.ends_with(container_suffix) || begins_as_container(input);
}

std::string name_of(const FileOfMany& file) { return file.from_folder ? file.name_in_folder : last_name_of(file.path); }

std::string container_name_of(const FileOfMany& file) { return name_of_container(name_of(file)); }

void require_name_of_one(const Binding& binding) {
  if (binding.name.empty()) return;
  throw Error(ErrorCode::usage, "one name is given for several containers: leave it out, since each has its own");
}

std::optional<std::string> without_container_suffix(const std::string& name) {
  const std::string_view suffix = container_suffix;
  if (!name.ends_with(suffix) || last_name_of(name).size() == suffix.size()) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const RunPlace* place) {
  std::vector<std::size_t> order(num_bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (place != nullptr)
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t file) { return num_bytes[file]; });
  return order;
}

ManyFiles::ManyFiles(std::span<const std::string> names, const ProtectedFiles& needed, const IsRead& is_read)
    : needed_(needed), inputs_(&needed) {
  for (const std::string& name : names) add(name);
  for (const FileOfMany& file : files_) {
    if (file.from_folder && is_read && !is_read(file)) continue;
    inputs_.add_path(file.path, "one of the files to read");
  }
}

void ManyFiles::add(const std::string& name) {
  struct stat status {};
  const bool is_there = ::stat(require_named(name).c_str(), &status) == 0;
  if (!is_there || !S_ISDIR(status.st_mode)) {
    FileOfMany file;
    file.path = name;
    file.bytes = is_there && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    files_.push_back(std::move(file));
    return;
  }
  const auto folder = std::make_shared<const RootedFolder>(name);
  FolderOfMany& listed = folders_.emplace_back(FolderOfMany{.folder = folder, .folders = {}});
  const std::vector<TreeEntry> entries = list_tree(*folder, &listed.folders);
  const auto has_any = [&](const char* suffix) {
    return std::ranges::any_of(entries, [&](const TreeEntry& entry) { return entry.name.ends_with(suffix); });
  };
  const bool has_exchange = has_any(header_suffix), has_journal = has_any(journal_suffix);
  for (const TreeEntry& entry : entries) {
    FileOfMany file;
    file.has_no_exchange = !has_exchange;
    file.has_no_journal = !has_journal;
    file.path = folder->path_of(entry.name);
    file.from_folder = true;
    file.folder = folder;
    file.name_in_folder = entry.name;
    file.bytes = entry.bytes;
    file.why_not = entry.why_not;
    file.failed = entry.failed;
    files_.push_back(std::move(file));
  }
}

std::vector<std::string> ManyFiles::paths() const {
  std::vector<std::string> paths;
  for (const FileOfMany& file : files_) {
    if (file.why_not.empty()) paths.push_back(file.path);
  }
  return paths;
}

bool ManyFiles::has_named_files() const {
  return !std::ranges::all_of(files_, [](const FileOfMany& file) { return file.from_folder; });
}

std::uint64_t ManyFiles::total_bytes() const {
  std::uint64_t sum = 0;
  for (const FileOfMany& file : files_) sum += file.bytes;
  return sum;
}

std::string ManyFiles::attempt(const FileOfMany& file, const FileWork& work) const {
  if (file.failed) throw Error(ErrorCode::runtime, file.why_not);
  if (!file.why_not.empty()) return file.why_not;
  if (is_unfinished(file.path)) return "an unfinished file of a run that was stopped";
  Input input = open_one(file);
  if (!S_ISREG(input.status().st_mode)) {
    if (file.from_folder) return "no regular file";
    throw Error(ErrorCode::usage, "no regular file, and several files are given: take it by itself");
  }
  const std::string needed = needed_.find(input.status());
  if (!needed.empty()) return needed + ", which this run needs";
  return work(input, file);
}

FileOutcome ManyFiles::take(const FileOfMany& file, const FileWork& work) const {
  try {
    return {.why = attempt(file, work)};
  } catch (const Error& error) {
    return {.failed = true, .code = error.code(), .why = error.what()};
  } catch (const std::bad_alloc&) {
    return {.failed = true, .why = "out of memory"};
  } catch (const std::exception& error) {
    return {.failed = true, .why = error.what()};
  }
}

void ManyFiles::run(const FileWork& work, std::size_t at_once, const OnOutcome& on_outcome, const Cancellation* cancellation,
                    RunPlace* place) const {
  std::vector<std::uint64_t> sizes;
  for (const FileOfMany& file : files_) sizes.push_back(file.bytes);
  const std::vector<std::size_t> order = order_of_files(sizes, place);
  std::mutex telling;
  bool is_over = false;
  SharedLoop loop;
  const auto take_one = [&](std::size_t number) {
    const FileOfMany& file = files_[order[number]];
    const FileOutcome outcome = take(file, work);
    const std::lock_guard lock(telling);
    const bool is_cancelled = cancellation != nullptr && cancellation->is_cancelled();
    if (is_cancelled) loop.stop();
    if (is_cancelled || is_over) return;
    is_over = true;  // It stays so where telling throws.
    on_outcome(file, outcome);
    is_over = false;
  };
  if (place != nullptr) place->plan_bytes(total_bytes());
  loop.run(at_once, order.size(), take_one);
}

}  // namespace phalanx

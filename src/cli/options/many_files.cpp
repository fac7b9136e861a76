#include "cli/options/many_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>

#include "cli/console/exit_codes.hpp"
#include "cli/console/messages.hpp"
#include "container/file/resume_record.hpp"
#include "container/format/header.hpp"
#include "files/list_tree.hpp"
#include "files/output/atomic_file.hpp"
#include "in_place/in_place.hpp"
#include "threads/run_on_threads.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_at_once = 64;  // each has a few open files
constexpr std::size_t most_at_once_by_passphrase = 4;

// A pipe that took a file's place is not waited for.
Input open_one(const FileOfMany& file) {
  constexpr int flags = O_RDONLY | O_NONBLOCK;
  if (file.folder) return {file.folder->open(file.name_in_folder, flags), file.path};
  return {open_file(file.path, flags), file.path};
}

}  // namespace

bool is_unfinished(const std::string& name) {
  return name.ends_with(partial_suffix) || name.ends_with(record_suffix) || name.ends_with(journal_suffix);
}

bool begins_as_container(Input& input) {
  std::vector<std::uint8_t> beginning(header_start_bytes);
  beginning.resize(input.read(beginning));
  input.seek(0);
  return is_container(beginning);
}

CLI::Option* add_each_option(CLI::App& command, std::vector<std::string>& more, bool& each, const std::string& description) {
  command.add_option("FILE", more, "with --each: more files and folders")->type_name("");
  return command.add_flag("--each", each, description)
      ->excludes(command.get_option("--output"))
      ->excludes(command.get_option("--resume"))
      ->excludes(command.get_option("--bare"));
}

void refuse_more_files(const std::vector<std::string>& more) {
  if (!more.empty()) throw Error(ErrorCode::usage, "too many arguments: give IN and OUT, or --each for several files");
}

std::vector<std::string> names_of_each(const std::string& in, const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> names{in, out};
  names.insert(names.end(), more.begin(), more.end());
  std::erase(names, "");
  if (names.empty()) throw Error(ErrorCode::usage, "--each needs files or folders: name them");
  if (std::ranges::find(names, "-") != names.end())
    throw Error(ErrorCode::usage, "--each takes files, and - is none: leave it out");
  return names;
}

std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place) {
  if (place == nullptr) return 1;
  const bool by_passphrase = secrets.named.empty() || secrets.names_passphrase();
  return by_passphrase ? most_at_once_by_passphrase : std::min(2 * place->num_workers(), most_at_once);
}

std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const RunPlace* place) {
  std::vector<std::size_t> order(num_bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (place != nullptr)
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t file) { return num_bytes[file]; });
  return order;
}

std::uint64_t FailureCount::total() const {
  std::uint64_t sum = 0;
  for (const auto& [code, number] : by_code_) sum += number;
  return sum;
}

int FailureCount::exit_code() const {
  if (by_code_.empty()) return 0;
  return by_code_.size() == 1 ? by_code_.begin()->first : exit_code_of(ErrorCode::runtime);
}

ManyFiles::ManyFiles(const std::vector<std::string>& names, const ProtectedFiles& needed, bool quiet)
    : needed_(needed), inputs_(&needed), quiet_(quiet) {
  for (const std::string& name : names) add(name);
  for (const FileOfMany& file : files_) inputs_.add_path(file.path, "one of the files to read");
}

void ManyFiles::add(const std::string& name) {
  struct stat status {};
  const bool is_there = ::stat(name.c_str(), &status) == 0;
  if (!is_there || !S_ISDIR(status.st_mode)) {
    FileOfMany file;
    file.path = name;
    file.bytes = is_there && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    files_.push_back(std::move(file));
    return;
  }
  const auto folder = std::make_shared<const RootedFolder>(name);
  for (const TreeEntry& entry : list_tree(*folder)) {
    FileOfMany file;
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

struct ManyFiles::Outcomes {
  std::mutex mutex{};
  FailureCount failures{};
  std::uint64_t num_done = 0, num_skipped = 0;
};

void ManyFiles::take(const FileOfMany& file, const FileWork& work, Outcomes& outcomes) const {
  const auto fail = [&](ErrorCode code, const std::string& why) {
    const std::lock_guard lock(outcomes.mutex);
    outcomes.failures.add(exit_code_of(code));
    print_error(file.path + ": " + why);
  };
  try {
    const std::string why_skipped = attempt(file, work);
    const std::lock_guard lock(outcomes.mutex);
    ++(why_skipped.empty() ? outcomes.num_done : outcomes.num_skipped);
    if (!why_skipped.empty()) print_note(file.path + ": skipped: " + why_skipped, quiet_);
  } catch (const Error& error) {
    fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::runtime, "out of memory");
  } catch (const std::exception& error) {
    fail(ErrorCode::runtime, error.what());
  }
}

int ManyFiles::run(const FileWork& work, const char* done, std::size_t at_once, RunPlace* place) const {
  std::vector<std::uint64_t> sizes;
  for (const FileOfMany& file : files_) sizes.push_back(file.bytes);
  const std::vector<std::size_t> order = order_of_files(sizes, place);
  Outcomes outcomes;
  std::atomic<std::size_t> next{0};
  const auto take_all = [&](std::size_t /*thread*/) {
    for (std::size_t i = next++; i < order.size(); i = next++) take(files_[order[i]], work, outcomes);
  };
  if (place != nullptr) place->plan_bytes(total_bytes());
  work_on_threads(std::min(at_once, order.size()), take_all);
  print_note(
      fmt::format("{} {}, {} failed, {} skipped", outcomes.num_done, done, outcomes.failures.total(), outcomes.num_skipped),
      quiet_);
  return outcomes.failures.exit_code();
}

}  // namespace phalanx

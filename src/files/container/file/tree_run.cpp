#include "files/container/file/tree_run.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>

#include "engine/threads/shared_loop.hpp"
#include "engine/threads/threads.hpp"
#include "files/container/format/header.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

std::string attempt(const ListedFile& file, const ProtectedFiles& needed, const FileWork& work) {
  if (file.failed) throw Error(ErrorCode::runtime, file.why_not);
  if (!file.why_not.empty()) return file.why_not;
  if (is_unfinished(file.path)) return "an unfinished file of a run that was stopped";
  Input input = file.open();
  if (!S_ISREG(input.status().st_mode)) {
    if (file.from_folder()) return "no regular file";
    throw Error(ErrorCode::usage, "no regular file, and several files are given: take it by itself");
  }
  const std::string needs = needed.find(input.status());
  if (!needs.empty()) return needs + ", which this run needs";
  return work(input, file);
}

FileOutcome take(const ListedFile& file, const ProtectedFiles& needed, const FileWork& work) {
  try {
    return {.why = attempt(file, needed, work)};
  } catch (const Error& error) {
    return {.failed = true, .code = error.code(), .why = error.what()};
  } catch (const std::bad_alloc&) {
    return {.failed = true, .why = "out of memory"};
  } catch (const std::exception& error) {
    return {.failed = true, .why = error.what()};
  }
}

// Returns nothing where the run has ended while the file waited for its turn.
std::optional<FileOutcome> take_in_turn(const ListedFile& file, const ProtectedFiles& needed, const FileWork& work,
                                        SharedSync* shared, const std::function<bool()>& has_ended) {
  const SharedSync::Turn turn(shared, file.bytes);
  if (has_ended()) return std::nullopt;
  std::optional<SerialSection> alone;  // other threads take other files
  if (shared != nullptr && !SharedSync::is_large(file.bytes)) alone.emplace();
  return take(file, needed, work);
}

}  // namespace

bool begins_as_container(Input& input) {
  std::vector<std::uint8_t> beginning(header_start_bytes);
  beginning.resize(input.read(beginning));
  input.seek(0);
  return is_container(beginning);
}

bool may_be_begun_container(int descriptor) {
  std::array<std::uint8_t, 4096> beginning{};
  const Bytes found(beginning.data(), read_at(descriptor, beginning, 0, "a partial file"));
  return is_container(found) || std::ranges::all_of(found, [](std::uint8_t byte) { return byte == 0; });
}

bool is_tree_record(const ListedFile& file) { return file.from_folder() && last_name_of(file.path) == tree_record_name; }

bool is_meant_as_container(Input& input, const ListedFile& file) {
  return !file.from_folder() || file.path.ends_with(container_suffix) || begins_as_container(input);
}

std::string container_name_of(const ListedFile& file) { return name_of_container(file.name); }

void require_no_name_of_tree(const Binding& binding) {
  if (binding.name.empty()) return;
  throw Error(ErrorCode::usage, "one name is given for several containers: leave it out, since each has its own");
}

std::optional<std::string> without_container_suffix(const std::string& name) {
  const std::string_view suffix = container_suffix;
  if (!name.ends_with(suffix) || last_name_of(name).size() == suffix.size()) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const TreeRunning& how) {
  std::vector<std::size_t> order(num_bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (how.shared != nullptr)
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t file) { return !SharedSync::is_large(num_bytes[file]); });
  if (how.executor != nullptr)
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t file) { return num_bytes[file]; });
  return order;
}

void run_tree(const TreeListing& listing, const FileWork& work, const OnOutcome& on_outcome, const TreeRunning& how) {
  const std::vector<std::size_t> order = order_of_files(listing.sizes(), how);
  std::mutex telling;
  bool is_over = false;
  SharedLoop loop;
  const auto is_cancelled = [&] { return how.cancellation != nullptr && how.cancellation->is_cancelled(); };
  const auto has_ended = [&] { return is_cancelled() || loop.has_failed(); };
  const auto take_one = [&](std::size_t number) {
    const ListedFile& file = listing.files()[order[number]];
    const std::optional<FileOutcome> outcome = take_in_turn(file, listing.needed(), work, how.shared, has_ended);
    const std::lock_guard lock(telling);
    if (is_cancelled()) loop.stop();
    if (!outcome || is_cancelled() || is_over) return;
    is_over = true;  // It stays so where on_outcome throws.
    on_outcome(file, *outcome);
    is_over = false;
  };
  if (how.executor != nullptr) how.executor->plan_bytes(listing.total_bytes());
  const std::size_t at_once = how.shared != nullptr ? how.shared->num_files() : how.at_once;
  loop.run(at_once, order.size(), take_one, [&](const std::function<void()>& steps) {
    const SharedSync::Presence presence(how.shared);
    steps();
  });
}

}  // namespace phalanx

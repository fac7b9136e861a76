#include "files/container/trees/wish_run.hpp"

#include <fcntl.h>

#include <optional>

#include "files/container/results/found_file.hpp"

namespace phalanx {
namespace {

std::string containers(std::uint64_t number, const char* if_one, const char* if_more) {
  return number == 1 ? std::string("1 container ") + if_one : std::to_string(number) + " containers " + if_more;
}

}  // namespace

void WishRun::begin(const RootedFolder& to, const TreeRecord& record, const LastingIdentity& from) {
  to_ = &to;
  from_ = from;
  const TreeSection* const section = record.find(from_);
  before_ = Before::silent;
  if (section == nullptr || section->wish.empty()) return;
  is_mixed_ = section->wish == mixed_wish;
  before_ = is_tree_wish(section->wish, sealing_.job, sealing_.options.bind_names) ? Before::same : Before::other;
}

// A kill may follow: then the next run must not take the containers there for alike.
void WishRun::before_sealing() {
  if (before_ != Before::other || sealing_.options.dry_run) return;
  const std::lock_guard lock(mutex_);
  if (is_mixed_) return;
  TreeRecord record(*to_);
  const TreeSection* const section = record.find(from_);
  if (section == nullptr) return;
  const std::string path = section->path;
  static_cast<void>(record.enter(from_, path));
  record.put_wish(mixed_wish);
  record.write();
  is_mixed_ = true;
}

void WishRun::count(RecipientsFit fit) {
  const std::lock_guard lock(mutex_);
  if (fit == RecipientsFit::others) ++num_left_;
  if (fit == RecipientsFit::unknown) ++num_unknown_;
}

bool WishRun::is_bound_as_asked(const ResultPlace& place) const {
  const std::optional<SeenContainer> seen = look_at_container(place.open(O_RDONLY).get(), place.path);
  return seen && seen->binding_flags == asked_binding_flags(sealing_);
}

// The binding enters the key of the body: no header changes it.
bool WishRun::bring(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed, Progress& progress) {
  if (!is_bound_as_asked(place)) return false;
  const RecipientsFit fit = judge_recipients(job, place);
  if (fit == RecipientsFit::as_wished || (fit == RecipientsFit::unknown && before_ == Before::same)) return true;
  before_sealing();
  const std::optional<BodyFacts> now = put_recipients(job, place, needed, progress);
  if (now && sealing_.index != nullptr) sealing_.index->put(name_in_index(sealing_, place.name), *now);
  return now.has_value();
}

bool WishRun::take(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed, Progress& progress) {
  if (sealing_.options.update_recipients) return bring(job, place, needed, progress);
  if (before_ == Before::silent) count(judge_recipients(job, place));
  if (before_ == Before::no_record) count(judge_recipients(job, place, Tried::keys));
  if (before_ == Before::other) count(RecipientsFit::others);
  return true;
}

void WishRun::take_kept(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed,
                        Progress& progress) {
  const bool is_right = take(job, place, needed, progress);
  const std::lock_guard lock(mutex_);
  if (!is_right) ++num_stuck_;
}

std::string WishRun::end(TreeCounts& counts) {
  if (before_ == Before::same && num_stuck_ == 0) return "";
  if (before_ == Before::no_record) {
    tell_others(counts);
    return "";
  }
  if (sealing_.options.update_recipients) return end_update(counts);
  return before_ == Before::other ? end_other(counts) : end_silent(counts);
}

std::string WishRun::end_update(TreeCounts& counts) const {
  if (num_stuck_ == 0 && counts.num_failed == 0) return wish();
  if (num_stuck_ != 0) {
    counts.why_other_wish =
        containers(num_stuck_, "whose file is gone or skipped stays", "whose files are gone or skipped stay") +
        " for other recipients, or bound otherwise: the run opens none of them; "
        "`phalanx recipients` changes them";
  }
  return mixed_wish;
}

void WishRun::tell_others(TreeCounts& counts) const {
  if (num_left_ == 0) return;
  counts.why_other_wish = containers(num_left_, "of earlier runs is", "of earlier runs are") +
                          " for other recipients than are given, or bound otherwise" + to_run() +
                          " brings them to what is asked for";
}

std::string WishRun::end_silent(TreeCounts& counts) const {
  tell_others(counts);
  if (num_left_ != 0) return mixed_wish;
  if (num_unknown_ != 0) {
    counts.why_other_wish = "whom " + containers(num_unknown_, "of earlier runs is", "of earlier runs are") +
                            " sealed for is not recorded, and public keys do not show" + to_run() + " makes sure";
  }
  return counts.num_failed == 0 ? wish() : "";
}

// If no container of before is left, all are as the options ask.
std::string WishRun::end_other(TreeCounts& counts) const {
  if (num_left_ == 0) return counts.num_failed == 0 ? wish() : "";
  counts.why_other_wish = "earlier runs were asked for other recipients, or another suite or binding, and " +
                          containers(num_left_, "stays as it was", "stay as they were") + to_run() +
                          " brings them to what is asked for now";
  return "";
}

}  // namespace phalanx

#include "migration/trees/claimed_containers.hpp"

#include <utility>

namespace phalanx {

void ClaimedContainers::claim(const FileIdentity& container, const std::string& name) {
  const std::lock_guard lock(mutex_);
  claimed_[container] = name;
}

ClaimedContainers::Attempt::Attempt(ClaimedContainers& claims, const std::string& name) : claims_(claims), name_(name) {
  const std::lock_guard lock(claims_.mutex_);
  number_ = claims_.num_attempts_++;
  claims_.unclaimed_.insert(number_);
}

ClaimedContainers::Attempt::~Attempt() {
  claims_.end_wait_for(number_);
  if (!claimed_) return;
  const std::lock_guard lock(claims_.mutex_);
  claims_.claimed_.erase(*claimed_);
}

void ClaimedContainers::Attempt::claim(const FileIdentity& container) {
  claims_.claim(claimed_.emplace(container), name_);
  claims_.end_wait_for(number_);
}

void ClaimedContainers::Attempt::await_others() {
  claims_.end_wait_for(number_);
  std::unique_lock lock(claims_.mutex_);
  const std::uint64_t later = claims_.num_attempts_;
  claims_.changed_.wait(lock, [&] { return claims_.unclaimed_.empty() || *claims_.unclaimed_.begin() >= later; });
}

void ClaimedContainers::end_wait_for(std::uint64_t attempt) {
  const std::lock_guard lock(mutex_);
  if (unclaimed_.erase(attempt) != 0) changed_.notify_all();
}

// Most runs meet no container that is there already, and then need not look for a million of them.
void ClaimedContainers::find_orphans() {
  if (orphans_) return;
  Names orphans;
  manifest_.for_each_done([&](const ManifestRecord& record) {
    const auto old_file = record.deleted ? std::nullopt : stamp_at(files_.folder().path_of(record.name));
    if (old_file && (!record.removing || is_source_of(record, *old_file))) return;
    const auto container = identity_at(files_.out_path(record.container()));
    if (container) orphans.emplace(*container, record.name);
  });
  orphans_ = std::move(orphans);
}

void ClaimedContainers::refuse_another(const std::string& path, const std::string& name) {
  const auto container = identity_at(path);
  if (!container) return;
  const std::lock_guard lock(mutex_);
  const auto claimed = claimed_.find(*container);
  if (claimed != claimed_.end()) {
    if (claimed->second == name) return;
    throw Error(ErrorCode::usage, path + " is already the container of " + claimed->second +
                                      ": both names lead to one file there; rename one of the two old files");
  }
  find_orphans();
  const auto orphan = orphans_->find(*container);
  if (orphan == orphans_->end() || orphan->second == name) return;
  throw Error(ErrorCode::usage, path + " is the container of " + orphan->second +
                                    ", which is gone, and is never replaced: rename the old file " + name);
}

bool ClaimedContainers::is_only_copy(const std::string& path) {
  const auto container = identity_at(path);
  if (!container) return false;
  const std::lock_guard lock(mutex_);
  find_orphans();
  return orphans_->contains(*container);
}

}  // namespace phalanx

#include "files/container/results/output_registry.hpp"

#include <phalanx/error.hpp>

#include "files/system/output/sibling_path.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

bool is_same(const OutputRegistry::Source& one, const OutputRegistry::Source& other) {
  return one.identity && other.identity ? *one.identity == *other.identity : one.name == other.name;
}

}  // namespace

OutputRegistry::Attempt::Attempt(OutputRegistry& registry, const Source& source) : registry_(registry), source_(source) {
  const std::lock_guard lock(registry_.mutex_);
  number_ = registry_.num_attempts_++;
  registry_.unclaimed_.insert(number_);
}

OutputRegistry::Attempt::~Attempt() {
  registry_.end_wait_for(number_);
  if (!claimed_) return;
  const std::lock_guard lock(registry_.mutex_);
  registry_.sources_.erase(*claimed_);
}

void OutputRegistry::Attempt::claim(const FileIdentity& output) {
  registry_.add(claimed_.emplace(output), source_);
  registry_.end_wait_for(number_);
}

void OutputRegistry::Attempt::await_others() {
  registry_.end_wait_for(number_);
  std::unique_lock lock(registry_.mutex_);
  const std::uint64_t later = registry_.num_attempts_;
  registry_.changed_.wait(lock, [&] { return registry_.unclaimed_.empty() || *registry_.unclaimed_.begin() >= later; });
}

void OutputRegistry::end_wait_for(std::uint64_t attempt) {
  const std::lock_guard lock(mutex_);
  if (unclaimed_.erase(attempt) != 0) changed_.notify_all();
}

void OutputRegistry::make(const Source& source, const std::string& path,
                          const std::function<void(const Claim& claim)>& make) {
  Attempt attempt(*this, source);
  // A rival's file gets its name at any moment. So the name is looked at last, and neither file is missed.
  const auto refuse_rivals = [&](bool has_rival) {
    const std::string partial = sibling_path(path, partial_suffix);
    if (has_rival || identity_at(partial) || identity_at(path)) attempt.await_others();
    refuse_another(partial, source);
    refuse_another(path, source);
  };
  try {
    make([&](const FileIdentity& output) {
      attempt.claim(output);
      refuse_another(path, source);
    });
    attempt.succeed();
  } catch (const Error& error) {
    // A rival that took our new file for one of a killed run has removed it, and may not have made its own yet.
    refuse_rivals(error.code() == ErrorCode::usage);
    throw;
  } catch (...) {
    refuse_rivals(false);
    throw;
  }
}

bool OutputRegistry::is_taken_again(const Source& source, const std::string& path) {
  const std::lock_guard lock(mutex_);
  return source.identity && !taken_.emplace(*source.identity, path).second;
}

void OutputRegistry::add(const FileIdentity& output, const Source& source) {
  const std::lock_guard lock(mutex_);
  sources_[output] = source;
}

bool OutputRegistry::contains(const FileIdentity& output) {
  const std::lock_guard lock(mutex_);
  return sources_.contains(output);
}

bool OutputRegistry::is_of(const FileIdentity& output, const std::string& path, const Source& source) {
  const std::lock_guard lock(mutex_);
  const auto found = sources_.find(output);
  if (found == sources_.end()) return false;
  if (is_same(found->second, source)) return true;
  throw Error(ErrorCode::usage, path + words_.is_of + found->second.name + words_.so);
}

void OutputRegistry::refuse_another(const std::string& path, const Source& source) {
  const auto output = identity_at(path);
  if (output && !is_of(*output, path, source) && refuse_also_) refuse_also_(*output, path, source);
}

}  // namespace phalanx

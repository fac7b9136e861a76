#include "container/trees/made_results.hpp"

#include <phalanx/error.hpp>

namespace phalanx {

MadeResults::Attempt::~Attempt() {
  if (!claimed_) return;
  const std::lock_guard lock(made_.mutex_);
  made_.made_.erase(*claimed_);
}

void MadeResults::Attempt::claim(const FileIdentity& result) {
  made_.add(result, source_);
  claimed_ = result;
}

void MadeResults::add(const FileIdentity& result, const Source& source) {
  const std::lock_guard lock(mutex_);
  made_[result] = source;
}

bool MadeResults::contains(const FileIdentity& result) const {
  const std::lock_guard lock(mutex_);
  return made_.contains(result);
}

bool MadeResults::is_empty() const {
  const std::lock_guard lock(mutex_);
  return made_.empty();
}

bool MadeResults::is_of(const FileIdentity& result, const std::string& path, const Source& source) const {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find(result);
  if (found == made_.end()) return false;
  if (found->second.identity == source.identity) return true;
  throw Error(ErrorCode::usage, path + " was made of " + found->second.path +
                                    " by this run: both names lead to one file there; rename one of the two");
}

}  // namespace phalanx

// A count that a process shares with those that it forks: a key's uses are limited, whoever has a copy of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace phalanx {

/// In memory of its own, a page, which children have in common with their parent.
class SharedCount {
 public:
  /// Throws Error (runtime) if there is no memory.
  explicit SharedCount(std::uint64_t initial);
  ~SharedCount();
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  [[nodiscard]] std::uint64_t value() const { return count_->load(); }
  /// Adds `more` unless that would exceed `most`: then it is false, and nothing is added.
  [[nodiscard]] bool add_up_to(std::uint64_t most, std::uint64_t more);

 private:
  std::atomic<std::uint64_t>* count_;
};

}  // namespace phalanx

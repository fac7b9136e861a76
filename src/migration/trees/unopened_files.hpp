// When a run is given up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <phalanx/error.hpp>

namespace phalanx {

/// How many files of a run could not be opened, and why.
class UnopenedFiles {
 public:
  /// One that was tried.
  void add(bool unopened, ErrorCode code) {
    ++num_tried_;
    if (!unopened) return;
    ++total_;
    ++by_code_[code];
  }

  /// Twenty at least, and more than half.
  [[nodiscard]] bool are_most() const { return total_ >= 20 && total_ * 2 > num_tried_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t num_tried() const { return num_tried_; }
  /// There is one at least.
  [[nodiscard]] ErrorCode most_frequent() const {
    return std::ranges::max_element(by_code_, {}, [](const auto& entry) { return entry.second; })->first;
  }

 private:
  std::map<ErrorCode, std::uint64_t> by_code_;
  std::uint64_t num_tried_ = 0, total_ = 0;
};

}  // namespace phalanx

// What trying passphrases costs over a run of many containers: each is within its limits, and all together may take hours.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "files/container/format/header.hpp"

namespace phalanx {

/// Any number of threads tells it of containers.
class ScryptSum {
 public:
  /// Reads the headers of the containers that are to be opened; what is none costs nothing here, and is told elsewhere.
  /// `limits` are those of each, `warn` hears of a sum that is more than one container may cost.
  void expect(const std::vector<std::string>& paths, std::size_t num_passphrases, const CostLimits& limits,
              std::function<void(const std::string& note)> warn);

  /// One of them is to be opened. From the second on the sum is told, with the time that is left as far as can be said, at
  /// once and then each minute.
  void add(const ContainerHeader& header);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::uint64_t cost_of(const ContainerHeader& header) const;
  [[nodiscard]] std::string text() const;

  std::size_t num_passphrases_ = 0;
  CostLimits limits_;
  std::function<void(const std::string& note)> warn_;
  std::uint64_t planned_bytes_ = 0;
  std::mutex mutex_;
  std::uint64_t done_bytes_ = 0;
  Clock::time_point begun_, told_;
  bool is_told_ = false;
};

}  // namespace phalanx

// This sums what trying passphrases costs over a run of many containers. Each is within its limits, and all together may
// take hours. Containers that share a salt cost one derivation together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "files/container/format/header.hpp"

namespace phalanx {

/// Any number of threads may tell it of containers.
class ScryptSum {
 public:
  /// Reads the headers of the containers that are to be opened. A file that is none costs nothing, and is told of elsewhere.
  /// `limits` are those of each. If all together cost more than one container may, `warn` is told at once how many need a
  /// derivation of their own. It is told how long that takes, too.
  void expect(const std::vector<std::string>& paths, std::size_t num_passphrases, const CostLimits& limits,
              std::function<void(const std::string& note)> warn);

  /// Is called before one of them is opened. Where expect has told of the sum, the time that is left is told each minute.
  void add(const ContainerHeader& header);

 private:
  using Clock = std::chrono::steady_clock;
  /// Maps what scrypt is asked for to the number of passphrases that it is asked for.
  using Derivations = std::map<std::string, std::uint64_t>;

  [[nodiscard]] std::uint64_t take(const ContainerHeader& header, Derivations& known) const;
  [[nodiscard]] std::string text_before(std::uint64_t num_containers) const;
  [[nodiscard]] std::string text_meanwhile() const;

  std::size_t num_passphrases_ = 0;
  CostLimits limits_;
  std::function<void(const std::string& note)> warn_;
  std::uint64_t planned_bytes_ = 0;
  std::mutex mutex_;
  Derivations begun_with_;
  std::uint64_t done_bytes_ = 0;
  Clock::time_point begun_, told_;
};

/// Tells ahead, as ScryptSum::expect does, what a run costs that opens these containers with its recipients' passphrases.
void say_scrypt_of(const std::vector<std::string>& paths, std::span<const Recipient> recipients,
                   const std::function<void(const std::string& note)>& warn);

}  // namespace phalanx

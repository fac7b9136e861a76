// What trying passphrases costs over a run of many containers: each is within its limits, and all together may take hours.
// Containers that share a salt cost one derivation together.
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

/// Any number of threads tells it of containers.
class ScryptSum {
 public:
  /// Reads the headers of the containers that are to be opened; what is none costs nothing here, and is told elsewhere.
  /// `limits` are those of each. Where all together cost more than one container may, `warn` hears at once how many need a
  /// derivation of their own, and about how long that takes.
  void expect(const std::vector<std::string>& paths, std::size_t num_passphrases, const CostLimits& limits,
              std::function<void(const std::string& note)> warn);

  /// One of them is to be opened. Where expect has told of the sum, the time that is left is told each minute.
  void add(const ContainerHeader& header);

 private:
  using Clock = std::chrono::steady_clock;
  /// By what scrypt is asked for: for how many passphrases.
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

/// Tells ahead, as ScryptSum::expect does, what a run costs that opens these containers by what its recipients hold.
void say_scrypt_of(const std::vector<std::string>& paths, std::span<const Recipient> recipients,
                   const std::function<void(const std::string& note)>& warn);

}  // namespace phalanx

#include "program/cli/options/scrypt_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/container/file/stream_reader.hpp"
#include "files/container/format/recipient.hpp"
#include "files/system/input.hpp"

namespace phalanx {
namespace {

constexpr std::chrono::minutes between_notes{1};

std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.0f} h", seconds / hour);
}

}  // namespace

// As open_header tries them: the cheapest first, as far as both limits go.
std::uint64_t ScryptSum::cost_of(const ContainerHeader& header) const {
  std::vector<std::uint64_t> costs;
  for (const WrappedKey& wrapped : header.wrapped_keys) {
    if (wrapped.is(KeyKind::passphrase)) costs.push_back(scrypt_bytes(scrypt_cost_of(wrapped)));
  }
  std::ranges::sort(costs);
  std::uint64_t sum = 0;
  for (const std::uint64_t cost : costs) {
    if (cost > limits_.one_passphrase) break;
    const std::uint64_t room = (limits_.all_passphrases - sum) / cost;
    sum += cost * std::min<std::uint64_t>(room, num_passphrases_);
    if (room < num_passphrases_) break;
  }
  return sum;
}

void ScryptSum::expect(const std::vector<std::string>& paths, std::size_t num_passphrases, const CostLimits& limits,
                       std::function<void(const std::string& note)> warn) {
  num_passphrases_ = num_passphrases;
  limits_ = limits;
  warn_ = std::move(warn);
  begun_ = Clock::now();
  for (const std::string& path : paths) {
    try {
      Input input(path);
      planned_bytes_ += cost_of(read_header(input));
    } catch (const Error&) {
      continue;
    }
  }
}

std::string ScryptSum::text() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const std::uint64_t left = planned_bytes_ - done_bytes_;
  const double seconds_left = seconds * static_cast<double>(left) / static_cast<double>(done_bytes_);
  return fmt::format(
      "note: to try passphrases on all of these containers costs {} MiB of scrypt, of which {} are done: about {} left; a "
      "key "
      "costs none",
      planned_bytes_ >> 20, done_bytes_ >> 20, duration_text(seconds_left));
}

void ScryptSum::add(const ContainerHeader& header) {
  if (!warn_ || planned_bytes_ <= limits_.all_passphrases) return;
  const std::lock_guard lock(mutex_);
  const bool is_due = !is_told_ || Clock::now() - told_ >= between_notes;
  if (is_due && done_bytes_ != 0 && done_bytes_ < planned_bytes_) {
    is_told_ = true;
    told_ = Clock::now();
    warn_(text());
  }
  done_bytes_ += cost_of(header);
}

}  // namespace phalanx

#include "program/cli/options/scrypt_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <phalanx/bytes.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <utility>

#include "files/container/file/stream_reader.hpp"
#include "files/container/format/recipient.hpp"
#include "files/system/input.hpp"

namespace phalanx {
namespace {

constexpr std::chrono::minutes between_notes{1};
constexpr ScryptCost sample{14, 8, 1};  // 16 MiB: more than most caches have, and a few hundredths of a second

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.0f} h", seconds / hour);
}

double seconds_for(std::uint64_t num_bytes) {
  SecretBytes key(32);
  const Clock::time_point begun = Clock::now();
  derive_scrypt(bytes_of("passphrase"), bytes_of("salt"), sample.log2_n, sample.r, sample.p, key);
  return seconds_since(begun) * static_cast<double>(num_bytes) / static_cast<double>(scrypt_bytes(sample));
}

std::vector<const WrappedKey*> passphrase_records_by_cost(const ContainerHeader& header) {
  std::vector<const WrappedKey*> records;
  for (const WrappedKey& wrapped : header.wrapped_keys) {
    if (wrapped.is(KeyKind::passphrase)) records.push_back(&wrapped);
  }
  std::ranges::stable_sort(records, {}, [](const WrappedKey* record) { return scrypt_bytes(scrypt_cost_of(*record)); });
  return records;
}

}  // namespace

// Takes passphrases as open_header tries them: the cheapest first, as far as both limits go. Derivations that are known were
// done for another container. Returns the cost of those that are not.
std::uint64_t ScryptSum::take(const ContainerHeader& header, Derivations& known) const {
  std::uint64_t left = limits_.all_passphrases, new_bytes = 0;
  for (const WrappedKey* record : passphrase_records_by_cost(header)) {
    const std::uint64_t cost = scrypt_bytes(scrypt_cost_of(*record));
    if (cost > limits_.one_passphrase) break;
    const std::uint64_t num_tried = std::min<std::uint64_t>(left / cost, num_passphrases_);
    left -= num_tried * cost;
    std::uint64_t& num_known = known[scrypt_request_id(header.fixed_part(), *record)];
    new_bytes += cost * (std::max(num_tried, num_known) - num_known);
    num_known = std::max(num_tried, num_known);
    if (num_tried < num_passphrases_) break;
  }
  return new_bytes;
}

void ScryptSum::expect(const std::vector<std::string>& paths, std::size_t num_passphrases, const CostLimits& limits,
                       std::function<void(const std::string& note)> warn) {
  num_passphrases_ = num_passphrases;
  limits_ = limits;
  Derivations planned;
  std::uint64_t num_containers = 0;
  for (const std::string& path : paths) {
    try {
      Input input(path);
      const std::uint64_t new_bytes = take(read_header(input), planned);
      planned_bytes_ += new_bytes;
      if (new_bytes != 0) ++num_containers;
    } catch (const Error&) {
      continue;
    }
  }
  if (!warn || planned_bytes_ <= limits_.all_passphrases) return;
  warn_ = std::move(warn);
  warn_(text_before(num_containers));
  begun_ = told_ = Clock::now();
}

std::string ScryptSum::text_before(std::uint64_t num_containers) const {
  return fmt::format(
      "note: {} of these containers {} a derivation of {} own from a passphrase, {} MiB of scrypt in all: about {}; a key "
      "needs none",
      num_containers, num_containers == 1 ? "needs" : "need", num_containers == 1 ? "its" : "their", planned_bytes_ >> 20,
      duration_text(seconds_for(planned_bytes_)));
}

std::string ScryptSum::text_meanwhile() const {
  const auto left = static_cast<double>(planned_bytes_ - done_bytes_);
  const double seconds_left = seconds_since(begun_) * left / static_cast<double>(done_bytes_);
  return fmt::format("note: {} MiB of {} MiB of scrypt are done: about {} left", done_bytes_ >> 20, planned_bytes_ >> 20,
                     duration_text(seconds_left));
}

void ScryptSum::add(const ContainerHeader& header) {
  if (!warn_) return;
  const std::lock_guard lock(mutex_);
  if (Clock::now() - told_ >= between_notes && done_bytes_ != 0 && done_bytes_ < planned_bytes_) {
    told_ = Clock::now();
    warn_(text_meanwhile());
  }
  done_bytes_ += take(header, begun_with_);
}

void say_scrypt_of(const std::vector<std::string>& paths, std::span<const Recipient> recipients,
                   const std::function<void(const std::string& note)>& warn) {
  const auto num_passphrases = std::ranges::count(recipients, KeyKind::passphrase, &Recipient::kind);
  if (num_passphrases != 0) ScryptSum().expect(paths, static_cast<std::size_t>(num_passphrases), {}, warn);
}

}  // namespace phalanx

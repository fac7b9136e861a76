#include "bench/reporting/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/cli/console/size_text.hpp"

namespace phalanx::bench {
namespace {

// Against the fastest peer, or for large messages against memory.
std::string compare(const Figure& figure, const Measurement& measurement) {
  if (figure.kind != Kind::engine) return "";
  const Figure* fastest = fastest_peer(measurement);
  const Figure* memory = nullptr;
  for (const Figure& other : measurement.figures) {
    if (other.kind == Kind::memory && memory == nullptr) memory = &other;
  }
  std::string text;
  if (fastest != nullptr) {
    text = fmt::format("{:.2f} x {}", ratio(figure, *fastest), describe_contender(*fastest, measurement));
  }
  if (memory != nullptr)
    text += fmt::format("{}{:.2f} of {}", text.empty() ? "" : "; ", ratio(figure, *memory), memory->name);
  return text;
}

std::string share_of_limit(const Figure& figure) {
  if (!figure.limit_cycles_per_byte) return "";
  const double limit = *figure.limit_cycles_per_byte / figure.num_threads;
  return fmt::format("{:.0f} %", 100 * limit / figure.cycles_per_byte.median);
}

std::string spread(const Figure& figure) {
  const double half = (figure.seconds.high - figure.seconds.low) / 2 / figure.seconds.median;
  return fmt::format("{:.0f} %", 100 * half);
}

}  // namespace

const Figure* find_figure(const Measurement& measurement, const std::string& name) {
  const auto found = std::find_if(measurement.figures.begin(), measurement.figures.end(),
                                  [&](const Figure& figure) { return figure.name == name && figure.num_threads == 1; });
  return found == measurement.figures.end() ? nullptr : &*found;
}

const Figure* fastest_peer(const Measurement& measurement) {
  const Figure* fastest = nullptr;
  for (const Figure& figure : measurement.figures) {
    if (figure.kind == Kind::peer && (fastest == nullptr || ratio(figure, *fastest) > 1)) fastest = &figure;
  }
  return fastest;
}

std::string describe_contender(const Figure& figure, const Measurement& measurement) {
  const bool stands_in = figure.kind == Kind::peer && figure.ran != measurement.full_name();
  return stands_in ? figure.name + " in ECB" : figure.name;
}

std::string describe_time(double seconds) {
  for (const auto& [unit, length] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}}) {
    if (seconds >= length) return fmt::format("{:.3g} {}", seconds / length, unit);
  }
  return fmt::format("{:.1f} ns", seconds * 1e9);
}

std::string describe_job(const Measurement& measurement) {
  std::string text = fmt::format("{} {} ", measurement.full_name(), measurement.direction.substr(0, 3));
  if (measurement.num_messages > 1) text += fmt::format("{} x ", measurement.num_messages);
  text += size_text(measurement.message_bytes);
  if (measurement.keys != "one") text += fmt::format(", {} keys", measurement.keys);
  if (measurement.in_place) text += ", in place";
  if (measurement.one_pass) text += ", one pass";
  return text;
}

std::string table_header(const Results& results) {
  std::string peers;
  for (const PeerVersion& peer : results.peers)
    peers += fmt::format("{}{} {}", peers.empty() ? "" : ", ", peer.name, peer.version);
  return fmt::format(
      "{}; {} cores; phalanx {}{}{}; libraries here: {}\nMedians of samples taken in turn; every output was compared, byte "
      "for "
      "byte, before and after.\n\n{:<36} {:<18} {:>7} {:>10} {:>9} {:>6} {:>6} {:>9}  {}\n",
      results.cpu, results.num_cores, results.version, results.commit.empty() ? "" : " ", results.commit, peers,
      "cipher, mode, direction, message", "by", "threads", "MB/s", "c/B", "+-", "limit", "a call",
      "times as fast as the best other");
}

std::string table_rows(const Measurement& measurement) {
  std::string text;
  for (const Figure& figure : measurement.figures) {
    text += fmt::format(
        "{:<36} {:<18} {:>7} {:>10.1f} {:>9.3f} {:>6} {:>6} {:>9}  {}\n", text.empty() ? describe_job(measurement) : "",
        describe_contender(figure, measurement), figure.num_threads, figure.megabytes_per_second,
        figure.cycles_per_byte.median, spread(figure), share_of_limit(figure),
        describe_time(figure.seconds.median / static_cast<double>(measurement.num_messages)), compare(figure, measurement));
  }
  return text;
}

}  // namespace phalanx::bench

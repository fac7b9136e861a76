#include "bench/reporting/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/reporting/result_table.hpp"

namespace phalanx::bench {
namespace {

// The judge of one measurement's target.
class Judge {
 public:
  Judge(const Results& results, const Measurement& measurement, const Figure& figure, std::vector<Verdict>& verdicts)
      : results_(results), measurement_(measurement), figure_(figure), verdicts_(verdicts) {}

  void judge() {
    for (const auto& [name, times] : measurement_.target->ratios) {
      const Figure* peer = find_figure(measurement_, name);
      if (peer != nullptr) at_least(times, ratio(figure_, *peer), " x " + describe_contender(*peer, measurement_));
    }
    for (const auto& [name, goal] : measurement_.target->goals) judge_goal(name, goal);
  }

 private:
  void judge_goal(const std::string& name, double goal) {
    const double cycles_per_byte = figure_.cycles_per_byte.median;
    if (name == "cycles_per_byte") at_most(goal, cycles_per_byte, " c/B");
    if (name == "stretch_cycles_per_byte") at_most(goal, cycles_per_byte, " c/B (stretch)");
    if (name == "nanoseconds") {
      at_most(goal, figure_.seconds.median / static_cast<double>(measurement_.num_messages) * 1e9, " ns a call");
    }
    if (name == "share_of_memory") {
      for (const Figure& other : measurement_.figures) {
        if (other.kind == Kind::memory) return at_least(goal, ratio(figure_, other), " of " + other.name);
      }
    }
    if (name == "efficiency") judge_efficiency(goal);
    if (name == "share_of_64K") {
      const Figure* other = same_engine_in(measurement_.mode);
      if (other != nullptr)
        at_least(goal, figure_.megabytes_per_second / other->megabytes_per_second, " of the rate at 64K");
    }
    if (name == "cycles_per_byte_above_ctr") {
      const Figure* other = same_engine_in("ctr");
      if (other != nullptr) at_most(goal, cycles_per_byte - other->cycles_per_byte.median, " c/B above CTR");
    }
  }

  void judge_efficiency(double goal) {
    for (const Figure& other : measurement_.figures) {
      if (other.name != figure_.name || other.num_threads == 1) continue;
      at_least(goal, ratio(other, figure_) / other.num_threads, fmt::format(" efficiency of {} threads", other.num_threads));
    }
  }

  // The figure of the same cipher, engine and direction for one message of 64 KiB.
  [[nodiscard]] const Figure* same_engine_in(const std::string& mode) const {
    for (const Measurement& other : results_.measurements) {
      const bool usual = other.message_bytes == 65536 && other.num_messages == 1 && !other.in_place;
      if (!usual || other.cipher != measurement_.cipher || other.mode != mode || other.direction != measurement_.direction)
        continue;
      if (const Figure* found = find_figure(other, figure_.name)) return found;
    }
    return nullptr;
  }

  void at_least(double goal, double reached, const std::string& unit) {
    add(goal, reached, unit, "at least", reached >= goal);
  }
  void at_most(double goal, double reached, const std::string& unit) {
    add(goal, reached, unit, "at most", reached <= goal);
  }
  void add(double goal, double reached, const std::string& unit, const char* bound, bool met) {
    verdicts_.push_back({.job = describe_job(measurement_),
                         .engine = figure_.name,
                         .asked = fmt::format("{} {:g}{}", bound, goal, unit),
                         .reached = fmt::format("{:.3g}", reached),
                         .met = met});
  }

  const Results& results_;
  const Measurement& measurement_;
  const Figure& figure_;
  std::vector<Verdict>& verdicts_;
};

}  // namespace

std::vector<Verdict> verdicts_of(const Results& results) {
  std::vector<Verdict> verdicts;
  for (const Measurement& measurement : results.measurements) {
    if (!measurement.target || measurement.figures.empty()) continue;
    const std::string& engine = measurement.target->engine;
    const Figure* figure = find_figure(measurement, engine == "auto" ? measurement.figures.front().name : engine);
    if (figure != nullptr) Judge(results, measurement, *figure, verdicts).judge();
  }
  return verdicts;
}

std::string verdict_table(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return "";
  std::string text = fmt::format("{:<36} {:<12} {:<40} {:<8} {}\n", "target of", "engine", "asked", "reached", "verdict");
  for (const Verdict& v : verdicts) {
    text += fmt::format("{:<36} {:<12} {:<40} {:<8} {}\n", v.job, v.engine, v.asked, v.reached, v.met ? "met" : "SHORT");
  }
  const auto num_met = std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.met; });
  return text + fmt::format("{} of {} targets met\n", num_met, verdicts.size());
}

}  // namespace phalanx::bench

#include "bench/reporting/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/reporting/result_table.hpp"

namespace phalanx::bench {
namespace {

// The judge of one measurement's target. `figure` is that of its engine; nullptr if that took no part.
class Judge {
 public:
  Judge(const Results& results, const Measurement& measurement, const Figure* figure, std::vector<Verdict>& verdicts)
      : results_(results), measurement_(measurement), figure_(figure), verdicts_(verdicts) {}

  void judge() {
    for (const auto& [name, times] : measurement_.target->ratios) judge_ratio(name, times);
    for (const auto& [name, goal] : measurement_.target->goals) judge_goal(name, goal);
  }

 private:
  void judge_ratio(const std::string& name, double times) {
    const bool any = name == fastest_of_run;
    const Figure* peer = any ? fastest_peer(measurement_) : find_figure(measurement_, name);
    if (peer == nullptr) return at_least(times, " x " + (any ? "the fastest other" : name), std::nullopt);
    const std::string who = describe_contender(*peer, measurement_);
    at_least(times, " x " + (any ? "the fastest other, " + who : who), times_as_fast(peer));
  }

  void judge_goal(const std::string& name, double goal) {
    if (name == "efficiency") judge_efficiency(goal);
    if (name == "share_of_memory") at_least(goal, " of memory's rate", times_as_fast(memory()));
    if (name == "share_of_64K") at_least(goal, " of the rate at 64K", share_of_rate(measurement_.mode));
    if (name == "share_of_ctr") at_least(goal, " of the rate of CTR", share_of_rate("ctr"));
  }

  void judge_efficiency(double goal) {
    for (const Figure& other : measurement_.figures) {
      if (figure_ == nullptr || other.name != figure_->name || other.num_threads == 1) continue;
      at_least(goal, fmt::format(" efficiency of {} threads", other.num_threads),
               ratio(other, *figure_) / other.num_threads);
    }
  }

  [[nodiscard]] const Figure* memory() const {
    const auto found = std::ranges::find(measurement_.figures, Kind::memory, &Figure::kind);
    return found == measurement_.figures.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::optional<double> times_as_fast(const Figure* other) const {
    return figure_ == nullptr || other == nullptr ? std::nullopt : std::optional(ratio(*figure_, *other));
  }

  // The share is of the rate that the same cipher, engine and direction has for one message of 64 KiB.
  [[nodiscard]] std::optional<double> share_of_rate(const std::string& mode) const {
    for (const Measurement& other : results_.measurements) {
      const bool usual = other.message_bytes == 65536 && other.num_messages == 1 && !other.in_place && !other.one_pass;
      if (figure_ == nullptr || !usual || other.cipher != measurement_.cipher || other.mode != mode ||
          other.direction != measurement_.direction) {
        continue;
      }
      const Figure* found = find_figure(other, figure_->name);
      if (found != nullptr) return figure_->megabytes_per_second / found->megabytes_per_second;
    }
    return std::nullopt;
  }

  void at_least(double goal, const std::string& of_what, std::optional<double> measured) {
    verdicts_.push_back({.job = describe_job(measurement_),
                         .engine = figure_ == nullptr ? measurement_.target->engine : figure_->name,
                         .goal = fmt::format("at least {:g}{}", goal, of_what)});
    if (!measured) return;
    verdicts_.back().measured = fmt::format("{:.3g}", *measured);
    verdicts_.back().margin = *measured / goal - 1;
  }

  const Results& results_;
  const Measurement& measurement_;
  const Figure* figure_;
  std::vector<Verdict>& verdicts_;
};

const Figure* figure_of_target(const Measurement& measurement) {
  const std::string& engine = measurement.target->engine;
  if (measurement.figures.empty()) return nullptr;
  return find_figure(measurement, engine == "auto" ? measurement.figures.front().name : engine);
}

// What an earlier run has of the same job, contender and number of threads. A plan may have a job twice: the slower of the two
// counts, for their spread is no regression.
const Figure* same_figure_in(const Results& earlier, const Measurement& measurement, const Figure& figure) {
  const Figure* slowest = nullptr;
  for (const Measurement& other : earlier.measurements) {
    if (describe_job(other) != describe_job(measurement)) continue;
    for (const Figure& candidate : other.figures) {
      if (candidate.name != figure.name || candidate.num_threads != figure.num_threads) continue;
      if (slowest == nullptr || candidate.cycles_per_byte.median > slowest->cycles_per_byte.median) slowest = &candidate;
    }
  }
  return slowest;
}

// Cycles are compared and no seconds: the clock of a processor depends on what its neighbours do.
void judge_beside_kept(const std::vector<const Results*>& kept, const Measurement& measurement, const Figure& figure,
                       std::vector<Verdict>& verdicts) {
  for (auto run = kept.rbegin(); run != kept.rend(); ++run) {
    const Figure* earlier = same_figure_in(**run, measurement, figure);
    if (earlier == nullptr) continue;
    const double share = earlier->cycles_per_byte.median / figure.cycles_per_byte.median;
    const std::string threads = figure.num_threads == 1 ? "" : fmt::format(", {} threads", figure.num_threads);
    verdicts.push_back(
        {.job = describe_job(measurement) + threads,
         .engine = figure.name,
         .goal = fmt::format("at least {:g} of the kept run of {} {}", least_share_of_kept, (*run)->date, (*run)->commit),
         .measured = fmt::format("{:.3g}", share),
         .margin = share / least_share_of_kept - 1});
    return;
  }
}

std::string row(const std::string& job, const std::string& engine, const std::string& goal, const std::string& measured,
                const std::string& verdict) {
  return fmt::format("{:<40} {:<13} {:<56} {:<8} {}\n", job, engine, goal, measured, verdict);
}

}  // namespace

std::vector<Verdict> verdicts_of(const Results& results, const std::vector<Results>& kept) {
  std::vector<Verdict> verdicts;
  for (const Measurement& measurement : results.measurements) {
    if (measurement.target) Judge(results, measurement, figure_of_target(measurement), verdicts).judge();
  }
  std::vector<const Results*> alike;
  for (const Results& run : kept) {
    if (run.cpu == results.cpu && run.compiler == results.compiler) alike.push_back(&run);
  }
  for (const Measurement& measurement : results.measurements) {
    for (const Figure& figure : measurement.figures) {
      if (figure.kind == Kind::engine) judge_beside_kept(alike, measurement, figure, verdicts);
    }
  }
  return verdicts;
}

std::string describe_margin(const Verdict& verdict) {
  if (!verdict.judged()) return "not judged";
  return fmt::format("{} by {:.2g} %", verdict.met() ? "met" : "MISSED", std::abs(100 * *verdict.margin));
}

std::string count_verdicts(const std::vector<Verdict>& verdicts) {
  const auto num_judged = std::ranges::count_if(verdicts, &Verdict::judged);
  const auto num_met = std::ranges::count_if(verdicts, &Verdict::met);
  const auto num_left = static_cast<std::ptrdiff_t>(verdicts.size()) - num_judged;
  std::string text = fmt::format("{} of {} goals met, {} missed", num_met, num_judged, num_judged - num_met);
  if (num_left > 0) text += fmt::format("; {} not judged: their engine, library or size was not measured", num_left);
  return text;
}

std::string verdict_table(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return "";
  std::string text = row("goal of", "engine", "goal", "measured", "verdict");
  for (const bool met : {true, false}) {
    for (const Verdict& v : verdicts) {
      if (v.judged() && v.met() == met) text += row(v.job, v.engine, v.goal, v.measured, describe_margin(v));
    }
  }
  return text + count_verdicts(verdicts) + "\n";
}

}  // namespace phalanx::bench

#include "bench/measuring/measuring.hpp"

#include <algorithm>

#include "bench/measuring/limits.hpp"
#include "bench/measuring/output_check.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t memory_bound_bytes = std::size_t{4} << 20;

// The run of a contender. Where all are to set keys within the time, it is prepared anew each time: each key as whoever it is takes
// it, with the memory that it is expanded into.
Run run_of(const Contender& contender, const Task& task) {
  Run run = contender.prepare(task);
  if (!run || task.key_setting != KeySetting::fresh || contender.sets_keys_in_time()) return run;
  return [&contender, &task] { contender.prepare(task)(); };
}

std::string keys_text(const Job& job) {
  if (!job.key_each) return "one";
  return job.key_setting == KeySetting::usual ? "own" : job.key_setting == KeySetting::ready ? "own, ready" : "own, fresh";
}

// One who takes part, ready to run.
struct Entrant {
  Figure figure;
  const Expected* expected = nullptr;  // null: memory, whose output means nothing
};

// One measurement in the making.
class Contest {
 public:
  Contest(const Job& job, const Selection& selection, const std::string& cpu)
      : job_(job), selection_(selection), cpu_(cpu), workload_(job), ecb_task_(workload_.task_in_ecb()) {
    seal_input_if_needed(workload_);
    expected_ = expect_output(workload_, workload_.task());
  }

  Measurement run(double seconds) {
    enter_engines();
    for (const PeerChoice& choice : selection_.peers) enter_peer(choice);
    if (job_.total_bytes() >= memory_bound_bytes) enter_memory();
    check();
    const std::vector<Series> series = sample_in_turn(runs_, seconds);
    check();
    return finish(series);
  }

 private:
  void enter(Figure figure, Run run, const Expected* expected) {
    if (expected != nullptr) figure.checked_with = expected->from;
    entrants_.push_back({.figure = std::move(figure), .expected = expected});
    runs_.push_back(std::move(run));
  }

  void enter_engines() {
    for (const std::string& engine : selection_.engines) {
      for (const int num_threads : selection_.threads) {
        Run run = run_of(*make_engine_contender(engine, num_threads), workload_.task());
        if (!run) continue;
        Figure figure{.name = engine, .kind = Kind::engine, .ran = full_name(job_.cipher), .num_threads = num_threads};
        figure.limit_cycles_per_byte = limit_cycles_per_byte(job_, engine, cpu_);
        enter(std::move(figure), std::move(run), &expected_);
      }
    }
  }

  void enter_peer(const PeerChoice& choice) {
    const auto& peer =
        **std::find_if(all_peers().begin(), all_peers().end(), [&](const auto& p) { return p->name() == choice.name; });
    if (!choice.in_ecb || job_.cipher.mode == Mode::ecb) {
      if (Run run = run_of(peer, workload_.task())) {
        enter({.name = peer.name(), .kind = Kind::peer, .ran = full_name(job_.cipher)}, std::move(run), &expected_);
        return;
      }
    }
    if (job_.cipher.mode != Mode::ecb) enter_in_ecb(peer);
  }

  // A peer that lacks the mode is timed in ECB: its bare cipher, which no mode of its would beat by much.
  void enter_in_ecb(const Contender& peer) {
    Run run = run_of(peer, ecb_task_);
    if (!run) return;
    if (ecb_expected_.from.empty()) ecb_expected_ = expect_output(workload_, ecb_task_);
    enter({.name = peer.name(), .kind = Kind::peer, .ran = full_name(ecb_task_.cipher)}, std::move(run), &ecb_expected_);
  }

  void enter_memory() {
    for (const bool in_place : {true, false}) {
      if (!in_place && job_.in_place) continue;
      const auto memory = make_memory_contender(in_place);
      enter({.name = memory->name(), .kind = Kind::memory}, memory->prepare(workload_.task()), nullptr);
    }
  }

  void check() {
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (entrants_[i].expected != nullptr)
        check_output(workload_, *entrants_[i].expected, runs_[i], entrants_[i].figure.name);
    }
    workload_.reset();
  }

  Measurement finish(const std::vector<Series>& series) {
    Measurement measurement{.cipher = job_.cipher.cipher->name,
                            .mode = mode_names()[static_cast<unsigned>(job_.cipher.mode)],
                            .direction = job_.direction == Direction::encrypt ? "encrypt" : "decrypt",
                            .message_bytes = job_.message_bytes,
                            .num_messages = job_.num_messages,
                            .keys = keys_text(job_),
                            .in_place = job_.in_place,
                            .one_pass = job_.one_pass};
    const auto bytes = static_cast<double>(job_.total_bytes());
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      Figure figure = entrants_[i].figure;
      std::vector<double> cycles_per_byte = series[i].cycles;
      for (double& value : cycles_per_byte) value /= bytes;
      figure.num_samples = series[i].seconds.size();
      figure.seconds = quartiles_of(series[i].seconds);
      figure.cycles_per_byte = quartiles_of(std::move(cycles_per_byte));
      figure.megabytes_per_second = bytes / figure.seconds.median / 1e6;
      measurement.figures.push_back(std::move(figure));
    }
    return measurement;
  }

  Job job_;
  const Selection& selection_;
  const std::string& cpu_;
  Workload workload_;
  Expected expected_;
  Task ecb_task_;
  Expected ecb_expected_;  // made when the first peer stands in with ECB
  std::vector<Entrant> entrants_;
  std::vector<Run> runs_;
};

}  // namespace

Measurement measure(const Job& job, const Selection& selection, const std::string& cpu, double seconds) {
  Measurement measurement = Contest(job, selection, cpu).run(seconds);
  if (selection.target) measurement.target = selection.target;
  return measurement;
}

}  // namespace phalanx::bench

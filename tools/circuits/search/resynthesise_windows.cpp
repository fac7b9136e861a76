// Makes a circuit smaller window by window: some neighbouring gates are taken out, and exact synthesis puts back as few as
// can be, or as many but others, so that the next windows differ. See README.md.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "netlist.hpp"
#include "options.hpp"
#include "random.hpp"

namespace circuits {
namespace {

// Gates taken out together: what they read from outside, and which of them are read outside.
struct Window {
  std::vector<int> gates;
  std::vector<int> inputs;
  std::vector<int> outputs;
};

class Resynthesis {
 public:
  Resynthesis(Netlist netlist, std::uint64_t seed, int max_conflicts)
      : netlist_(std::move(netlist)), random_(seed), max_conflicts_(max_conflicts) {
    renew();
  }

  const Netlist& netlist() const { return netlist_; }
  void replace(const Netlist& netlist) {
    netlist_ = netlist;
    renew();
  }

  // One window of so many gates.
  void step(int size) {
    const std::optional<Window> window = choose(size);
    if (!window) return;
    const ExactTask task = task_of(*window);
    const int count = static_cast<int>(window->gates.size());
    ExactResult result = synthesise(task, count - 1, random_.next(), max_conflicts_);
    if (result.verdict != ExactResult::found && random_.one_in(2)) {
      result = synthesise(task, count, random_.next(), max_conflicts_);
    }
    if (result.verdict == ExactResult::found) put_back(*window, result);
  }

 private:
  static constexpr std::size_t max_window_inputs = 10;

  void renew() {
    values_ = netlist_.values();
    readers_.assign(static_cast<std::size_t>(netlist_.num_signals()), {});
    for (int i = netlist_.num_inputs(); i < netlist_.num_signals(); ++i) {
      for (int k = 0; k < netlist_.gate_inputs; ++k) readers_[index(netlist_.gate_of(i).in[k])].insert(i);
    }
  }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // A gate and neighbours of it, one after another.
  std::optional<Window> choose(int size) {
    std::set<int> taken = {netlist_.num_inputs() + random_.below(static_cast<int>(netlist_.gates.size()))};
    while (static_cast<int>(taken.size()) < size) {
      std::vector<int> near;
      for (const int gate : taken) {
        for (int k = 0; k < netlist_.gate_inputs; ++k) near.push_back(netlist_.gate_of(gate).in[k]);
        near.insert(near.end(), readers_[index(gate)].begin(), readers_[index(gate)].end());
      }
      std::erase_if(near, [&](int i) { return i < netlist_.num_inputs() || taken.count(i) != 0; });
      if (near.empty()) break;
      taken.insert(near[index(random_.below(static_cast<int>(near.size())))]);
    }
    return bounds_of(taken);
  }

  std::optional<Window> bounds_of(const std::set<int>& taken) {
    Window window;
    window.gates.assign(taken.begin(), taken.end());
    std::set<int> inputs;
    for (const int gate : taken) {
      for (int k = 0; k < netlist_.gate_inputs; ++k) {
        if (taken.count(netlist_.gate_of(gate).in[k]) == 0) inputs.insert(netlist_.gate_of(gate).in[k]);
      }
      const auto& outputs = netlist_.outputs;
      const bool is_output = std::find(outputs.begin(), outputs.end(), gate) != outputs.end();
      const auto& readers = readers_[index(gate)];
      if (is_output || std::any_of(readers.begin(), readers.end(), [&](int i) { return taken.count(i) == 0; })) {
        window.outputs.push_back(gate);
      }
    }
    window.inputs.assign(inputs.begin(), inputs.end());
    if (window.inputs.size() > max_window_inputs || returns(taken, inputs)) return std::nullopt;
    return window;
  }
  // Whether some input of the window depends on a gate of it.
  bool returns(const std::set<int>& taken, const std::set<int>& inputs) {
    std::vector<bool> below(index(netlist_.num_signals()));
    for (int i = netlist_.num_inputs(); i < netlist_.num_signals(); ++i) {
      below[index(i)] = taken.count(i) != 0;
      for (int k = 0; k < netlist_.gate_inputs; ++k) {
        if (below[index(netlist_.gate_of(i).in[k])]) below[index(i)] = true;
      }
    }
    return std::any_of(inputs.begin(), inputs.end(), [&](int i) { return below[index(i)]; });
  }

  // A row for each combination of inputs that does occur; the others are free.
  ExactTask task_of(const Window& window) {
    ExactTask task;
    task.gate_inputs = netlist_.gate_inputs;
    task.num_inputs = static_cast<int>(window.inputs.size());
    task.num_outputs = static_cast<int>(window.outputs.size());
    std::set<std::uint64_t> seen = {0};
    for (int x = 1; x < 1 << netlist_.num_inputs(); ++x) {
      const std::uint64_t inputs = bits_at(window.inputs, x);
      if (!seen.insert(inputs).second) continue;
      task.inputs.push_back(inputs);
      task.outputs.push_back(bits_at(window.outputs, x));
    }
    return task;
  }
  std::uint64_t bits_at(const std::vector<int>& signals, int x) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      bits |= (values_[index(signals[i])][index(x / 64)] >> (x % 64) & 1) << i;
    }
    return bits;
  }

  void put_back(const Window& window, const ExactResult& result) {
    Netlist changed = netlist_;
    std::vector<int> place(window.inputs);  // of the solver's signals
    for (const ExactGate& from : result.gates) {
      ExactGate gate = from;
      for (int k = 0; k < netlist_.gate_inputs; ++k) gate.in[k] = place[index(from.in[k])];
      place.push_back(changed.num_signals());
      changed.gates.push_back(gate);
    }
    std::vector<int> substitute;
    for (int i = 0; i < changed.num_signals(); ++i) substitute.push_back(i);
    for (std::size_t i = 0; i < window.outputs.size(); ++i)
      substitute[index(window.outputs[i])] = place[index(result.outputs[i])];
    for (ExactGate& gate : changed.gates) {
      for (int k = 0; k < netlist_.gate_inputs; ++k) gate.in[k] = substitute[index(gate.in[k])];
    }
    for (int& output : changed.outputs) output = substitute[index(output)];
    if (tidy(changed) && changed.gates.size() <= netlist_.gates.size()) replace(changed);
  }

  Netlist netlist_;
  Random random_;
  int max_conflicts_;
  std::vector<WideTable> values_;
  std::vector<std::set<int>> readers_;
};

// The smallest circuit of all threads, on disk.
class Best {
 public:
  Best(const Netlist& netlist, std::string path) : best_(netlist), path_(std::move(path)) {}

  // Takes a circuit that is no larger; hands out the smallest if it is smaller than this one.
  void exchange(Resynthesis& resynthesis) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Netlist& mine = resynthesis.netlist();
    if (mine.gates.size() > best_.gates.size()) return resynthesis.replace(best_);
    const bool smaller = mine.gates.size() < best_.gates.size();
    best_ = mine;
    if (smaller) std::cout << best_.name << ' ' << best_.gates.size() << std::endl;
    save();
  }
  void save() const {
    std::ofstream file(path_);
    write_netlist(file, best_);
  }
  std::size_t num_gates() const { return best_.gates.size(); }

 private:
  Netlist best_;
  std::string path_;
  std::mutex mutex_;
};

std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

void run(const Options& options) {
  std::ifstream file(options.text("--start"));
  if (!file) throw std::runtime_error("cannot read " + options.text("--start"));
  const Netlist start = read_netlist(file, split(options.text("--inputs")), options.number("--inputs-of-a-gate"));
  Best best(start, options.text("--out"));
  std::cout << start.name << ' ' << start.gates.size() << std::endl;
  const int largest = options.number("--window", 6);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.real("--seconds", 60));
  const auto work = [&](int thread) {
    Random random(static_cast<std::uint64_t>(options.number("--seed", 1) * 1000 + thread));
    Resynthesis resynthesis(start, random.next(), options.number("--conflicts", 3000));
    while (std::chrono::steady_clock::now() < end) {
      for (int i = 0; i < 10; ++i) resynthesis.step(3 + random.below(largest - 2));
      best.exchange(resynthesis);
    }
  };
  std::vector<std::thread> threads;
  const int num_threads = options.number("--threads", static_cast<int>(std::thread::hardware_concurrency()));
  for (int i = 0; i < num_threads; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  best.save();
}

}  // namespace
}  // namespace circuits

int main(int count, char** words) {
  return circuits::run_with_options(
      count, words,
      "usage: resynthesise_windows --inputs-of-a-gate 2|3 --start FILE --inputs 'x0 x1 ...' --out FILE "
      "[--window GATES] [--conflicts N] [--seconds N] [--threads N] [--seed N]",
      circuits::run);
}

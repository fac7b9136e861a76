// Finds the least circuits of small boxes, and proves that there are none smaller: see README.md.
#include <atomic>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "circuit_text.hpp"
#include "exact.hpp"
#include "options.hpp"

namespace circuits {
namespace {

ExactTask task_of(const Box& box, int gate_inputs) {
  ExactTask task;
  task.gate_inputs = gate_inputs;
  task.num_inputs = box.num_inputs;
  task.num_outputs = box.num_outputs;
  for (int x = 1; x < 1 << box.num_inputs; ++x) {
    std::uint64_t y = 0;
    for (int i = 0; i < box.num_outputs; ++i) y |= (box.output[i] >> x & 1) << i;
    task.inputs.push_back(static_cast<std::uint64_t>(x));
    task.outputs.push_back(y);
  }
  return task;
}

template <int arity>
Circuit<arity> circuit_of(const Box& box, const ExactResult& result) {
  Circuit<arity> circuit(box);
  for (const ExactGate& from : result.gates) {
    Gate<arity> gate;
    for (int k = 0; k < arity; ++k) gate.in[k] = static_cast<std::uint8_t>(from.in[k]);
    gate.table = static_cast<std::uint8_t>(from.table);
    circuit.add(gate);
  }
  circuit.wanted = box.all_outputs();
  for (int i = 0; i < box.num_outputs; ++i) circuit.output[i] = static_cast<std::uint8_t>(result.outputs[i]);
  if (!circuit.is_right()) throw std::logic_error(box.name + ": the solver's circuit is wrong");
  return circuit;
}

// From `first` gates up, until there is a circuit or `last` is passed.
template <int arity>
void find_least(const Box& box, int first, int last, int max_conflicts, std::ostream& out, std::mutex& mutex) {
  const ExactTask task = task_of(box, arity);
  bool proven = true;
  for (int count = first; count <= last; ++count) {
    const ExactResult result = synthesise(task, count, 1, max_conflicts);
    const std::lock_guard<std::mutex> lock(mutex);
    if (result.verdict == ExactResult::found) {
      std::cout << box.name << ": " << count << " gates" << (proven && first <= count ? "" : ", fewer not excluded")
                << std::endl;
      write_circuit(out, circuit_of<arity>(box, result));
      out.flush();
      return;
    }
    proven = proven && result.verdict == ExactResult::impossible;
    std::cout << box.name << ": " << (result.verdict == ExactResult::impossible ? "impossible with " : "gave up at ")
              << count << std::endl;
  }
}

void run(const Options& options) {
  const std::vector<Box> boxes = read_boxes(options.text("--boxes"));
  const int arity = options.number("--inputs-of-a-gate");
  const int first = options.number("--from");
  const int last = options.number("--to");
  const int max_conflicts = options.number("--conflicts", 0);
  std::ofstream out(options.text("--out"), std::ios::app);
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < boxes.size(); i = next++) {
      if (arity == 2) find_least<2>(boxes[i], first, last, max_conflicts, out, mutex);
      if (arity == 3) find_least<3>(boxes[i], first, last, max_conflicts, out, mutex);
    }
  };
  std::vector<std::thread> threads;
  const int num_threads = options.number("--threads", static_cast<int>(std::thread::hardware_concurrency()));
  for (int i = 0; i < num_threads; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace circuits

int main(int count, char** words) {
  return circuits::run_with_options(count, words,
                                    "usage: find_exact_circuits --inputs-of-a-gate 2|3 --boxes FILE --out FILE --from GATES "
                                    "--to GATES [--conflicts N] [--threads N]",
                                    circuits::run);
}

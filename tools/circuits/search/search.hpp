// The search for the smallest circuits of some boxes, on all cores, with a pool of the best so far on disk.
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <vector>

#include "circuit_text.hpp"

namespace circuits {

/// The best circuits found of each box: a file for each, read at the start, so that a search that ends is continued.
template <int arity>
class Pool {
 public:
  Pool(std::filesystem::path folder, const std::vector<Box>& boxes);

  /// Keeps the circuit if it is among the best of its box, and says so on standard output if it is the smallest.
  void offer(std::size_t box, const Circuit<arity>& circuit);
  /// One of the best, or false if there are too few to stop making new ones.
  bool draw(std::size_t box, class Random& random, Circuit<arity>& circuit) const;

  bool is_empty(std::size_t box) const;
  void save_all() const;
  int total() const;

 private:
  struct Entry {
    int num_operations;
    Circuit<arity> circuit;
  };
  void save(std::size_t box) const;

  static constexpr std::size_t min_entries = 4;
  static constexpr std::size_t max_entries = 40;
  std::filesystem::path folder_;
  const std::vector<Box>& boxes_;
  std::vector<std::vector<Entry>> entries_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
};

struct SearchOptions {
  double seconds = 60;
  double pace = 1;  // scales the time given to each attempt
  int num_threads = 1;
  std::uint64_t seed = 1;
};

template <class Patches>
void search(const std::vector<Box>& boxes, Pool<Patches::arity>& pool, const SearchOptions& options);

}  // namespace circuits

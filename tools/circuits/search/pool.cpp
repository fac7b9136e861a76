#include <algorithm>
#include <fstream>
#include <iostream>

#include "random.hpp"
#include "search.hpp"

namespace circuits {

template <int arity>
Pool<arity>::Pool(std::filesystem::path folder, const std::vector<Box>& boxes)
    : folder_(std::move(folder)), boxes_(boxes), entries_(boxes.size()) {
  std::filesystem::create_directories(folder_);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::ifstream file(folder_ / (boxes[i].name + ".txt"));
    if (!file) continue;
    for (const auto& [name, circuit] : read_circuits<arity>(file, boxes)) {
      if (name == boxes[i].name) entries_[i].push_back({num_operations(circuit), circuit});
    }
    std::stable_sort(entries_[i].begin(), entries_[i].end(),
                     [](const Entry& a, const Entry& b) { return a.num_operations < b.num_operations; });
  }
}

template <int arity>
void Pool<arity>::offer(std::size_t box, const Circuit<arity>& circuit) {
  const int operations = num_operations(circuit);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& entries = entries_[box];
  const bool is_best = entries.empty() || operations < entries.front().num_operations;
  if (!is_best && operations > entries.front().num_operations + 2) return;
  const auto place = std::lower_bound(entries.begin(), entries.end(), operations,
                                      [](const Entry& entry, int count) { return entry.num_operations < count; });
  entries.insert(place, {operations, circuit});  // before its equals: the pool keeps moving
  if (entries.size() > max_entries) entries.pop_back();
  if (!is_best) return;
  save(box);
  int sum = 0;
  for (const auto& each : entries_) sum += each.empty() ? 0 : each.front().num_operations;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  std::cout << static_cast<int>(elapsed.count()) << " s: " << boxes_[box].name << ' ' << operations << " (all: " << sum
            << ")" << std::endl;
}

template <int arity>
bool Pool<arity>::draw(std::size_t box, Random& random, Circuit<arity>& circuit) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto& entries = entries_[box];
  if (entries.size() < min_entries) return false;
  const int best = entries.front().num_operations;
  const int slack = random.one_in(3) ? 1 : 0;
  int count = 0;
  while (count < static_cast<int>(entries.size()) && entries[count].num_operations <= best + slack) ++count;
  circuit = entries[random.below(count)].circuit;
  return true;
}

template <int arity>
bool Pool<arity>::is_empty(std::size_t box) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_[box].empty();
}

template <int arity>
int Pool<arity>::total() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int sum = 0;
  for (const auto& each : entries_) sum += each.empty() ? 0 : each.front().num_operations;
  return sum;
}

template <int arity>
void Pool<arity>::save_all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t box = 0; box < boxes_.size(); ++box) save(box);
}

// Written beside and renamed, so that a search that is killed leaves a whole file.
template <int arity>
void Pool<arity>::save(std::size_t box) const {
  const std::filesystem::path path = folder_ / (boxes_[box].name + ".txt");
  const std::filesystem::path partial = path.string() + ".partial";
  {
    std::ofstream file(partial);
    for (const auto& entry : entries_[box]) write_circuit(file, entry.circuit);
  }
  std::filesystem::rename(partial, path);
}

template class Pool<2>;
template class Pool<3>;

}  // namespace circuits

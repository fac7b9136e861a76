#include "engine/text/suggestion.hpp"

#include <algorithm>
#include <vector>

#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

constexpr std::size_t digit_cost = 3;  // more than any distance that is near
constexpr std::size_t longest_typed = 64;
constexpr std::size_t short_name = 5;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::size_t cost_of(char character) { return is_digit(character) ? digit_cost : 1; }

std::size_t cost_of_change(char from, char to) {
  if (from == to) return 0;
  return std::max(cost_of(from), cost_of(to));
}

// Edits and swaps of neighbours, each place edited once ("optimal string alignment").
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) best[i][0] = best[i - 1][0] + cost_of(a[i - 1]);
  for (std::size_t j = 1; j <= b.size(); ++j) best[0][j] = best[0][j - 1] + cost_of(b[j - 1]);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      best[i][j] = std::min({best[i - 1][j] + cost_of(a[i - 1]), best[i][j - 1] + cost_of(b[j - 1]),
                             best[i - 1][j - 1] + cost_of_change(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best[i][j] = std::min(best[i][j], best[i - 2][j - 2] + cost_of_change(a[i - 1], a[i - 2]));
    }
  }
  return best[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> nearest_of(std::string_view typed, std::span<const std::string> names) {
  std::vector<std::string> nearest;
  if (typed.size() > longest_typed) return nearest;
  const std::string lower = lower_case(typed);
  std::size_t least = lower.size() <= short_name ? 1 : 2;
  for (const std::string& name : names) {
    const std::size_t found = distance(lower, name);
    if (found > least) continue;
    if (found < least) nearest.clear();
    least = found;
    nearest.push_back(name);
  }
  return nearest;
}

std::string suggestion_for(std::string_view typed, std::span<const std::string> names) {
  const std::vector<std::string> nearest = nearest_of(typed, names);
  return nearest.empty() ? "" : " (did you mean " + nearest.front() + "?)";
}

}  // namespace phalanx

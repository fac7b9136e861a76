// Plans: selections with targets, in JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/measuring/contender.hpp"
#include "bench/measuring/selection.hpp"
#include "engine/engines/registry.hpp"

namespace phalanx::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& entry, const char* name) { return entry.value(name, std::string()); }

SelectionText texts_of(const Json& entry) {
  return {.ciphers = text_of(entry, "cipher"),
          .modes = text_of(entry, "mode"),
          .sizes = text_of(entry, "size"),
          .engines = text_of(entry, "engine"),
          .threads = text_of(entry, "threads"),
          .directions = text_of(entry, "direction"),
          .batch = text_of(entry, "batch"),
          .peers = entry.contains("peers") ? std::optional(text_of(entry, "peers")) : std::nullopt,
          .in_place = entry.value("in_place", false),
          .one_pass = entry.value("one_pass", false)};
}

// Of a list: those that this machine can run, or this build knows.
std::string keep_listed(const std::string& list, const std::vector<std::string>& there) {
  std::string kept;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string item = list.substr(start, end - start);
    const std::string name = item.ends_with(":ecb") ? item.substr(0, item.size() - 4) : item;
    if (std::find(there.begin(), there.end(), name) != there.end()) kept += (kept.empty() ? "" : ",") + item;
    start = end + 1;
  }
  return kept;
}

std::vector<std::string> usable_engines() {
  std::vector<std::string> names = {"auto", "cpu", "all"};
  for (const EngineInfo& engine : list_engines()) {
    if (engine.usable) names.push_back(engine.name);
  }
  return names;
}

std::vector<std::string> peers_there() {
  std::vector<std::string> names = {"all"};
  for (const auto& peer : all_peers()) names.push_back(peer->name());
  return names;
}

// A goal that nobody judges would count as none.
Target checked_target(const Json& json) {
  Target target = target_from(json);
  for (const auto& [name, goal] : target.goals) {
    if (std::ranges::find(goal_names, name) == std::end(goal_names)) {
      throw Error(ErrorCode::usage, fmt::format("no goal is called '{}'; there are: {}", name, fmt::join(goal_names, ", ")));
    }
  }
  const auto positive = [](const auto& entry) { return entry.second > 0; };
  if (!std::ranges::all_of(target.ratios, positive) || !std::ranges::all_of(target.goals, positive)) {
    throw Error(ErrorCode::usage, "a goal is a number above 0");
  }
  return target;
}

}  // namespace

std::vector<Selection> parse_plan(const std::string& text, const std::string& name) {
  std::vector<Selection> plan;
  std::size_t num_measurements = 0;
  if (text.size() > most_plan_bytes) throw Error(ErrorCode::usage, name + " is too large to be a plan");
  try {
    for (const Json& entry : Json::parse(text)) {
      SelectionText texts = texts_of(entry);
      if (!texts.engines.empty()) {
        texts.engines = keep_listed(texts.engines, usable_engines());
        if (texts.engines.empty()) continue;
      }
      if (texts.peers && !texts.peers->empty()) {
        texts.peers = keep_listed(*texts.peers, peers_there());
        if (texts.peers->empty()) texts.peers.reset();
      }
      plan.push_back(parse_selection(texts));
      num_measurements += plan.back().jobs.size();
      if (num_measurements > most_measurements) {
        throw Error(ErrorCode::usage, fmt::format("more than {} measurements: make two plans of it", most_measurements));
      }
      if (entry.contains("target")) plan.back().target = checked_target(entry.at("target"));
    }
  } catch (const Json::exception&) {
    throw Error(ErrorCode::usage, name + " is no plan: a plan is a JSON list of objects whose values are strings");
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
  if (plan.empty()) throw Error(ErrorCode::usage, name + ": no engine that it names can run here");
  return plan;
}

}  // namespace phalanx::bench

#include "program/cluster/cluster_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace phalanx {
namespace {

Distribution parse_distribution(std::string_view name) {
  if (name == "even") return Distribution::even;
  if (name == "dynamic") return Distribution::dynamic;
  throw Error(ErrorCode::usage, "--schedule is even or dynamic");
}

constexpr std::string_view key_per_rank = "--key-per-rank";
constexpr std::string_view commands_without_json[] = {"encrypt", "decrypt", "raw", "verify"};

}  // namespace

ClusterOptions take_cluster_options(int argc, char** argv) {
  constexpr std::string_view schedule = "--schedule";
  ClusterOptions options;
  const bool takes_json =
      argc > 1 && std::ranges::find(commands_without_json, std::string_view(argv[1])) != std::end(commands_without_json);
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == schedule && i + 1 < argc) {
      options.distribution = parse_distribution(argv[++i]);
    } else if (argument == schedule) {
      throw Error(ErrorCode::usage, "--schedule needs a value");
    } else if (argument.starts_with("--schedule=")) {
      options.distribution = parse_distribution(argument.substr(schedule.size() + 1));
    } else if (argument == key_per_rank) {
      options.key_per_rank = true;
    } else if (takes_json && argument == "--json") {
      options.table = options.json = true;
    } else {
      if (argument == "-v" || argument == "--verbose") options.table = true;
      if (argument == "-h" || argument == "--help" || argument == "--help-all" || (i == 1 && argument == "help"))
        options.help = true;
      options.arguments.emplace_back(argument);
    }
  }
  return options;
}

bool asks_for_key_per_rank(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* argument) { return argument == key_per_rank; });
}

int asked_threads(int argc, char** argv) {
  constexpr std::string_view name = "--threads";
  int num_threads = 0;
  for (int i = 1; i < argc; ++i) {
    std::string_view value = argv[i];
    if (!value.starts_with(name)) continue;
    value.remove_prefix(name.size());
    if (value.empty() && i + 1 < argc) {
      value = argv[i + 1];
    } else if (value.starts_with('=')) {
      value.remove_prefix(1);
    }
    std::from_chars(value.data(), value.data() + value.size(), num_threads);
  }
  return std::max(num_threads, 0);
}

}  // namespace phalanx

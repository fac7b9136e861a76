#include "program/cli/commands/engines.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <string>
#include <vector>

#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

struct Verdict {
  EngineInfo engine;
  bool passed = false;
  std::string failure;  // why a usable engine did not pass
};

Verdict test_engine(const EngineInfo& engine) {
  Verdict verdict{.engine = engine, .passed = false, .failure = {}};
  if (!engine.usable) return verdict;
  try {
    self_test(engine.name);
    verdict.passed = true;
  } catch (const Error& error) {
    verdict.failure = error.what();
  }
  return verdict;
}

std::string as_table(const std::vector<Verdict>& verdicts) {
  std::size_t name_width = 6, description_width = 0;
  for (const Verdict& verdict : verdicts) {
    name_width = std::max(name_width, verdict.engine.name.size());
    description_width = std::max(description_width, verdict.engine.description.size());
  }
  std::string text = fmt::format("{:<{}}  {:<6}  {:<{}}  {}\n", "engine", name_width, "usable", "what it runs on",
                                 description_width, "self-test");
  for (const auto& [engine, passed, failure] : verdicts) {
    const std::string result = !engine.usable ? "not run: " + engine.reason : passed ? "ok" : "FAILED: " + failure;
    text += fmt::format("{:<{}}  {:<6}  {:<{}}  {}\n", engine.name, name_width, engine.usable ? "yes" : "no",
                        engine.description, description_width, result);
  }
  return text;
}

std::string as_json(const std::vector<Verdict>& verdicts) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [engine, passed, failure] : verdicts) {
    nlohmann::ordered_json entry;
    entry["name"] = engine.name;
    entry["description"] = engine.description;
    entry["usable"] = engine.usable;
    entry["reason"] = engine.usable ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(engine.reason);
    entry["self_test"] = !engine.usable ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(passed ? "ok" : "failed");
    entry["failure"] = failure.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(failure);
    list.push_back(entry);
  }
  return list.dump(2) + "\n";
}

int run_engines(bool json) {
  std::vector<Verdict> verdicts;
  for (const EngineInfo& engine : engines()) verdicts.push_back(test_engine(engine));
  const std::string text = json ? as_json(verdicts) : as_table(verdicts);
  print_result(text);
  const bool failed = std::any_of(verdicts.begin(), verdicts.end(),
                                  [](const Verdict& verdict) { return verdict.engine.usable && !verdict.passed; });
  return failed ? exit_code_of(ErrorCode::runtime) : 0;
}

}  // namespace

void add_engines_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("engines", "List every engine, whether it can run here, and its self-test");
  set_examples(*command,
               "phalanx engines\n"
               "phalanx engines --json");
  const auto json = std::make_shared<bool>(false);
  mark_common(command->add_flag("--json", *json, "print it as JSON"));
  command->callback([json, &run] { run = [json](RunExecutor*) { return run_engines(*json); }; });
}

}  // namespace phalanx

// Command lines of any words: they are parsed or refused, and nothing runs. A refusal is one line that repeats no value,
// since that may be a secret given by mistake.
#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <string_view>

#include "program/cli/arguments.hpp"
#include "program/cli/console/messages.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx {
namespace {
std::vector<std::string> errors;
}  // namespace

// In place of program/cli/console/messages.cpp: what would be said is looked at.
void print_error(std::string_view message) { errors.emplace_back(message); }
void print_note(std::string_view message, bool quiet) {
  if (!quiet) print_error(message);
}
}  // namespace phalanx

namespace phalanx::fuzz {
namespace {

constexpr std::string_view secret = "s3cretw0rd";

struct Outcome {
  std::optional<int> exit_code;
  bool runs = false;
  std::string printed;
};

Outcome parse(std::vector<std::string> words) {
  words.insert(words.begin(), "phalanx");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  errors.clear();
  std::ostringstream printed;
  std::streambuf* const standard_output = std::cout.rdbuf(printed.rdbuf());
  CommandRun run;
  const auto exit_code = parse_arguments(static_cast<int>(words.size()), arguments.data(), run);
  std::cout.rdbuf(standard_output);
  return {.exit_code = exit_code, .runs = static_cast<bool>(run), .printed = printed.str()};
}

// All words of the help that begin with a dash, and the names of the commands.
std::vector<std::string> words_of_help() {
  const std::vector<std::vector<std::string>> commands = {
      {},          {"encrypt"},        {"decrypt"},        {"recipients", "replace"},
      {"inspect"}, {"raw", "encrypt"}, {"raw", "decrypt"}, {"migrate"},
      {"keygen"},  {"engines"},        {"bench"},          {"raw"}};
  std::set<std::string> words;
  for (std::vector<std::string> command : commands) {
    words.insert(command.begin(), command.end());
    command.emplace_back("--help-all");
    std::string help = parse(command).printed;
    require(!help.empty(), "every command has help");
    std::ranges::replace_if(
        help, [](char character) { return std::string_view(" \n,;:()[]=").find(character) != std::string_view::npos; }, ' ');
    std::istringstream rest(help);
    for (std::string word; rest >> word;) {
      if (word.starts_with('-')) words.insert(word);
    }
  }
  return {words.begin(), words.end()};
}

std::string take_word(FuzzedInput& input, const std::vector<std::string>& known) {
  constexpr const char* values[] = {"0",    "1",        "-1",    "16",        "4294967296", "18446744073709551616",
                                    "",     "-",        "--",    "des3",      "key",        "aes-256-cbc",
                                    "0:10", "00112233", "pkcs7", "/dev/fd/0", "010",        "sha256,md5",
                                    "a=b",  "auto"};
  switch (input.below(6)) {
    case 0:
      return input.one_of(values);
    case 1:
      return std::string(secret);
    case 2: {
      const std::string name = input.one_of(known);
      return name + "=" + std::string(secret);
    }
    case 3: {
      std::string word = input.text(input.below(12));
      std::erase(word, '\0');
      return word;
    }
    default:
      return input.one_of(known);
  }
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const std::vector<std::string> known = words_of_help();
  FuzzedInput input(data, size);
  std::vector<std::string> words;
  while (!input.is_empty() && words.size() < 24) words.push_back(take_word(input, known));
  const Outcome outcome = parse(words);
  for (const std::string& message : errors) {
    require(message.find(secret) == std::string::npos, "a message repeats no value");
  }
  if (!outcome.exit_code) {
    require(outcome.runs && errors.empty() && outcome.printed.empty(), "what is parsed has something to run");
  } else if (*outcome.exit_code == 0) {
    require(errors.empty() && !outcome.printed.empty(), "help and versions are printed");
  } else {
    require(*outcome.exit_code == static_cast<int>(ErrorCode::usage), "what is refused is a usage error");
    require(errors.size() == 1 && !errors.front().empty() && outcome.printed.empty(), "said in one message");
  }
  return 0;
}

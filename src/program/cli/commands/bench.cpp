#include "program/cli/commands/bench.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/text/characters.hpp"
#include "engine/threads/threads.hpp"
#include "files/pipeline/piece.hpp"
#include "program/cli/bench/calibrating.hpp"
#include "program/cli/bench/engine_speed.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/size_text.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/engine/processor_name.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/general_options.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_message_bytes = std::size_t{1} << 30;
constexpr std::size_t whole_blocks_bytes = 16;  // whole blocks of every cipher

// With three lines above them and one below they fit on a screen of 24.
constexpr const char* usual_ciphers[] = {
    "des-cbc",         "des-ede3-ecb",    "des-ede3-cbc",    "des-ede3-ctr",    "aes-128-cbc",     "aes-128-ctr",
    "aes-128-xts",     "aes-128-gcm",     "aes-256-cbc",     "aes-256-ctr",     "aes-256-xts",     "aes-256-gcm",
    "serpent-256-cbc", "serpent-256-ctr", "serpent-256-xts", "twofish-256-cbc", "twofish-256-ctr", "twofish-256-xts"};

struct BenchOptions {
  std::vector<std::string> ciphers;
  RequestedEngine engine;
  std::string size = size_text(default_piece_bytes);
  double seconds = 0.2;
  bool json = false;
  bool calibrate = false;
  bool verbose = false;
};

struct Row {
  NamedCipher named{};
  EngineSpeed speed{};
};

// Returns a cipher, or all of a family that is none itself, such as "aes".
std::vector<const CipherSpec*> ciphers_called(const std::string& name) {
  if (const CipherSpec* const cipher = find_cipher(name)) return {cipher};
  std::vector<const CipherSpec*> family;
  for (const CipherSpec& cipher : all_ciphers()) {
    if (std::string_view(cipher.name).starts_with(lower_case(name) + '-')) family.push_back(&cipher);
  }
  return family;
}

// A cipher alone stands for all its modes.
std::vector<NamedCipher> parse_ciphers(const std::vector<std::string>& names) {
  std::vector<NamedCipher> list;
  for (const std::string& name : names) {
    const std::vector<const CipherSpec*> ciphers = ciphers_called(name);
    if (ciphers.empty()) list.push_back(parse_cipher_name(name));
    for (const CipherSpec* const cipher : ciphers) {
      for (const ModeFacts& facts : mode_facts) {
        if (is_mode_of(*cipher, facts.mode)) list.push_back({.cipher = cipher, .mode = facts.mode});
      }
    }
  }
  return list;
}

std::string speed_text(double bytes_per_second) {
  const double megabytes = bytes_per_second / 1e6;
  return megabytes < 999.95 ? fmt::format("{:.1f} MB/s", megabytes) : fmt::format("{:.2f} GB/s", megabytes / 1000);
}

bool has_serial(const Row& row) {
  return !is_divisible(row.named.mode, Direction::encrypt) || !is_divisible(row.named.mode, Direction::decrypt);
}

std::string table_row(const Row& row) {
  const auto mark = [&](Direction direction) { return is_divisible(row.named.mode, direction) ? "" : " *"; };
  return fmt::format("{:<18}{:>16}{:<2}{:>16}{}\n", full_name(row.named), speed_text(row.speed.encryption),
                     mark(Direction::encrypt), speed_text(row.speed.decryption), mark(Direction::decrypt));
}

// Says where the rows were measured, with how many threads, and what.
std::string table_head(const EngineInfo& engine, int num_threads, const std::string& size) {
  const bool on_gpu = engine.name.starts_with("cuda");
  return fmt::format("{}, {} thread{}; one message of {}, from memory to memory\n{}\n{:<18}{:>16}{:>18}\n", engine.name,
                     num_threads, num_threads == 1 ? "" : "s", size, on_gpu ? engine.description : processor_name(), "",
                     "encryption", "decryption");
}

std::string as_json(const EngineInfo& engine, int num_threads, std::size_t message_bytes, const std::vector<Row>& rows) {
  nlohmann::ordered_json json;
  json["phalanx"] = version();
  json["cpu"] = processor_name();
  json["engine"] = engine.name;
  json["threads"] = num_threads;
  json["message_bytes"] = message_bytes;
  json["bytes_per_second"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    json["bytes_per_second"].push_back(
        {{"cipher", full_name(row.named)}, {"encryption", row.speed.encryption}, {"decryption", row.speed.decryption}});
  }
  return json.dump(2) + "\n";
}

int run_calibration() {
  prepare_calibration_file();  // a fault of the file shows before the work
  const Calibration calibration = calibrate([](const Crossover& measured, std::size_t before) {
    print_result(fmt::format("{:<14} {:<12} {} blocks one by one (before: {})\n", measured.engine, measured.cipher,
                             measured.serial_blocks, before));
  });
  print_result(fmt::format("kept in {}\n", write_calibration(calibration)));
  return 0;
}

void print_choice(const ChosenEngine& chosen, const FoundCalibration& found) {
  print_note(chosen.options.engine + " (" + chosen.reason + ")", false);
  print_note("crossovers: " + (found.calibration ? "measured by phalanx bench --calibrate" : found.note), false);
}

int bench_engine(const BenchOptions& options) {
  std::vector<std::string> names = options.ciphers;
  if (names.empty()) names.assign(std::begin(usual_ciphers), std::end(usual_ciphers));
  const std::vector<NamedCipher> ciphers = parse_ciphers(names);
  const std::size_t message_bytes = *parse_size(options.size, most_message_bytes);
  const FoundCalibration found = use_calibration();
  const ChosenEngine chosen = choose_engine(options.engine, found);
  if (options.verbose) print_choice(chosen, found);
  const EngineInfo engine = find_engine(chosen.options.engine).info();
  const int num_threads = thread_count(options.engine.num_threads);
  self_test(engine.name);
  if (!options.json) print_result(table_head(engine, num_threads, size_text(message_bytes)));
  std::vector<Row> rows;
  for (const NamedCipher& named : ciphers) {
    rows.push_back({.named = named, .speed = measure_speed(named, chosen.options, message_bytes, options.seconds)});
    if (!options.json) print_result(table_row(rows.back()));
  }
  if (options.json) {
    print_result(as_json(engine, num_threads, message_bytes, rows));
  } else if (std::ranges::any_of(rows, has_serial)) {
    print_result("* block after block on one thread, as one message in this mode must be\n");
  }
  return 0;
}

// Measures each engine that can run here, with a table of its own.
int bench_all_engines(BenchOptions options) {
  if (options.json)
    throw Error(ErrorCode::usage, "--engine all prints a table for each engine: leave --json out, or name one");
  bool is_first = true;
  for (const EngineInfo& engine : list_engines()) {
    if (!engine.usable) continue;
    if (!is_first) print_result("\n");
    is_first = false;
    options.engine.engine = engine.name;
    bench_engine(options);
  }
  return 0;
}

int run_bench(const BenchOptions& options) {
  if (options.calibrate) return run_calibration();
  return options.engine.engine == "all" ? bench_all_engines(options) : bench_engine(options);
}

CLI::Validator message_size() {
  const auto check = [](const std::string& text) -> std::string {
    const auto size = parse_size(text, most_message_bytes);
    if (size && *size % whole_blocks_bytes == 0) return "";
    return fmt::format("give a multiple of {} bytes up to 1G, such as 64K or 4M", whole_blocks_bytes);
  };
  return CLI::Validator(check, "");
}

}  // namespace

void add_bench_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("bench", "Measure how fast ciphers and modes are on this machine");
  set_examples(*command,
               "phalanx bench aes-256-ctr\n"
               "phalanx bench --engine all --size 64K des-ede3-cbc");
  const auto options = std::make_shared<BenchOptions>();
  CLI::Option* ciphers = command->add_option(
      "CIPHER", options->ciphers, "ciphers (in all modes), families (aes), or cipher-mode; default: one screen of them");
  ciphers->type_name("");
  add_engine_options(*command, options->engine);
  mark_common(command->get_option("--threads"));
  command->get_option("--engine")->description("what to measure: auto, cpu, one of `phalanx engines`, or all of them");
  mark_common(command->add_option("--size", options->size, "bytes of the message, with K, M or G; default " + options->size)
                  ->type_name("N")
                  ->check(message_size()));
  mark_common(command->add_option("--seconds", options->seconds, "how long to sample each row, about; default 0.2")
                  ->type_name("S")
                  ->check(number_of_seconds()));
  mark_common(command->add_flag("--json", options->json, "print plain figures as JSON"));
  mark_common(command->add_flag("--calibrate", options->calibrate,
                                "measure where one kernel overtakes another, and keep it for later runs"))
      ->excludes(ciphers)
      ->excludes(command->get_option("--engine"))
      ->excludes(command->get_option("--threads"))
      ->excludes(command->get_option("--json"));
  mark_common(command->add_flag("-v,--verbose", options->verbose, "say what was chosen and why")->group("Messages"));
  command->callback([options, &run] { run = [options](RunExecutor*) { return run_bench(*options); }; });
}

}  // namespace phalanx

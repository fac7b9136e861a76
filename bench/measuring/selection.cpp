#include "bench/measuring/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "bench/measuring/contender.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/threads/threads.hpp"
#include "program/cli/console/size_text.hpp"
#include "program/cli/engine/requested_engine.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 32;
constexpr std::size_t largest_task = std::size_t{1} << 33;
constexpr std::size_t most_messages = 1000000;
constexpr std::size_t most_threads = 4096;
constexpr std::size_t most_list_items = 4096;
constexpr std::size_t size_step = 16;  // whole blocks of every cipher

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

[[noreturn]] void fail_long(const char* option) {
  fail(fmt::format("--{}: the list has more than {} items: give fewer", option, most_list_items));
}

// Each item once, however often a list names it: a list of "all,all,all" is no longer than "all".
template <class Item, class List>
void add_once(List& list, const Item& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::vector<std::string> split(const std::string& list, const char* option) {
  std::vector<std::string> items;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = list.find(',', start);
    items.push_back(list.substr(start, end == std::string::npos ? end : end - start));
    if (items.back().empty()) fail(fmt::format("--{}: an item of the list '{}' is empty", option, list));
    if (items.size() > most_list_items) fail_long(option);
  }
  return items;
}

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::size_t parse_message_size(std::string_view text) {
  const std::optional<std::size_t> size = parse_size(text, largest_message);
  if (!size || *size % size_step != 0) {
    fail(fmt::format("--size: '{}': give multiples of {} bytes up to 4G, such as 16, 64K or 1M", text, size_step));
  }
  return *size;
}

std::size_t parse_threads(std::string_view text) {
  if (text == "all") return static_cast<std::size_t>(thread_count(0));
  const std::optional<std::size_t> number = parse_number(text);
  if (!number || *number == 0 || *number > most_threads) {
    fail(fmt::format("--threads: '{}': give numbers from 1 to {}, or all", text, most_threads));
  }
  return *number;
}

// Items "A" and "A..B", the latter every doubling of A up to B, and B.
std::vector<std::size_t> parse_numbers(const std::string& list, const char* option,
                                       const std::function<std::size_t(std::string_view)>& parse) {
  std::vector<std::size_t> numbers;
  const auto add = [&](std::size_t number) {
    add_once(numbers, number);
    if (numbers.size() > most_list_items) fail_long(option);
  };
  for (const std::string& item : split(list, option)) {
    const std::size_t dots = item.find("..");
    const std::size_t first = parse(std::string_view(item).substr(0, dots));
    const std::size_t last = dots == std::string::npos ? first : parse(std::string_view(item).substr(dots + 2));
    for (std::size_t number = first; number < last; number *= 2) add(number);
    add(last);
  }
  return numbers;
}

std::vector<const CipherSpec*> parse_ciphers(const std::string& list) {
  std::vector<const CipherSpec*> ciphers;
  for (const std::string& name : split(list, "cipher")) {
    if (name == "all") {
      for (const CipherSpec& cipher : all_ciphers()) add_once(ciphers, &cipher);
    } else if (const CipherSpec* cipher = find_cipher(name)) {
      add_once(ciphers, cipher);
    } else {
      fail(fmt::format("--cipher: '{}' is unknown: choose from {}, all", name, fmt::join(cipher_names(), ", ")));
    }
  }
  return ciphers;
}

std::vector<Mode> parse_modes(const std::string& list) {
  const auto names = mode_names();
  std::vector<Mode> modes;
  for (const std::string& name : split(list, "mode")) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (name == "all") {
      for (std::size_t i = 0; i < names.size(); ++i) add_once(modes, static_cast<Mode>(i));
    } else if (found != names.end()) {
      add_once(modes, static_cast<Mode>(found - names.begin()));
    } else {
      fail(fmt::format("--mode: '{}' is unknown: choose from {}, all", name, fmt::join(names, ", ")));
    }
  }
  return modes;
}

std::vector<Direction> directions_of(const std::string& text, Mode mode) {
  if (text == "encrypt") return {Direction::encrypt};
  if (text == "decrypt") return {Direction::decrypt};
  const bool differ = mode == Mode::cbc || mode == Mode::cfb;
  if (text == "both" || (text.empty() && differ)) return {Direction::encrypt, Direction::decrypt};
  if (text.empty()) return {Direction::encrypt};
  fail(fmt::format("--direction: '{}': give encrypt, decrypt or both", text));
}

struct Batch {
  std::size_t num_messages = 1;
  bool key_each = false;
  KeySetting key_setting = KeySetting::usual;
};

Batch parse_batch(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const std::optional<std::size_t> number = parse_number(std::string_view(text).substr(0, colon));
  const std::string suffix = colon == std::string::npos ? "" : text.substr(colon);
  const bool suffix_fits = suffix.empty() || suffix == ":own-keys" || suffix == ":ready-keys" || suffix == ":fresh-keys";
  if (!number || *number == 0 || *number > most_messages || !suffix_fits) {
    fail(fmt::format("--batch: '{}': give a number of messages up to {}, or NUMBER:own-keys, :ready-keys or :fresh-keys",
                     text, most_messages));
  }
  return {.num_messages = *number,
          .key_each = !suffix.empty(),
          .key_setting = suffix == ":ready-keys"   ? KeySetting::ready
                         : suffix == ":fresh-keys" ? KeySetting::fresh
                                                   : KeySetting::usual};
}

std::vector<PeerChoice> parse_peers(const std::optional<std::string>& list) {
  std::vector<PeerChoice> choices;
  if (!list) return choices;
  std::vector<std::string> known;
  for (const auto& peer : all_peers()) known.push_back(peer->name());
  for (const std::string& item : split(list->empty() ? "all" : *list, "peers")) {
    const std::size_t colon = item.find(':');
    const std::string name = item.substr(0, colon);
    if (item == "all") {
      for (const std::string& peer : known) add_once(choices, PeerChoice{.name = peer});
    } else if (std::find(known.begin(), known.end(), name) != known.end() &&
               (colon == std::string::npos || item.substr(colon) == ":ecb")) {
      add_once(choices, PeerChoice{.name = name, .in_ecb = colon != std::string::npos});
    } else {
      fail(fmt::format("--peers: '{}' is not in this build: choose from all, {} (and NAME:ecb)", item,
                       fmt::join(known, ", ")));
    }
  }
  return choices;
}

std::vector<std::string> parse_engines(const std::string& list) {
  std::vector<std::string> engines;
  if (list.empty()) return {find_engine(requested_engine("")).info().name};
  for (const std::string& name : split(list, "engine")) {
    if (name != "all") {
      add_once(engines, find_engine(name).info().name);
      continue;
    }
    for (const EngineInfo& engine : list_engines()) {
      if (engine.usable) add_once(engines, engine.name);
    }
  }
  return engines;
}

[[noreturn]] void fail_endless() {
  fail(fmt::format("more than {} measurements are asked for: give fewer ciphers, modes or sizes", most_measurements));
}

void add_jobs(Selection& selection, const Job& job, const SelectionText& text, const std::vector<std::size_t>& sizes) {
  for (const Direction direction : directions_of(text.directions, job.cipher.mode)) {
    for (const std::size_t size : sizes) {
      if (job.cipher.mode == Mode::xts && size > KeyedMode::most_unit_bytes) continue;
      Job sized = job;
      sized.direction = direction;
      sized.one_pass = job.one_pass && job.cipher.mode == Mode::gcm && direction == Direction::decrypt;
      sized.message_bytes = size;
      if (sized.total_bytes() > largest_task)
        fail("--batch: the messages are more than 8G together: give fewer or smaller ones");
      if (selection.jobs.size() == most_measurements) fail_endless();
      selection.jobs.push_back(sized);
    }
  }
}

bool is_timed(const CipherSpec& cipher, Mode mode, const SelectionText& text, const Batch& batch) {
  if (!is_mode_of(cipher, mode)) return false;
  // A sealed message that was overwritten by its plaintext cannot be opened a second time.
  return mode != Mode::gcm || (!batch.key_each && !(text.in_place && text.directions == "decrypt"));
}

}  // namespace

Selection parse_selection(const SelectionText& text) {
  Selection selection;
  selection.engines = parse_engines(text.engines);
  for (const std::size_t number : parse_numbers(text.threads.empty() ? "1,all" : text.threads, "threads", parse_threads)) {
    selection.threads.push_back(static_cast<int>(number));
  }
  selection.peers = parse_peers(text.peers);
  const Batch batch = parse_batch(text.batch);
  const std::vector<std::size_t> sizes = parse_numbers(text.sizes.empty() ? "64K" : text.sizes, "size", parse_message_size);
  const std::string ciphers = text.ciphers.empty() ? "des-ede3,aes-256,serpent-256,twofish-256" : text.ciphers;
  for (const CipherSpec* cipher : parse_ciphers(ciphers)) {
    for (const Mode mode : parse_modes(text.modes.empty() ? "all" : text.modes)) {
      if (!is_timed(*cipher, mode, text, batch)) continue;
      add_jobs(selection,
               {.cipher = {.cipher = cipher, .mode = mode},
                .num_messages = batch.num_messages,
                .key_each = batch.key_each,
                .in_place = text.in_place,
                .key_setting = batch.key_setting,
                .one_pass = text.one_pass},
               text, sizes);
    }
  }
  if (selection.jobs.empty()) {
    fail(
        "nothing is left to time: XTS and GCM need a 128-bit block, GCM one key, and its decryption cannot be timed in "
        "place; a data unit of XTS has 16M at most");
  }
  return selection;
}

}  // namespace phalanx::bench

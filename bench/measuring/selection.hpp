// What to measure: lists of ciphers, modes, sizes and the like, as options and plans write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measuring/results.hpp"
#include "bench/measuring/task.hpp"

namespace phalanx::bench {

/// Of one selection, or of a plan: hours of them, and some megabytes.
inline constexpr std::size_t most_measurements = 100000;

/// The longest plan; those of this project have a few kilobytes.
inline constexpr std::size_t most_plan_bytes = std::size_t{1} << 20;

/// Lists as they are written, separated by commas; empty: the default.
struct SelectionText {
  std::string ciphers;               ///< names, "all"; default: one of each family
  std::string modes;                 ///< names, "all" (default)
  std::string sizes;                 ///< "64K", "16,1M", "16..16M" (every doubling); default 64K
  std::string engines;               ///< names, "auto", "all"; default: $PHALANX_ENGINE, else auto
  std::string threads;               ///< "1", "2,all", "1..all" (doublings); default 1 and all
  std::string directions;            ///< "encrypt", "decrypt", "both"; default: encrypt, and decrypt for CBC and CFB
  std::string batch;                 ///< "4096", "4096:own-keys", ":ready-keys", ":fresh-keys"; default: one message
  std::optional<std::string> peers;  ///< names, "all", "NAME:ecb"; no value: none
  bool in_place = false;
  bool one_pass = false;
};

/// A peer, and whether it is to run its ECB whatever the mode.
struct PeerChoice {
  std::string name;
  bool in_ecb = false;

  bool operator==(const PeerChoice&) const = default;
};

/// Measurements that share engines, threads and peers.
struct Selection {
  std::vector<Job> jobs;
  std::vector<std::string> engines;  ///< usable here, canonical
  std::vector<int> threads;          ///< each at least 1
  std::vector<PeerChoice> peers;
  std::optional<Target> target;
};

/// Throws Error (usage) naming the option whose list is wrong. Combinations that do not exist (a mode that a cipher of the
/// list lacks) are left out, unless nothing is left.
[[nodiscard]] Selection parse_selection(const SelectionText& text);

/// A plan: JSON, a list of objects with the names of the options (cipher, mode, size, engine, threads, direction, batch,
/// peers, in_place, one_pass), each a string, and target. Engines that cannot run here are left out, and selections with none of them.
/// Throws Error (usage); `name` is the file's.
[[nodiscard]] std::vector<Selection> parse_plan(const std::string& text, const std::string& name);

}  // namespace phalanx::bench

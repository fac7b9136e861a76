// phalanx-mpi understands these options besides the program's own arguments.
#pragma once

#include <string>
#include <vector>

#include "program/cluster/coordinator.hpp"

namespace phalanx {

struct ClusterOptions {
  Distribution distribution = Distribution::even;
  bool key_per_rank = false;           ///< every rank reads the files of keys and passphrases itself
  bool table = false;                  ///< at the end, what each rank did
  bool help = false;                   ///< is asked for
  bool json = false;                   ///< that, as JSON
  std::vector<std::string> arguments;  ///< what is left, the program's name first
};

/// Takes --schedule and --key-per-rank away, and --json from commands that have none themselves; sees -v. Throws Error
/// (usage).
[[nodiscard]] ClusterOptions take_cluster_options(int argc, char** argv);

/// Returns whether --key-per-rank is among the arguments, however wrong the others are.
[[nodiscard]] bool asks_for_key_per_rank(int argc, char** argv);

/// --help adds this about the options that are taken away.
inline constexpr const char* cluster_help =
    "Under mpirun or srun, phalanx-mpi also takes:\n"
    "  --schedule even|dynamic     each rank one range of a file (default), or ranges as ranks ask for them\n"
    "  --key-per-rank              every rank reads the files of keys and passphrases itself; messages are sealed\n"
    "  --json                      encrypt, decrypt, raw, verify: what each rank did, as JSON; -v has it as a table\n";

/// The number behind --threads; 0 if there is none, or no number: the program itself says so.
[[nodiscard]] int asked_threads(int argc, char** argv);

}  // namespace phalanx

#include <mpi.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "program/cluster/cluster_run.hpp"
#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

// The scheduler's view of the ranks. Made by all of them at once, at the first run.
phalanx::Ranks& ranks_of_program() {
  static int no_arguments = 0;
  static char** nothing = nullptr;
  static phalanx::Ranks ranks(no_arguments, nothing);
  return ranks;
}

// What `mpirun phalanx-mpi` would be given.
std::vector<std::string> command_of(const Run& run) {
  const bool encrypts = run.direction == Direction::encrypt;
  std::vector<std::string> words{"phalanx-mpi", "raw",    encrypts ? "encrypt" : "decrypt", "--cipher", "2des-ecb",
                                 "-q",          "--force"};
  words.insert(words.end(), {"--padding", "none", "--threads", "1", "--key-file", run.files.key().string()});
  if (encrypts) words.emplace_back("--allow-legacy");
  words.insert(words.end(), {run.files.input_alone().string(), run.files.output().string()});
  return words;
}

}  // namespace

Part part_of(int rank, int num_ranks, std::size_t num_bytes) {
  const std::size_t num_blocks = num_bytes / block_bytes;
  const auto first_block = [&](int number) {
    return num_blocks * static_cast<std::size_t>(number) / static_cast<std::size_t>(num_ranks);
  };
  return {first_block(rank) * block_bytes, (first_block(rank + 1) - first_block(rank)) * block_bytes};
}

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

Phases crypt_by_program(const Run& run, Buffers& /*buffers*/) {
  phalanx::Ranks& ranks = ranks_of_program();
  if (rank_here() == 0) run.files.prepare_alone(run.direction, run.num_bytes);
  std::vector<std::string> words = command_of(run);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int exit_code = 0;
  Phases phases;
  MPI_Barrier(MPI_COMM_WORLD);
  phases.total = seconds_of([&] {
    exit_code = phalanx::run_on_ranks(ranks, static_cast<int>(words.size()), arguments.data());
    MPI_Barrier(MPI_COMM_WORLD);
  });
  if (exit_code != 0) throw std::runtime_error("the program ended with " + std::to_string(exit_code));
  return phases;
}

}  // namespace papers::shorman2018

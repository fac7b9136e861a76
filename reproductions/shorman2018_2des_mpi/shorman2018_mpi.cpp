// The parallel columns of table 2 of Shorman and Qatawneh (2018), and this library by ranges beside them. One start of
// mpirun for each number of ranks; sizes and directions inside.
//
//   mpirun -n RANKS shorman2018_mpi [--check] [--folder FOLDER] [--started MILLISECONDS]
//
// FOLDER is for the files, MILLISECONDS of Unix time when mpirun was called.
#include <mpi.h>

#include <array>
#include <memory>
#include <thread>

#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

using Method = Phases (*)(const Files&, Direction, std::size_t);

/// The mean of three runs, each checked; on the master, the others take part and print nothing.
void measure(const char* method, Method crypt, const Files& files, Direction direction, std::size_t num_bytes, int rank,
             int num_ranks, bool printing) {
  std::vector<Phases> runs;
  for (int run = 0; run < num_runs; ++run) {
    runs.push_back(crypt(files, direction, num_bytes));
    if (rank == 0) files.require_output(method, direction, num_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0 && printing) print_phases(num_bytes, direction, std::to_string(num_ranks), method, num_ranks, runs);
}

/// What is not in the paper's times, as far as one can tell: mpirun until every rank is there.
void print_start(double started, int num_ranks) {
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string ranks = std::to_string(num_ranks);
  if (started > 0) print_figure({"ranks", ranks, "start of mpirun", "method", "time", "s", now - started, num_ranks});
  const bool oversubscribed = num_ranks > static_cast<int>(std::thread::hardware_concurrency());
  print_figure({"ranks", ranks, "more ranks than cores", "method", "oversubscribed", "yes or no", oversubscribed ? 1.0 : 0.0,
                num_ranks});
}

/// Rank 0 chooses the folder; all are on one machine, or share a file system.
std::string shared_path(const Folder* folder) {
  std::array<char, 4096> path{};
  if (folder != nullptr) folder->path().copy(path.data(), path.size() - 1);
  MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  return path.data();
}

void run_all(const Arguments& arguments, int rank, int num_ranks) {
  const auto folder = rank == 0 ? std::make_unique<Folder>(arguments) : nullptr;
  const Files files(shared_path(folder.get()));
  const bool checking = arguments.has("--check");
  const std::size_t most_bytes = checking ? first_bytes : last_bytes;
  if (rank == 0 && !checking) {
    print_compiler();
    print_start(static_cast<double>(arguments.number("--started", 0)) / 1e3, num_ranks);
  }
  if (rank == 0) files.prepare(most_bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t size = first_bytes; size <= most_bytes; size *= 2) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      measure("method", crypt_by_master, files, direction, size, rank, num_ranks, !checking);
      measure("ours", crypt_by_ranges, files, direction, size, rank, num_ranks, !checking);
    }
  }
}

}  // namespace
}  // namespace papers::shorman2018

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  papers::shorman2018::run_all(papers::Arguments(argc, argv), rank, num_ranks);
  MPI_Finalize();
  return 0;
}

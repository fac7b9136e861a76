// The parallel columns of table 2 of Shorman and Qatawneh (2018), and phalanx-mpi beside them. One start of
// mpirun for each number of ranks; sizes and directions inside.
//
//   mpirun -n RANKS shorman2018_mpi [--check] [--folder FOLDER] [--started MILLISECONDS] [--tables SUFFIX] [--most BYTES]
//   mpirun -n RANKS shorman2018_mpi --folder FOLDER --synced [--most BYTES]
//   mpirun -n 1 shorman2018_mpi --folder FOLDER --only BYTES --table NAME --column NAME
//
// FOLDER is for the files, MILLISECONDS of Unix time when mpirun was called. SUFFIX is put behind the names of the tables:
// another network than memory, or ranks bound to cores. BYTES: of the largest file. --synced: what it costs the paper's method
// to have its output on the disk when the time ends, as ours has. --only: one encryption of so many bytes by the paper's method,
// under the names given.
#include <mpi.h>

#include <array>
#include <memory>
#include <thread>

#include "program/cli/program.hpp"
#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

// One run, checked on the master; the others take part.
Phases checked(const ParallelMethod& method, const Run& run, Buffers& buffers) {
  const Phases phases = method.crypt(run, buffers);
  if (rank_here() == 0) run.files.require_output(method.name, run.direction, run.num_bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  return phases;
}

// Three runs, after one that is not counted.
std::vector<Phases> timed(const ParallelMethod& method, const Run& run, Buffers& buffers) {
  method.crypt({run.files, by_nothing, run.direction, run.num_bytes, run.is_synced}, buffers);
  if (rank_here() == 0) run.files.remove_output();
  std::vector<Phases> runs;
  runs.reserve(num_runs);
  for (int i = 0; i < num_runs; ++i) runs.push_back(checked(method, run, buffers));
  return runs;
}

void measure(const ParallelMethod& method, const Run& run, Buffers& buffers, const std::string& tables) {
  const std::vector<Phases> runs = timed(method, run, buffers);
  if (rank_here() != 0) return;
  const std::string ranks = std::to_string(rank_count());
  print_phases({table_of(run.variant, run.direction) + tables, run.num_bytes, ranks, method.name, rank_count()}, runs);
}

// `--only`.
void measure_one(const Arguments& arguments, const Files& files, Buffers& buffers) {
  const auto num_bytes = static_cast<std::size_t>(arguments.number("--only", 0));
  const std::vector<Phases> runs = timed(their_method, {files, by_words, Direction::encrypt, num_bytes}, buffers);
  if (rank_here() == 0)
    print_phases({arguments.text("--table", ""), num_bytes, arguments.text("--column", ""), "method", rank_count()}, runs);
}

void measure_all(const Files& files, Buffers& buffers, const Wanted& wanted) {
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    for (std::size_t size = first_bytes; size <= wanted.largest_of(by_words, direction); size *= 2)
      for (const ParallelMethod& method : {their_method, our_method})
        measure(method, {files, by_words, direction, size}, buffers, wanted.suffix);
    if (rank_count() == 1) continue;  // one rank differs from the sequential program in nothing that takes time
    for (std::size_t size = first_bytes; size <= wanted.largest_of(by_bit_arrays, direction); size *= 2)
      measure(their_method, {files, by_bit_arrays, direction, size}, buffers, wanted.suffix);
  }
}

// `--synced`: their method as it is and synced, and ours, by turns. In words, where the writing counts.
void measure_synced(const Files& files, Buffers& buffers, std::size_t most) {
  for (std::size_t size = first_bytes; size <= most; size *= 2) {
    const Run as_it_is{files, by_words, Direction::encrypt, size};
    const Run synced{files, by_words, Direction::encrypt, size, true};
    measure(their_method, as_it_is, buffers, "_unsynced");
    measure(their_method, synced, buffers, "_synced");
    measure(our_method, synced, buffers, "_synced");
  }
}

void check(const Files& files, Buffers& buffers) {
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    for (const DesVariant* variant : {&by_words, &by_bit_arrays})
      checked(their_method, {files, *variant, direction, first_bytes, true}, buffers);
    checked(our_method, {files, by_words, direction, first_bytes}, buffers);
  }
}

// What is not in the paper's times, as far as one can tell: mpirun until every rank is there.
void print_start(double started, const std::string& tables) {
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string ranks = std::to_string(rank_count());
  if (started > 0)
    print_figure({"ranks" + tables, ranks, "start of mpirun", "method", "time", "s", now - started, rank_count()});
  const bool oversubscribed = rank_count() > static_cast<int>(std::thread::hardware_concurrency());
  print_figure({"ranks" + tables, ranks, "more ranks than cores", "method", "oversubscribed", "yes or no",
                oversubscribed ? 1.0 : 0.0, rank_count()});
}

// Rank 0 chooses the folder; all are on one machine, or share a file system.
std::string shared_path(const Folder* folder) {
  std::array<char, 4096> path{};
  if (folder != nullptr) folder->path().copy(path.data(), path.size() - 1);
  MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  return path.data();
}

// "Open MPI v5.0.11", "MPICH Version: 4.0.2": what comes before the first comma or the end of the line.
std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

void run_all(const Arguments& arguments) {
  const bool is_master = rank_here() == 0;
  const auto folder = is_master ? std::make_unique<Folder>(arguments) : nullptr;
  const Files files(shared_path(folder.get()));
  const bool checking = arguments.has("--check");
  const std::string tables = arguments.text("--tables", "");
  if (is_master && !checking) {
    print_compiler();
    print_line({"fact", "mpi", mpi_version()});
  }
  if (is_master && !checking && !arguments.has("--only") && !arguments.has("--synced")) {
    print_start(static_cast<double>(arguments.number("--started", 0)) / 1e3, tables);
  }
  if (is_master) files.prepare(checking ? first_bytes : last_bytes);
  Buffers buffers;
  MPI_Barrier(MPI_COMM_WORLD);
  if (checking) {
    check(files, buffers);
  } else if (arguments.has("--only")) {
    measure_one(arguments, files, buffers);
  } else if (arguments.has("--synced")) {
    measure_synced(files, buffers, Wanted(arguments).most);
  } else {
    measure_all(files, buffers, Wanted(arguments));
  }
}

}  // namespace
}  // namespace papers::shorman2018

int main(int argc, char** argv) {
  const papers::Arguments arguments(argc, argv);
  phalanx::prepare_process();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Barrier(MPI_COMM_WORLD);
  papers::shorman2018::run_all(arguments);
  MPI_Finalize();
  return 0;
}

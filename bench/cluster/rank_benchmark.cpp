// How the time of phalanx-mpi falls with ranks, one thread each, and beside it, in the same run: as many independent processes,
// the paper's way of distributing with our kernels in it, the kernels alone in memory, and copying in memory.
//
//   mpirun -n N rank_benchmark FOLDER STRONG_MIB WEAK_MIB ROUNDS [CIPHER...]
//
// FOLDER: of all ranks, empty. STRONG_MIB: the file that all ranks share; WEAK_MIB: so much for each rank. One line of JSON for
// each figure: seconds of each round. Every byte of every output is checked, by another engine, after its time is taken.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "bench/cluster/rank_measuring.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/output_mapping.hpp"
#include "program/cli/console/signal_handlers.hpp"
#include "program/cli/engine/processor_name.hpp"
#include "program/cli/program.hpp"
#include "program/cluster/cluster_run.hpp"

namespace phalanx::bench {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::size_t memory_bytes = 64 * mebibyte;  // more than a core's share of any cache

struct Plan {
  std::uint64_t strong_bytes, weak_bytes;
  int rounds;
};

class RankBenchmark {
 public:
  RankBenchmark(const Bench& bench, const Plan& plan) : bench_(bench), plan_(plan) {}

  void run(const MeasuredCipher& cipher);
  void run_copying();

 private:
  using Way = std::function<void(const std::string& in, const std::string& out)>;

  void report(const MeasuredCipher& cipher, const char* method, const char* what, std::uint64_t num_bytes,
              const std::vector<double>& seconds) const;
  void measure_files(const MeasuredCipher& cipher, const char* method, const char* what, std::uint64_t num_bytes,
                     const Way& way, bool to_nowhere);
  void measure_program(const MeasuredCipher& cipher, const char* what, std::uint64_t num_bytes);
  void measure_processes(const MeasuredCipher& cipher);
  void measure_distributing(const MeasuredCipher& cipher, std::uint64_t num_bytes);
  void measure_kernel(const MeasuredCipher& cipher);
  void distribute(const MeasuredCipher& cipher, const std::string& in, const std::string& out, bool copies);
  [[nodiscard]] std::vector<std::string> command(const MeasuredCipher& cipher, const std::string& in,
                                                 const std::string& out) const;
  void by_ranks(std::vector<std::string> arguments) const;
  static void by_itself(std::vector<std::string> arguments);

  const Bench& bench_;
  const Plan& plan_;
  std::vector<std::uint8_t> buffer_{};  // of the paper's way: taken and written to before the clock starts
};

std::vector<char*> pointers_to(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

void RankBenchmark::by_ranks(std::vector<std::string> arguments) const {
  const std::vector<char*> pointers = pointers_to(arguments);
  if (run_on_ranks(bench_.ranks(), static_cast<int>(arguments.size()), const_cast<char**>(pointers.data())) != 0)
    Bench::give_up("a command of the program failed");
}

// It knows of no other ranks.
void RankBenchmark::by_itself(std::vector<std::string> arguments) {
  expect_writers(0);
  const std::vector<char*> pointers = pointers_to(arguments);
  if (run_program(static_cast<int>(arguments.size()), const_cast<char**>(pointers.data())) != 0)
    Bench::give_up("a command of an independent process failed");
}

std::vector<std::string> RankBenchmark::command(const MeasuredCipher& cipher, const std::string& in,
                                                const std::string& out) const {
  std::vector<std::string> arguments{"phalanx"};
  if (cipher.is_container()) {
    arguments.insert(arguments.end(), {"encrypt"});
  } else {
    arguments.insert(arguments.end(), {"raw", "encrypt", "--allow-legacy", "--cipher", cipher.name, "--iv", cipher.iv});
  }
  arguments.insert(arguments.end(),
                   {"-q", "-f", "--threads", "1", "--key-file", bench_.path(std::string("key-") + cipher.name),
                    bench_.path(in), out == "/dev/null" ? out : bench_.path(out)});
  return arguments;
}

void RankBenchmark::report(const MeasuredCipher& cipher, const char* method, const char* what, std::uint64_t num_bytes,
                           const std::vector<double>& seconds) const {
  if (!bench_.leads()) return;
  std::string list;
  for (const double value : seconds) list += (list.empty() ? "" : ", ") + std::to_string(value);
  std::printf(
      "{\"ranks\": %d, \"cipher\": \"%s\", \"method\": \"%s\", \"what\": \"%s\", \"bytes\": %llu, \"seconds\": [%s]}\n",
      bench_.ranks().num_ranks(), cipher.name, method, what, static_cast<unsigned long long>(num_bytes), list.c_str());
  static_cast<void>(std::fflush(stdout));
}

// A round more than is counted: the first takes memory from the system.
void RankBenchmark::measure_files(const MeasuredCipher& cipher, const char* method, const char* what,
                                  std::uint64_t num_bytes, const Way& way, bool to_nowhere) {
  std::vector<double> seconds;
  for (int round = 0; round <= plan_.rounds; ++round) {
    const double time = bench_.time([&] { way("IN", to_nowhere ? "/dev/null" : "OUT"); });
    if (round > 0) seconds.push_back(time);
    if (to_nowhere) continue;
    if (cipher.is_container()) {
      std::vector<std::string> open{
          "phalanx",          "decrypt",          "-q", "-f", "--key-file", bench_.path("key-container"),
          bench_.path("OUT"), bench_.path("BACK")};
      by_ranks(open);
      bench_.require_output(nullptr, "IN", "BACK");
      bench_.remove("BACK");
    } else {
      bench_.require_output(&cipher, "IN", "OUT");
    }
    bench_.remove("OUT");
  }
  report(cipher, method, what, num_bytes, seconds);
}

void RankBenchmark::measure_program(const MeasuredCipher& cipher, const char* what, std::uint64_t num_bytes) {
  const Way way = [&](const std::string& in, const std::string& out) { by_ranks(command(cipher, in, out)); };
  measure_files(cipher, "phalanx-mpi", what, num_bytes, way, false);
  if (!cipher.is_container())
    measure_files(cipher, "phalanx-mpi", (std::string(what) + " to nowhere").c_str(), num_bytes, way, true);
}

// Each rank the program itself, on a file of its own, as large as its part would be.
void RankBenchmark::measure_processes(const MeasuredCipher& cipher) {
  const Ranks& ranks = bench_.ranks();
  const std::string own = std::to_string(ranks.rank());
  const std::uint64_t part_bytes = plan_.strong_bytes / static_cast<std::uint64_t>(ranks.num_ranks());
  const FileDescriptor in = open_file(bench_.path("IN"), O_RDONLY);
  const RankPart part{part_bytes * static_cast<std::uint64_t>(ranks.rank()), part_bytes};
  std::vector<std::uint8_t> bytes(part_bytes);
  if (read_at(in.get(), bytes, part.position, "IN") != bytes.size()) Bench::give_up("IN is cut short");
  write_all(open_file(bench_.path("PART" + own), O_WRONLY | O_CREAT | O_TRUNC, 0600).get(), bytes, "PART");
  for (const bool to_nowhere : {false, true}) {
    if (to_nowhere && cipher.is_container()) continue;
    std::vector<double> seconds;
    for (int round = 0; round <= plan_.rounds; ++round) {
      const std::string out = to_nowhere ? "/dev/null" : "DONE" + own;
      const double time = bench_.time([&] { by_itself(command(cipher, "PART" + own, out)); });
      if (round > 0) seconds.push_back(time);
      if (to_nowhere) continue;
      const std::string judged = cipher.is_container() ? "BACK" + own : out;
      if (cipher.is_container())
        by_itself({"phalanx", "decrypt", "-q", "-f", "--key-file", bench_.path("key-container"), bench_.path(out),
                   bench_.path(judged)});
      std::vector<std::uint8_t> expected = bytes;
      std::vector<std::uint8_t> found(bytes.size());
      if (!cipher.is_container())
        bench_.make_cipher(cipher, judging_engine()).encrypt_part(Bench::iv_of(cipher), 0, expected, expected);
      const FileDescriptor made = open_file(bench_.path(judged), O_RDONLY);
      if (read_at(made.get(), found, 0, judged) != found.size() || found != expected) Bench::give_up(judged + " is wrong");
      unlink(bench_.path(out).c_str());
      unlink(bench_.path(judged).c_str());
    }
    report(cipher, "independent processes", to_nowhere ? "strong to nowhere" : "strong",
           part_bytes * static_cast<std::uint64_t>(ranks.num_ranks()), seconds);
  }
  unlink(bench_.path("PART" + own).c_str());
}

// Rank 0 reads, sends, and collects what all have crypted; `copies`: it sends all to each, as the paper has it, else only parts.
void RankBenchmark::distribute(const MeasuredCipher& cipher, const std::string& in, const std::string& out, bool copies) {
  const int own = bench_.ranks().rank();
  const int num_ranks = bench_.ranks().num_ranks();
  const Cipher kernel = bench_.make_cipher(cipher, "cpu");
  const FileDescriptor file = open_file(bench_.path(in), O_RDONLY);
  const auto num_bytes = static_cast<std::uint64_t>(lseek(file.get(), 0, SEEK_END));
  const auto part = [&](int rank) { return part_of(num_bytes, rank, num_ranks); };
  const MutableBytes bytes = MutableBytes(buffer_).first(own == 0 || copies ? num_bytes : part(own).num_bytes);
  const auto at = [&](int rank) { return own == 0 || copies ? bytes.data() + part(rank).position : bytes.data(); };
  const auto size = [](std::uint64_t number) { return static_cast<int>(number); };
  if (own == 0 && read_at(file.get(), bytes, 0, in) != bytes.size()) Bench::give_up(in + " is cut short");
  if (own == 0) {
    for (int rank = 1; rank < num_ranks; ++rank) {
      const RankPart sent = copies ? RankPart{0, num_bytes} : part(rank);
      MPI_Send(bytes.data() + sent.position, size(sent.num_bytes), MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    }
  } else {
    MPI_Recv(bytes.data(), size(bytes.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const MutableBytes text(at(own), part(own).num_bytes);
  kernel.encrypt_part(Bench::iv_of(cipher), part(own).position, text, text);
  if (own != 0) {
    MPI_Send(text.data(), size(text.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  for (int rank = 1; rank < num_ranks; ++rank)
    MPI_Recv(at(rank), size(part(rank).num_bytes), MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  write_all(open_file(bench_.path(out), O_WRONLY | O_CREAT | O_TRUNC, 0600).get(), bytes, out);
}

void RankBenchmark::measure_distributing(const MeasuredCipher& cipher, std::uint64_t num_bytes) {
  bench_.remove("IN");
  bench_.make_file("IN", num_bytes);
  buffer_.assign(num_bytes, 1);
  const std::string what = "distributing " + std::to_string(num_bytes / mebibyte) + " MiB";
  const Way ours = [&](const std::string& in, const std::string& out) { by_ranks(command(cipher, in, out)); };
  measure_files(cipher, "phalanx-mpi", what.c_str(), num_bytes, ours, false);
  for (const bool copies : {true, false}) {
    const Way way = [&](const std::string& in, const std::string& out) { distribute(cipher, in, out, copies); };
    measure_files(cipher, copies ? "a copy to each rank" : "a part to each rank", what.c_str(), num_bytes, way, false);
  }
  buffer_ = {};
}

void RankBenchmark::measure_kernel(const MeasuredCipher& cipher) {
  const Cipher kernel = bench_.make_cipher(cipher, "cpu");
  std::vector<std::uint8_t> bytes(memory_bytes);
  std::vector<double> seconds;
  for (int round = 0; round <= plan_.rounds; ++round) {
    const double time = bench_.time([&] { kernel.encrypt_part(Bench::iv_of(cipher), 0, bytes, bytes); });
    if (round > 0) seconds.push_back(time);
  }
  report(cipher, "kernel", "memory", memory_bytes * static_cast<std::uint64_t>(bench_.ranks().num_ranks()), seconds);
}

void RankBenchmark::run_copying() {
  std::vector<std::uint8_t> from(memory_bytes, 1);
  std::vector<std::uint8_t> to(memory_bytes, 2);
  std::vector<double> seconds;
  for (int round = 0; round <= plan_.rounds; ++round) {
    from[static_cast<std::size_t>(round)] = 3;
    const double time = bench_.time([&] { std::memcpy(to.data(), from.data(), from.size()); });
    if (to != from) Bench::give_up("a copy is wrong");
    if (round > 0) seconds.push_back(time);
  }
  report({"none", "", 0}, "memcpy", "memory", memory_bytes * static_cast<std::uint64_t>(bench_.ranks().num_ranks()),
         seconds);
}

void RankBenchmark::run(const MeasuredCipher& cipher) {
  bench_.make_key(cipher);
  if (!cipher.is_container()) measure_kernel(cipher);
  bench_.make_file("IN", plan_.strong_bytes);
  measure_program(cipher, "strong", plan_.strong_bytes);
  measure_processes(cipher);
  bench_.remove("IN");
  const std::uint64_t weak_bytes = plan_.weak_bytes * static_cast<std::uint64_t>(bench_.ranks().num_ranks());
  bench_.make_file("IN", weak_bytes);
  measure_program(cipher, "weak", weak_bytes);
  if (std::string(cipher.name) == "2des-ctr") {
    for (const std::uint64_t size : {mebibyte, 16 * mebibyte, 256 * mebibyte})
      if (size <= plan_.strong_bytes) measure_distributing(cipher, size);
  }
  bench_.remove("IN");
}

void measure_all(Ranks& ranks, const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) Bench::give_up("usage: rank_benchmark FOLDER STRONG_MIB WEAK_MIB ROUNDS [CIPHER...]");
  const Bench bench(ranks, arguments[0]);
  const Plan plan{std::stoull(arguments[1]) * mebibyte, std::stoull(arguments[2]) * mebibyte, std::stoi(arguments[3])};
  const std::vector<std::string> names(arguments.begin() + 4, arguments.end());
  if (bench.leads())
    std::printf("{\"cpu\": \"%s\", \"engine\": \"%s\"}\n", processor_name().c_str(),
                bench.make_cipher(measured_ciphers[0], "cpu").engine().c_str());
  RankBenchmark benchmark(bench, plan);
  benchmark.run_copying();
  for (const MeasuredCipher& cipher : measured_ciphers) {
    if (names.empty() || std::ranges::find(names, cipher.name) != names.end()) benchmark.run(cipher);
  }
}

}  // namespace
}  // namespace phalanx::bench

int main(int argc, char** argv) {
  using namespace phalanx;
  using namespace phalanx::bench;
  prepare_process();
  Ranks ranks(argc, argv);
  handle_signals();
  try {
    measure_all(ranks, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    Bench::give_up(error.what());
  }
  return 0;
}

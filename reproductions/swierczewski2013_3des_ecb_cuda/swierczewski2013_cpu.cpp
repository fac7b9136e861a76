// The CPU's rows of table IV of Swierczewski (2013), and the engine of this library beside them.
//
//   swierczewski2013_cpu [--check]
//
// The paper encrypts 512 MiB. Here each figure is measured on as much as takes a thread a second or more, and multiplied:
// blocks are independent, and all take the same time. What was measured is a figure of its own.
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "reproductions/paper_program.hpp"
#include "reproductions/paper_reference.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/kernel_call.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/openmp_3des_ecb.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/paper_file.hpp"

namespace papers::swierczewski2013 {
namespace {

constexpr int num_runs = 3;
constexpr std::size_t method_bytes_per_thread = 2 * mebibyte;
constexpr std::size_t ours_bytes_per_thread = 16 * mebibyte;

void require_method(phalanx::Direction direction, Bytes in, int num_threads) {
  const ByteVector key = file_key();
  Words words = words_of(in);
  openmp_3des_ecb(make_round_keys(direction, key), words.data(), words.size(), num_threads);
  require_equal("OpenMP 3DES of " + std::to_string(in.size()) + " bytes", bytes_of(words),
                reference_ecb("des-ede3", direction, key, in));
}

void check() {
  for (const std::size_t size : {8, 32, 1032})
    for (const auto direction : {phalanx::Direction::encrypt, phalanx::Direction::decrypt})
      require_method(direction, test_data(size), 2);
}

// Median and least of a few runs, after one that is not counted: where other work goes on beside, the least is nearer.
template <class Work>
void print_runs(const char* method, int num_threads, std::size_t num_bytes, const Work& work) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < num_runs; ++run) seconds.push_back(seconds_of(work));
  const std::string row = std::to_string(num_threads) + " threads";
  print_file_time({"4", row, "CPU", method}, median(seconds), num_bytes, num_threads);
  const double whole = static_cast<double>(file_bytes) / static_cast<double>(num_bytes);
  print_figure(
      {"4", row, "CPU", method, "least time of 512 MiB", "s", *std::ranges::min_element(seconds) * whole, num_threads});
}

void measure_method(int num_threads) {
  const ByteVector in = test_data(method_bytes_per_thread * num_threads);
  require_method(phalanx::Direction::encrypt, in, num_threads);
  const RoundKeys round_keys = make_round_keys(phalanx::Direction::encrypt, file_key());
  Words words = words_of(in);
  print_runs("method", num_threads, in.size(),
             [&] { openmp_3des_ecb(round_keys, words.data(), words.size(), num_threads); });
}

void measure_ours(int num_threads) {
  const ByteVector key = file_key();
  const ByteVector in = test_data(ours_bytes_per_thread * num_threads);
  ByteVector out(in.size());
  const phalanx::Cipher ours("des-ede3-ecb", key, {.engine = "cpu", .num_threads = num_threads}, {.allow_legacy = true});
  ours.encrypt({}, in, out);
  require_ecb("ours", "des-ede3", phalanx::Direction::encrypt, key, in, out);
  print_runs("ours", num_threads, in.size(), [&] { ours.encrypt({}, in, out); });
}

// Listing 1.1's loop over the paper's own file: how many launches, and how many of their blocks lie past its end.
void count_launches(const char* row, unsigned long long size_data) {
  unsigned long long printed = 0;
  unsigned long long beyond = 0;
  unsigned long long right = 0;
  printed_launches(size_data, blocks_per_launch, [&](unsigned long long offset, unsigned long count) {
    ++printed;
    beyond += offset + count > size_data ? offset + count - std::max(offset, size_data) : 0;
  });
  launches(size_data, blocks_per_launch, [&](unsigned long long, unsigned long) { ++right; });
  const auto print = [&](const char* column, double value) {
    print_figure({"listing_1", row, column, "method", "count", "", value});
  };
  print("launches as printed", static_cast<double>(printed));
  print("blocks past the end as printed", static_cast<double>(beyond));
  print("launches put right", static_cast<double>(right));
}

void compare_block_counts() {
  int differences = 0;
  for (unsigned long N = 1; N <= 1ul << 23; N = N < 4096 ? N + 1 : N * 2 - N / 3)
    for (unsigned block_size = 8; block_size <= 512; block_size *= 2)
      differences += printed_num_cuda_blocks(N, block_size) != num_cuda_blocks(N, block_size);
  print_figure({"listing_1", "number of CUDA blocks", "printed ternary differs from rounding up", "method", "count", "",
                static_cast<double>(differences)});
  print_figure({"listing_1", "number of CUDA blocks", "for 131072 by 256, ternary without its parentheses", "method",
                "count", "",
                static_cast<double>(num_cuda_blocks_without_parentheses(blocks_per_launch, threads_per_cuda_block))});
}

void run(const Arguments& arguments) {
  check();
  if (arguments.has("--check")) return;
  print_compiler();
  count_launches("512 MiB", file_blocks);
  count_launches("8000000 bytes", 1000000);
  compare_block_counts();
  const int num_cores = omp_get_num_procs();
  for (int threads = 1;; threads = std::min(2 * threads, num_cores)) {
    measure_method(threads);
    measure_ours(threads);
    if (threads == num_cores) break;
  }
}

}  // namespace
}  // namespace papers::swierczewski2013

int main(int argc, char** argv) {
  papers::swierczewski2013::run(papers::Arguments(argc, argv));
  return 0;
}

// Tables I and II and the GPU's rows of table IV of Swierczewski (2013), and the engine `cuda` of this library beside them.
//
//   swierczewski2013_gpu [--check]
#include <algorithm>
#include <cstdio>
#include <string>

#include "reproductions/swierczewski2013_3des_ecb_cuda/core_clock.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/gpu_paper_file.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/second_card.hpp"

namespace papers::swierczewski2013 {
namespace {

// A figure that would take longer for 512 MiB is measured on the part of it that takes this long; all launches are alike.
constexpr double most_seconds = 2;

// The total time of all kernels over the file, checked, as section III measures it.
void measure_kernels(PaperFile& file, const Cell& cell, unsigned long N, unsigned block_size,
                     unsigned launch_bounds = highest_block_size) {
  GpuTimer timer;
  file.send();
  const std::size_t few = std::min<std::size_t>(file.size(), 16 * N);
  const double few_seconds = timer.seconds_of([&] { file.launch(few, N, block_size, launch_bounds); });
  const double affordable = most_seconds / few_seconds * static_cast<double>(few);
  const std::size_t num_blocks =
      affordable < static_cast<double>(file.size()) ? static_cast<std::size_t>(affordable) / N * N : file.size();
  file.send();
  const double seconds = timer.seconds_of([&] { file.launch(num_blocks, N, block_size, launch_bounds); });
  file.require_encrypted("table " + std::string(cell.table) + ", " + cell.column, num_blocks);
  print_file_time(cell, seconds, 8 * num_blocks);
}

// What the bound for table I's largest block costs or gains at the 256 threads of tables II and IV: the smallest launch, the
// listing's and the largest.
void compare_launch_bounds(PaperFile& file) {
  for (const unsigned bounds : {highest_block_size, threads_per_cuda_block}) {
    const std::string row = std::to_string(bounds);
    for (unsigned long N : {128, 131072, 8388608})
      measure_kernels(file, {"launch_bounds", row, std::to_string(N), "method"}, N, threads_per_cuda_block, bounds);
    print_figure({"launch_bounds", row, "a thread", "method", "registers", "", static_cast<double>(num_registers(bounds))});
  }
}

// What makes cycles of table IV's seconds.
void measure_clock(PaperFile& file) {
  const double rate = clock_rate_under([&] { file.launch(file.size(), blocks_per_launch, threads_per_cuda_block); });
  print_figure({"cores", "GPU", "GPU", "processor", "clock while the kernels run", "GHz", rate / 1e9});
  print_figure({"cores", "GPU", "GPU", "processor", "CUDA cores", "", static_cast<double>(num_cuda_cores())});
}

// Listing 1.1's loop as printed: which of the blocks after the data are no longer what they were.
void show_overrun(PaperFile& file) {
  file.send();
  Words guard(blocks_per_launch, 0x5a5a5a5a5a5a5a5a);
  require_success(cudaMemcpy(file.data().get() + file.size(), guard.data(), 8 * guard.size(), cudaMemcpyHostToDevice),
                  "a copy");
  printed_launches(file.size(), blocks_per_launch, [&](unsigned long long offset, unsigned long count) {
    launch_kernel_3des(printed_num_cuda_blocks(count, threads_per_cuda_block), threads_per_cuda_block,
                       file.data().get() + offset, count, file.keys().get());
  });
  Words after(guard.size());
  require_success(cudaMemcpy(after.data(), file.data().get() + file.size(), 8 * after.size(), cudaMemcpyDeviceToHost),
                  "a copy");
  double changed = 0;
  for (std::size_t i = 0; i < guard.size(); ++i) changed += after[i] != guard[i];
  print_figure({"listing_1", "512 MiB", "blocks past the end that the GPU overwrote", "method", "count", "", changed});
}

void print_seconds(const char* method, const char* quantity, double seconds) {
  print_figure({"4", "GPU", "GPU", method, quantity, "s", seconds});
}

// What section III leaves out of its times: "input, output and data transfer".
void measure_transfers(PaperFile& file) {
  ByteVector bytes(file_bytes);
  std::FILE* const stored = std::tmpfile();
  if (stored == nullptr) print_skipped("reading and writing the file", "no temporary file can be made here");
  if (stored != nullptr) {
    bool complete = true;
    print_seconds("method", "writing the file", seconds_of([&] {
                    complete &=
                        std::fwrite(file.plain().data(), 1, file_bytes, stored) == file_bytes && std::fflush(stored) == 0;
                  }));
    std::rewind(stored);
    print_seconds("method", "reading the file",
                  seconds_of([&] { complete &= std::fread(bytes.data(), 1, file_bytes, stored) == file_bytes; }));
    std::fclose(stored);
    if (!complete) std::fprintf(stderr, "the temporary file is short: the times of reading and writing it are not\n");
  }
  print_seconds("method", "copy to the GPU", median_seconds(3, [&] { file.send(); }));
  print_seconds("method", "copy from the GPU", median_seconds(3, [&] { file.fetch(file.size()); }));
}

void measure_ours(PaperFile& file) {
  const phalanx::Cipher ours("des-ede3-ecb", file_key(), {.engine = "cuda:0"}, {.allow_legacy = true});
  ByteVector out(file_bytes);
  const double whole = median_seconds(3, [&] { ours.encrypt({}, file.plain(), out); });
  require_equal("ours", out, file.expected());
  file.send();
  GpuTimer timer;
  const phalanx::DeviceCipher on_device("des-ede3-ecb", file_key(), {}, {.allow_legacy = true});
  const auto kernel = [&] { on_device.encrypt({}, 0, file.data().get(), file.data().get(), file_bytes); };
  timer.seconds_of(kernel);
  file.require_encrypted("ours on the GPU's own memory", file.size());
  print_file_time({"4", "GPU", "GPU", "ours"}, timer.seconds_of([&] {
    for (int i = 0; i < 10; ++i) kernel();
  }) / 10,
                  file_bytes);
  print_seconds("ours", "end to end", whole);
}

void check() {
  for (const std::size_t num_blocks : {1, 255, 1000}) {
    PaperFile file(num_blocks);
    file.send();
    file.launch(num_blocks, 300, threads_per_cuda_block);
    file.require_encrypted("encryption, a thread for each block", num_blocks);
    file.supply_keys(Direction::decrypt);
    file.launch(num_blocks, 300, threads_per_cuda_block, threads_per_cuda_block);
    file.require_decrypted("decryption, a thread for each block", num_blocks);
  }
}

void run(const Arguments& arguments) {
  require_gpu();
  check();
  if (arguments.has("--check")) return;
  print_compiler();
  PaperFile file(file_blocks);
  for (unsigned block_size = 8; block_size <= 512; block_size *= 2)
    measure_kernels(file, {"1", "Execution time (in seconds):", std::to_string(block_size), "method"}, blocks_per_launch,
                    block_size);
  for (unsigned long N : {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 8388608})
    measure_kernels(file, {"2", "Execution time (in seconds):", std::to_string(N), "method"}, N, threads_per_cuda_block);
  measure_kernels(file, {"4", "GPU", "GPU", "method"}, blocks_per_launch, threads_per_cuda_block);
  compare_launch_bounds(file);
  measure_clock(file);
  measure_transfers(file);
  measure_ours(file);
  show_overrun(file);
  measure_cards();
}

}  // namespace
}  // namespace papers::swierczewski2013

int main(int argc, char** argv) {
  papers::swierczewski2013::run(papers::Arguments(argc, argv));
  return 0;
}

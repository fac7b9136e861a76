// The GPU's columns of tables I and II of Altinok, Peker and Temizel (2020), and the engine `cuda` of this library beside
// them.
//
//   altinok2020_gpu [--check | --profile]
//
// --profile makes one encryption of every size, and prints nothing: Nsight Compute runs it, as the authors had theirs run.
#include <algorithm>
#include <string>

#include "reproductions/altinok2020_bit_level_3des_gpu/bit_level_3des.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/published_gpu_3des.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/published_kernel.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/table_sizes.hpp"
#include "reproductions/paper_gpu.hpp"
#include "reproductions/paper_program.hpp"
#include "reproductions/paper_reference.hpp"

namespace papers::altinok2020 {
namespace {

using phalanx::Direction;

constexpr double seconds_per_figure = 0.1;
// Not in the paper: a size at which a launch is long against what comes between launches.
constexpr std::size_t large_size = std::size_t{1} << 23;

// The paper's method, or the published code: both ways, every byte.
template <class Method>
void require_right(const std::string& who, Method& method, Bytes key, Bytes in) {
  ByteVector out(in.size());
  for (const auto direction : {Direction::encrypt, Direction::decrypt}) {
    method.crypt(direction, key, in, out);
    require_ecb(who + " of " + std::to_string(in.size()) + " bytes", "des-ede3", direction, key, in, out);
  }
}

// The mean time of one of `count` launches, one after another: with no gap between them what Nsight gives as a launch's
// duration.
template <class Launch>
double mean_launch_seconds(GpuTimer& timer, const Launch& launch) {
  const double once = timer.seconds_of(launch);
  const int count = static_cast<int>(std::clamp(seconds_per_figure / std::max(once, 1e-7), 3.0, 1000.0));
  return timer.seconds_of([&] {
    for (int i = 0; i < count; ++i) launch();
  }) / count;
}

// One table row's figures; see README.md for what each holds.
class Row {
 public:
  explicit Row(std::size_t num_blocks) : label_(size_label(num_blocks)) {}

  void print(const char* method, const char* quantity, double seconds) const {
    print_figure({"1", label_, "GPU", method, quantity, "ms", 1e3 * seconds});
  }

 private:
  std::string label_;
};

void measure_method(BitLevel3Des& method, Bytes key, Bytes in) {
  const std::size_t num_blocks = in.size() / bytes_per_block;
  const Row row(num_blocks);
  GpuTimer timer;
  ByteVector out(in.size());
  const auto median_of = [&](const auto& work) { return median_within(seconds_per_figure, work); };
  method.supply_keys(Direction::encrypt, key);
  const double launch = mean_launch_seconds(timer, [&] { method.launch_pass(Direction::encrypt, 0, num_blocks); });
  row.print("method", "kernel time", 3 * launch);
  row.print("method", "three launches",
            mean_launch_seconds(timer, [&] { method.launch_passes(Direction::encrypt, num_blocks); }));
  row.print("method", "keys: copy and kernel", median_of([&] {
              method.supply_keys(Direction::encrypt, key);
              require_success(cudaDeviceSynchronize(), "the key kernel");
            }));
  row.print("method", "bits to chars and back", median_of([&] {
              method.spread_text(in);
              method.gather_text(out);
            }));
  row.print("method", "copies in and out", median_of([&] {
              method.send_text(num_blocks);
              method.fetch_text(num_blocks);
            }));
  row.print("method", "end to end", median_of([&] { method.crypt(Direction::encrypt, key, in, out); }));
}

// The kernel alone, times three, and from bytes to bytes with all that the published program does at each pass.
void measure_published(Bytes key, Bytes in) {
  const std::size_t num_blocks = in.size() / bytes_per_block;
  const Row row(num_blocks);
  Published3Des published(num_blocks);
  require_right("the published code's 3DES", published, key, in);
  ByteVector out(in.size());
  const double whole = median_within(seconds_per_figure, [&] { published.crypt(Direction::encrypt, key, in, out); });
  DeviceMemory<Fips46Tables> tables(1);
  DeviceMemory<char> keys(std::size_t{num_base_keys} * round_key_chars);
  DeviceMemory<char> plain(bits_per_block * num_blocks);
  DeviceMemory<char> crypted(bits_per_block * num_blocks);
  tables.copy_in(&fips46_tables, 1);
  const std::vector<char> round_keys = Published3Des::make_round_keys(key);
  keys.copy_in(round_keys.data(), round_keys.size());
  const std::vector<char> bits = bits_of(in);
  plain.copy_in(bits.data(), bits.size());
  GpuTimer timer;
  const double launch = mean_launch_seconds(timer, [&] {
    launch_published_kernel(tables.get(), keys.get(), plain.get(), crypted.get(), static_cast<unsigned>(num_blocks));
  });
  row.print("published", "kernel time", 3 * launch);
  row.print("published", "end to end", whole);
}

void measure_ours(Bytes key, Bytes in) {
  const Row row(in.size() / bytes_per_block);
  const phalanx::Cipher ours("des-ede3-ecb", key, {.engine = "cuda"}, {.allow_legacy = true});
  ByteVector out(in.size());
  const double seconds = median_within(seconds_per_figure, [&] { ours.encrypt({}, in, out); });
  require_ecb("ours", "des-ede3", Direction::encrypt, key, in, out);
  DeviceMemory<std::uint8_t> text(in.size());
  text.copy_in(in.data(), in.size());
  GpuTimer timer;
  const phalanx::DeviceCipher on_device("des-ede3-ecb", key, {}, {.allow_legacy = true});
  const auto kernel = [&] { on_device.encrypt({}, 0, text.get(), text.get(), in.size()); };
  kernel();
  text.copy_out(out.data(), out.size());
  require_ecb("ours in the GPU's memory", "des-ede3", Direction::encrypt, key, in, out);
  row.print("ours", "kernel time", mean_launch_seconds(timer, kernel));
  row.print("ours", "end to end", seconds);
}

void measure(BitLevel3Des& method, std::size_t num_blocks) {
  const ByteVector key = table_key();
  const ByteVector in = test_data(bytes_per_block * num_blocks);
  require_right("bit-level 3DES", method, key, in);
  measure_method(method, key, in);
  measure_published(key, in);
  measure_ours(key, in);
}

void print_limits() {
  const CipherKernelLimits limits = cipher_kernel_limits();
  const auto print = [](const char* row, const char* unit, double value) {
    print_figure({"section_5", row, "GPU", "method", "of the driver", unit, value});
  };
  print("registers per thread", "", limits.registers_per_thread);
  print("shared memory per block", "bytes", limits.shared_bytes_per_block);
  print("theoretical warps per SM, by the driver", "", limits.warps_per_multiprocessor);
  print("theoretical occupancy, by the driver", "%",
        100.0 * limits.warps_per_multiprocessor / limits.highest_warps_per_multiprocessor);
}

void profile() {
  BitLevel3Des method(last_size);
  const ByteVector key = table_key();
  const ByteVector in = test_data(bytes_per_block * last_size);
  ByteVector out(in.size());
  for (std::size_t size = first_size; size <= last_size; size *= 2)
    method.crypt(Direction::encrypt, key, Bytes(in).first(bytes_per_block * size), out);
}

void run(const Arguments& arguments) {
  if (arguments.has("--profile")) return profile();
  require_gpu();
  BitLevel3Des method(arguments.has("--check") ? last_size : large_size);
  for (const std::size_t num_blocks : {1, 4, 129}) {
    const ByteVector in = test_data(bytes_per_block * num_blocks);
    require_right("bit-level 3DES", method, table_key(), in);
    Published3Des published(num_blocks);
    require_right("the published code's 3DES", published, table_key(), in);
  }
  if (arguments.has("--check")) return;
  print_compiler();
  print_limits();
  for (std::size_t size = first_size; size <= last_size; size *= 2) measure(method, size);
  measure(method, large_size);
}

}  // namespace
}  // namespace papers::altinok2020

int main(int argc, char** argv) {
  papers::altinok2020::run(papers::Arguments(argc, argv));
  return 0;
}

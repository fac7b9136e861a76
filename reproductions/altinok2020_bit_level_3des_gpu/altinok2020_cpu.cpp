// The CPU's columns of tables I and II of Altinok, Peker and Temizel (2020), and the engine of this library beside them.
//
//   altinok2020_cpu [--check]
#include <omp.h>

#include <algorithm>
#include <string>

#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/classical_3des.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/published_3des.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/table_sizes.hpp"
#include "reproductions/paper_program.hpp"
#include "reproductions/paper_reference.hpp"

namespace papers::altinok2020 {
namespace {

constexpr double seconds_per_figure = 0.2;

// The whole of the baseline, from bytes to bytes.
ByteVector classical(phalanx::Direction direction, Bytes key, Bytes in, int num_threads) {
  std::vector<char> bits = bits_of(in);
  classical_3des(classical_round_keys(key), direction, bits.data(), in.size() / bytes_per_block, num_threads);
  ByteVector out(in.size());
  gather_bytes(bits.data(), out);
  return out;
}

void require_classical(Bytes key, Bytes in, int num_threads) {
  for (const auto direction : {phalanx::Direction::encrypt, phalanx::Direction::decrypt})
    require_ecb("classical 3DES of " + std::to_string(in.size()) + " bytes", "des-ede3", direction, key, in,
                classical(direction, key, in, num_threads));
}

// Encryption by the published program's loop; how long the loop took.
double published(WorkVariables work, Bytes key, Bytes in, int num_threads, ByteVector& out) {
  std::vector<char> bits = bits_of(in);
  std::vector<char> crypted(bits.size());
  const std::vector<char> round_keys = classical_round_keys(key);
  const double seconds = seconds_of(
      [&] { published_cpu_3des(round_keys, work, bits.data(), crypted.data(), in.size() / bytes_per_block, num_threads); });
  gather_bytes(crypted.data(), out);
  return seconds;
}

double num_wrong_blocks(Bytes got, Bytes right) {
  double wrong = 0;
  for (std::size_t i = 0; i < right.size(); i += bytes_per_block)
    wrong += !std::equal(right.begin() + i, right.begin() + i + bytes_per_block, got.begin() + i);
  return wrong;
}

void check() {
  for (const std::size_t num_blocks : {1, 4, 129}) {
    const ByteVector in = test_data(bytes_per_block * num_blocks);
    require_classical(table_key(), in, 2);
    ByteVector out(in.size());
    published(WorkVariables::private_to_thread, table_key(), in, 2, out);
    require_ecb("the published loop, put right", "des-ede3", phalanx::Direction::encrypt, table_key(), in, out);
  }
}

// The published loop with its race, whose wrong blocks are counted, and without, which must have none.
void measure_published(Bytes key, Bytes in, int num_threads) {
  const ByteVector right = reference_ecb("des-ede3", phalanx::Direction::encrypt, key, in);
  for (const auto& [work, name] : {std::pair{WorkVariables::shared, "shared work variables"},
                                   std::pair{WorkVariables::private_to_thread, "private work variables"}}) {
    ByteVector out(in.size());
    std::vector<double> seconds;
    double wrong = 0;
    double spent = 0;
    for (int run = 0; run < 4 || (run < 100 && spent < seconds_per_figure); ++run) {
      const double once = published(work, key, in, num_threads, out);
      if (run > 0) seconds.push_back(once);
      spent += once;
      wrong = std::max(wrong, num_wrong_blocks(out, right));
    }
    if (work == WorkVariables::private_to_thread) require_equal("the published loop, put right", out, right);
    const std::string row = size_label(in.size() / bytes_per_block);
    print_figure({"1", row, "CPU", "published", name, "ms", 1e3 * median(seconds), num_threads});
    print_figure({"published_race", row, name, "published", "wrong blocks", "", wrong, num_threads});
  }
}

void measure(std::size_t num_blocks) {
  const ByteVector key = table_key();
  const ByteVector in = test_data(bytes_per_block * num_blocks);
  const int num_threads = omp_get_max_threads();
  require_classical(key, in, num_threads);
  const auto print = [&](const char* method, const char* quantity, double seconds) {
    print_figure({"1", size_label(num_blocks), "CPU", method, quantity, "ms", 1e3 * seconds, num_threads});
  };

  const std::vector<char> round_keys = classical_round_keys(key);
  std::vector<char> bits = bits_of(in);
  const auto blocks = [&] { classical_3des(round_keys, phalanx::Direction::encrypt, bits.data(), num_blocks, num_threads); };
  print("baseline", "encryption time", median_within(seconds_per_figure, blocks));
  const auto whole = [&] { classical(phalanx::Direction::encrypt, key, in, num_threads); };
  print("baseline", "end to end", median_within(seconds_per_figure, whole));

  const phalanx::Cipher ours("des-ede3-ecb", key, {.engine = "cpu", .num_threads = num_threads}, {.allow_legacy = true});
  ByteVector out(in.size());
  const double seconds = median_within(seconds_per_figure / 4, [&] { ours.encrypt({}, in, out); });
  require_ecb("ours", "des-ede3", phalanx::Direction::encrypt, key, in, out);
  print("ours", "encryption time", seconds);
  measure_published(key, in, num_threads);
}

}  // namespace
}  // namespace papers::altinok2020

int main(int argc, char** argv) {
  const papers::Arguments arguments(argc, argv);
  papers::altinok2020::check();
  if (arguments.has("--check")) return 0;
  papers::print_compiler();
  for (std::size_t size = papers::altinok2020::first_size; size <= papers::altinok2020::last_size; size *= 2)
    papers::altinok2020::measure(size);
  return 0;
}

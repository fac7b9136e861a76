// The CPU's columns of tables I and II of Altinok, Peker and Temizel (2020), and the engine of this library beside them.
//
//   altinok2020_cpu [--check]
#include <omp.h>

#include <string>

#include "reproductions/altinok2020_bit_level_3des_gpu/char_bits.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/classical_3des.hpp"
#include "reproductions/altinok2020_bit_level_3des_gpu/table_sizes.hpp"
#include "reproductions/paper_program.hpp"
#include "reproductions/paper_reference.hpp"

namespace papers::altinok2020 {
namespace {

constexpr double seconds_per_figure = 0.2;

/// The whole of the baseline, from bytes to bytes.
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

void check() {
  for (const std::size_t num_blocks : {1, 4, 129})
    require_classical(table_key(), test_data(bytes_per_block * num_blocks), 2);
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

  const phalanx::Cipher ours("des-ede3-ecb", key, {"cpu", num_threads});
  ByteVector out(in.size());
  const double seconds = median_within(seconds_per_figure / 4, [&] { ours.encrypt({}, in, out); });
  require_ecb("ours", "des-ede3", phalanx::Direction::encrypt, key, in, out);
  print("ours", "encryption time", seconds);
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

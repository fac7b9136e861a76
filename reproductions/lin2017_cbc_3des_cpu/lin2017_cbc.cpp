// Tables I to III of Lin, "Cipher-Block-Chaining Triple-DES Optimization on a Multi-thread Processor", and what its text
// says.
//
//   lin2017_cbc [--check]
#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"

namespace papers::lin2017 {

std::vector<double> print_cycles(const std::vector<Timed>& all, double seconds) {
  std::vector<phalanx::Run> runs;
  for (const Timed& timed : all) runs.push_back(timed.run);
  const std::vector<phalanx::Series> series = phalanx::sample_in_turn(runs, seconds);
  std::vector<double> cycles;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Figure figure = all[i].figure;
    figure.value = phalanx::quartiles_of(series[i].cycles).low / all[i].num_operations;
    cycles.push_back(figure.value);
    print_figure(figure);
    if (all[i].num_bytes == 0) continue;
    figure.quantity = "rate";
    figure.unit = "MB/s";
    figure.value = all[i].num_bytes / phalanx::quartiles_of(series[i].seconds).low / 1e6;
    print_figure(figure);
  }
  return cycles;
}

}  // namespace papers::lin2017

int main(int argc, char** argv) {
  const papers::Arguments arguments(argc, argv);
  papers::lin2017::check_variants();
  papers::lin2017::check_unoptimized();
  if (arguments.has("--check")) return 0;
  papers::print_compiler();
  papers::lin2017::measure_processor();
  papers::lin2017::measure_kernels(
      papers::lin2017::expand_key(std::array<std::uint8_t, 8>{0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1}));
  papers::lin2017::measure_stages();
  papers::lin2017::measure_messages();
  papers::lin2017::measure_unoptimized();
  return 0;
}

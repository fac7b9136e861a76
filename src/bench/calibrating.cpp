#include "bench/calibrating.hpp"

#include <algorithm>
#include <chrono>

#include "bench/contender.hpp"
#include "bench/sampling.hpp"
#include "bench/workload.hpp"
#include "engines/registry.hpp"
#include "io/chunk.hpp"
#include "io/engine_choice.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t most_blocks = 96;
constexpr double seconds_each = 0.012;
constexpr double gpu_seconds_each = 0.2;

/// Sets a crossover, and puts the former one back.
class CrossoverForNow {
 public:
  CrossoverForNow(const std::string& engine, const CipherSpec& cipher)
      : engine_(engine), cipher_(cipher), before_(serial_blocks(engine, cipher)) {}
  CrossoverForNow(const CrossoverForNow&) = delete;
  CrossoverForNow& operator=(const CrossoverForNow&) = delete;
  ~CrossoverForNow() { set_serial_blocks(engine_, cipher_, before_); }

  [[nodiscard]] std::size_t before() const { return before_; }
  void set(std::size_t num_blocks) const { set_serial_blocks(engine_, cipher_, num_blocks); }

 private:
  const std::string& engine_;
  const CipherSpec& cipher_;
  std::size_t before_;
};

/// Whether so many blocks are crypted faster one by one than in groups. CTR: a mode that every cipher has and that is parallel.
bool serial_is_faster(const std::string& engine, const CipherSpec& cipher, std::size_t num_blocks,
                      const CrossoverForNow& crossover) {
  const Workload workload(
      {.cipher = {.cipher = &cipher, .mode = Mode::ctr}, .message_bytes = num_blocks * cipher.block_bytes});
  const Run run = make_engine_contender(engine, 1)->prepare(workload.task());
  const Run runs[] = {[&] {
                        crossover.set(most_blocks);
                        run();
                      },
                      [&] {
                        crossover.set(0);
                        run();
                      }};
  const std::vector<Series> series = sample_in_turn(runs, seconds_each);
  return quartiles_of(series[0].seconds).median < quartiles_of(series[1].seconds).median;
}

/// The largest number of blocks below which single blocks always won; by bisection, since the curves cross once.
std::size_t measure_crossover(const std::string& engine, const CipherSpec& cipher, const CrossoverForNow& crossover) {
  std::size_t serial = 0;
  std::size_t grouped = most_blocks + 1;
  while (grouped - serial > 1) {
    const std::size_t middle = serial == 0 && grouped > 16 ? 8 : (serial + grouped) / 2;
    (serial_is_faster(engine, cipher, middle, crossover) ? serial : grouped) = middle;
  }
  return serial;
}

/// Ciphers that share a kernel share its crossover: the last of them, with the longest key, stands for all but AES's.
bool is_measured(const CipherSpec& cipher) {
  if (cipher.family == CipherFamily::aes) return true;
  const auto ciphers = all_ciphers();
  const auto last =
      std::find_if(ciphers.rbegin(), ciphers.rend(), [&](const CipherSpec& c) { return c.family == cipher.family; });
  return &*last == &cipher;
}

void calibrate_cpu(Calibration& calibration, const CalibrationReport& report) {
  for (const EngineInfo& engine : list_cpu_engines()) {
    if (!engine.usable) continue;
    for (const CipherSpec& cipher : all_ciphers()) {
      if (!is_measured(cipher)) continue;
      const CrossoverForNow crossover(engine.name, cipher);
      calibration.crossovers.push_back({.engine = engine.name,
                                        .cipher = cipher.name,
                                        .serial_blocks = measure_crossover(engine.name, cipher, crossover)});
      report.crossover(calibration.crossovers.back(), crossover.before());
    }
  }
}

/// Of the driver, the contexts and the staging buffers: what the first chunk takes longer than the second. Throws Error (usage)
/// where the engine cannot run.
double seconds_to_start_gpus() {
  const CipherSpec& cipher = *find_cipher("aes-128");
  const Workload workload({.cipher = {.cipher = &cipher, .mode = Mode::ctr}, .message_bytes = default_chunk_bytes});
  double seconds[2];
  for (double& passed : seconds) {
    const auto start = std::chrono::steady_clock::now();
    make_engine_contender("cuda", 0)->prepare(workload.task())();
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return std::max(0.0, seconds[0] - seconds[1]);
}

GpuComparison compare_with_gpus(const CipherSpec& cipher, double start_seconds) {
  const Workload workload(
      {.cipher = {.cipher = &cipher, .mode = Mode::ctr}, .message_bytes = default_chunk_bytes, .in_place = true});
  const Run runs[] = {make_engine_contender("cpu", 0)->prepare(workload.task()),
                      make_engine_contender("cuda", 0)->prepare(workload.task())};
  const std::vector<Series> series = sample_in_turn(runs, gpu_seconds_each);
  const auto rate = [&](const Series& samples) { return default_chunk_bytes / quartiles_of(samples.seconds).median; };
  GpuComparison found{.crossover = {.cipher = cipher.name, .num_bytes = {}},
                      .start_seconds = start_seconds,
                      .cpu_rate = rate(series[0]),
                      .gpu_rate = rate(series[1])};
  found.crossover.num_bytes = gpu_crossover(start_seconds, found.cpu_rate, found.gpu_rate);
  return found;
}

void calibrate_gpus(Calibration& calibration, const CalibrationReport& report) {
  double start_seconds = 0;
  try {
    start_seconds = seconds_to_start_gpus();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) return;  // there is no GPU
    throw;
  }
  for (const CipherSpec& cipher : all_ciphers()) {
    if (!is_measured(cipher)) continue;
    const GpuComparison found = compare_with_gpus(cipher, start_seconds);
    calibration.gpu_crossovers.push_back(found.crossover);
    report.gpu(found);
  }
}

}  // namespace

Calibration calibrate(const CalibrationReport& report) {
  Calibration calibration;
  calibrate_gpus(calibration, report);  // first, while nothing has started them
  calibrate_cpu(calibration, report);
  return calibration;
}

}  // namespace phalanx::bench

#include "program/cli/bench/calibrating.hpp"

#include <algorithm>

#include "engine/engines/registry.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/modes/named_cipher.hpp"
#include "program/cli/bench/engine_speed.hpp"
#include "program/cli/bench/sampling.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_blocks = 96;
constexpr double seconds_each = 0.012;

// This sets a crossover, and puts the former one back.
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

// Says whether so many blocks are crypted faster one by one than in groups.
bool serial_is_faster(const KeyedMode& cipher, std::size_t num_blocks, const CrossoverForNow& crossover) {
  const std::vector<std::uint8_t> iv(cipher.iv_bytes()), in(num_blocks * cipher.block_bytes());
  std::vector<std::uint8_t> out(in.size());
  const auto run_with = [&](std::size_t serial_blocks) {
    crossover.set(serial_blocks);
    static_cast<void>(cipher.crypt(Direction::encrypt, iv, in, out));
  };
  const Run runs[] = {[&] { run_with(most_blocks); }, [&] { run_with(0); }};
  const std::vector<Series> series = sample_in_turn(runs, seconds_each);
  return quartiles_of(series[0].seconds).median < quartiles_of(series[1].seconds).median;
}

// Returns the largest number of blocks up to which single blocks always won. Bisection finds it, since the curves cross
// once. CTR is measured, which every cipher has and which is parallel.
std::size_t measure_crossover(const std::string& engine, const CipherSpec& spec, const CrossoverForNow& crossover) {
  const NamedCipher named{.cipher = &spec, .mode = Mode::ctr};
  const std::vector<std::uint8_t> key = key_to_measure(named);
  const KeyedMode cipher(named, key, {.engine = engine, .num_threads = 1}, {.allow_legacy = true});
  std::size_t serial = 0;
  std::size_t grouped = most_blocks + 1;
  while (grouped - serial > 1) {
    const std::size_t middle = serial == 0 && grouped > 16 ? 8 : (serial + grouped) / 2;
    (serial_is_faster(cipher, middle, crossover) ? serial : grouped) = middle;
  }
  return serial;
}

// Ciphers that share a kernel share its crossover. The last of them, which has the longest key, stands for all.
bool is_measured(const CipherSpec& cipher) {
  const auto ciphers = all_ciphers();
  const auto last =
      std::find_if(ciphers.rbegin(), ciphers.rend(), [&](const CipherSpec& c) { return c.kernel == cipher.kernel; });
  return &*last == &cipher;
}

}  // namespace

Calibration calibrate(const CalibrationReport& report) {
  Calibration calibration;
  for (const EngineInfo& engine : list_cpu_engines()) {
    if (!engine.usable) continue;
    for (const CipherSpec& cipher : all_ciphers()) {
      if (!is_measured(cipher)) continue;
      const CrossoverForNow crossover(engine.name, cipher);
      calibration.crossovers.push_back({.engine = engine.name,
                                        .cipher = cipher.name,
                                        .serial_blocks = measure_crossover(engine.name, cipher, crossover)});
      report(calibration.crossovers.back(), crossover.before());
    }
  }
  return calibration;
}

}  // namespace phalanx

#include "bench/measuring/limits.hpp"

#include <algorithm>

#include "bench/measuring/counted_operations.hpp"

namespace phalanx::bench {
namespace {

// What a core does in a cycle. Intel: Ice Lake's server parts and later, 256-bit VAES as from Golden Cove on; AMD: Zen 3.
struct CoreWidth {
  double logic_256;       // 256- and 128-bit logic operations
  double logic_512;       // 512-bit ones; 0: none
  double shifts_512;      // 512-bit shifts and rotations among them
  double aes_blocks;      // 16-byte AES rounds by AES-NI
  double aes_blocks_256;  // by 256-bit VAES
  double aes_blocks_512;  // by 512-bit VAES
  double aes_latency;     // cycles of a round
};

std::optional<CoreWidth> width_of(const std::string& cpu) {
  if (cpu.starts_with("Intel")) {
    return CoreWidth{.logic_256 = 3,
                     .logic_512 = 2,
                     .shifts_512 = 1,
                     .aes_blocks = 2,
                     .aes_blocks_256 = 4,
                     .aes_blocks_512 = 4,
                     .aes_latency = 3};
  }
  if (cpu.starts_with("AMD")) {
    return CoreWidth{.logic_256 = 4,
                     .logic_512 = 0,
                     .shifts_512 = 0,
                     .aes_blocks = 2,
                     .aes_blocks_256 = 4,
                     .aes_blocks_512 = 0,
                     .aes_latency = 4};
  }
  return std::nullopt;
}

std::size_t vector_bits_of(const std::string& engine) {
  return engine == "cpu:avx512" ? 512 : engine.starts_with("cpu:avx2") ? 256 : engine == "cpu:scalar" ? 128 : 0;
}

// 16-byte AES rounds in a cycle.
double aes_blocks_of(const std::string& engine, const CoreWidth& core) {
  return engine == "cpu:avx512" ? core.aes_blocks_512 : engine == "cpu:avx2+vaes" ? core.aes_blocks_256 : core.aes_blocks;
}

double cycles_of(const OperationCount& count, const CoreWidth& core, std::size_t vector_bits) {
  if (vector_bits != 512) return count.operations / core.logic_256;
  return std::max(count.operations / core.logic_512, count.shifts / core.shifts_512);
}

bool waits_for_itself(const Job& job) {
  const Mode mode = job.cipher.mode;
  const bool chained =
      mode == Mode::ofb || ((mode == Mode::cbc || mode == Mode::cfb) && job.direction == Direction::encrypt);
  return chained && job.num_messages == 1;
}

// One 64 x 64 transpose of a group of 512 blocks, AVX-512: the shuffles, blends and affine maps of
// engine/lanes/transpose_avx512.hpp.
constexpr double transpose_operations_512 = 616;

double des_limit(const Job& job, const CoreWidth& core, std::size_t vector_bits) {
  constexpr double block_bytes = 8;
  const bool two_keys = std::string_view(job.cipher.cipher->name) == "des-ede";
  const double num_rounds = two_keys ? 48 : 2 * static_cast<double>(job.cipher.cipher->key_bytes);
  OperationCount count = count_des_round(vector_bits == 512);
  count.operations *= num_rounds;
  if (vector_bits == 512) count.operations += transpose_operations_512 * (job.cipher.mode == Mode::ctr ? 1 : 2);
  return cycles_of(count, core, vector_bits) / (block_bytes * static_cast<double>(vector_bits));
}

double serpent_limit(const Job& job, const CoreWidth& core, std::size_t vector_bits) {
  constexpr double words_of_block = 4;
  const bool backwards = job.direction == Direction::decrypt &&
                         (job.cipher.mode == Mode::ecb || job.cipher.mode == Mode::cbc || job.cipher.mode == Mode::xts);
  const OperationCount count = count_serpent(vector_bits == 512, backwards ? Direction::decrypt : Direction::encrypt);
  return cycles_of(count, core, vector_bits) / (words_of_block * static_cast<double>(vector_bits) / 8);
}

double aes_limit(const Job& job, const CoreWidth& core, double blocks_per_cycle) {
  constexpr double block_bytes = 16;
  const double num_rounds = 6 + static_cast<double>(job.cipher.cipher->key_bytes) / 4;
  if (waits_for_itself(job)) return (num_rounds * core.aes_latency + 1) / block_bytes;  // and one XOR
  return num_rounds / blocks_per_cycle / block_bytes;
}

// Vector operations for as many blocks as a vector has bytes: docs/notes/speed_limits.md, "Twofish".
double twofish_limit(const CoreWidth& core, std::size_t vector_bits) {
  constexpr double block_bytes = 16;
  constexpr double num_rounds = 16;
  constexpr double whitening_and_transposes = 96;
  const double round = vector_bits == 512 ? 152 : 548;
  const OperationCount count{.operations = num_rounds * round + whitening_and_transposes};
  return cycles_of(count, core, vector_bits) / (block_bytes * static_cast<double>(vector_bits) / 8);
}

}  // namespace

std::optional<double> limit_cycles_per_byte(const Job& job, const std::string& engine, const std::string& cpu) {
  const std::optional<CoreWidth> core = width_of(cpu);
  const std::size_t vector_bits = vector_bits_of(engine);
  if (!core || vector_bits == 0 || (vector_bits == 512 && core->logic_512 == 0)) return std::nullopt;
  const CipherFamily family = job.cipher.cipher->family;
  if (family == CipherFamily::aes)
    return vector_bits == 128 ? std::nullopt : std::optional(aes_limit(job, *core, aes_blocks_of(engine, *core)));
  if (waits_for_itself(job)) return std::nullopt;
  if (family == CipherFamily::des) return des_limit(job, *core, vector_bits);
  if (family == CipherFamily::serpent) return serpent_limit(job, *core, vector_bits);
  if (family != CipherFamily::twofish || vector_bits == 128) return std::nullopt;
  return twofish_limit(*core, vector_bits);
}

}  // namespace phalanx::bench

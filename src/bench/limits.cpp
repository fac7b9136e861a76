#include "bench/limits.hpp"

#include <algorithm>

namespace phalanx::bench {
namespace {

/// What a core does in a cycle. Intel: Ice Lake's server parts and later; AMD: Zen 3.
struct Core {
  double logic_256;       ///< 256- and 128-bit logic operations
  double logic_512;       ///< 512-bit ones; 0: none
  double aes_blocks;      ///< 16-byte AES rounds by AES-NI
  double aes_blocks_512;  ///< by 512-bit VAES
  double aes_latency;     ///< cycles of a round
};

std::optional<Core> core_of(const std::string& cpu) {
  if (cpu.starts_with("Intel"))
    return Core{.logic_256 = 3, .logic_512 = 2, .aes_blocks = 2, .aes_blocks_512 = 4, .aes_latency = 3};
  if (cpu.starts_with("AMD"))
    return Core{.logic_256 = 4, .logic_512 = 0, .aes_blocks = 2, .aes_blocks_512 = 0, .aes_latency = 4};
  return std::nullopt;
}

std::size_t vector_bits_of(const std::string& engine) {
  return engine == "cpu:avx512" ? 512 : engine == "cpu:avx2" ? 256 : engine == "cpu:scalar" ? 128 : 0;
}

double logic_ports(const Core& core, std::size_t vector_bits) {
  return vector_bits == 512 ? core.logic_512 : core.logic_256;
}

// The 64 x 64 transpose of a group, one way, AVX-512: shuffles, blends and affine transformations on two ports.
constexpr double transpose_operations_512 = 616;

double des_limit(const Job& job, const Core& core, std::size_t vector_bits) {
  const RoundCost round = des_round_cost(vector_bits);
  const auto num_rounds = static_cast<double>(16 * job.cipher.cipher->key_bytes / 8);
  const bool two_keys = std::string_view(job.cipher.cipher->name) == "des-ede";
  double operations = (two_keys ? 48 : num_rounds) * round.operations;
  if (vector_bits == 512) operations += transpose_operations_512 * (job.cipher.mode == Mode::ctr ? 1 : 2);
  return operations / logic_ports(core, vector_bits) / static_cast<double>(round.group_bytes);
}

double serpent_limit(const Core& core, std::size_t vector_bits) {
  constexpr double num_rounds = 32;
  const RoundCost round = serpent_round_cost(vector_bits);
  const double by_logic = round.operations / logic_ports(core, vector_bits);
  const double by_shifts = vector_bits == 512 ? round.shifts : 0;  // port 0 alone
  return num_rounds * std::max(by_logic, by_shifts) / static_cast<double>(round.group_bytes);
}

bool waits_for_itself(const Job& job) {
  const Mode mode = job.cipher.mode;
  const bool chained =
      mode == Mode::ofb || ((mode == Mode::cbc || mode == Mode::cfb) && job.direction == Direction::encrypt);
  return chained && job.num_messages == 1;
}

double aes_limit(const Job& job, const Core& core, std::size_t vector_bits) {
  constexpr double block_bytes = 16;
  const double num_rounds = 6 + static_cast<double>(job.cipher.cipher->key_bytes) / 4;
  if (waits_for_itself(job)) return (num_rounds * core.aes_latency + 1) / block_bytes;  // and one XOR
  return num_rounds / (vector_bits == 512 ? core.aes_blocks_512 : core.aes_blocks) / block_bytes;
}

// Twofish, AVX-512, a round of 64 blocks of 16 bytes: docs/performance.md, "Twofish".
constexpr double twofish_cycles_per_byte_512 = 1.25;

}  // namespace

RoundCost des_round_cost(std::size_t vector_bits) {
  constexpr double key_and_feistel = 48 + 32;
  const double boxes = vector_bits == 512 ? 170 : 322;
  return {.operations = boxes + key_and_feistel,
          .shifts = 0,
          .group_bytes = 8 * vector_bits};  // a block of 8 bytes for each bit
}

RoundCost serpent_round_cost(std::size_t vector_bits) {
  constexpr double key = 4;
  constexpr double rotations = 6;
  constexpr double shifts = 2;
  const std::size_t group_bytes = 4 * vector_bits / 8;  // four words of a block's quarter
  if (vector_bits == 512) {
    return {.operations = 58.0 / 8 + key + rotations + shifts + 4, .shifts = rotations + shifts, .group_bytes = group_bytes};
  }
  constexpr double three_operations = 3;  // a rotation is two shifts and an OR
  constexpr double exclusive_ors = 8;
  return {.operations = 134.0 / 8 + key + rotations * three_operations + shifts + exclusive_ors,
          .shifts = 0,
          .group_bytes = group_bytes};
}

std::optional<double> limit_cycles_per_byte(const Job& job, const std::string& engine, const std::string& cpu) {
  const std::optional<Core> core = core_of(cpu);
  const std::size_t vector_bits = vector_bits_of(engine);
  if (!core || vector_bits == 0 || (vector_bits == 512 && core->logic_512 == 0)) return std::nullopt;
  switch (job.cipher.cipher->family) {
    case CipherFamily::des:
      return waits_for_itself(job) ? std::nullopt : std::optional(des_limit(job, *core, vector_bits));
    case CipherFamily::serpent:
      return waits_for_itself(job) ? std::nullopt : std::optional(serpent_limit(*core, vector_bits));
    case CipherFamily::aes:
      return vector_bits == 128 ? std::nullopt : std::optional(aes_limit(job, *core, vector_bits));
    case CipherFamily::twofish:
      break;
  }
  return vector_bits != 512 || waits_for_itself(job) ? std::nullopt : std::optional(twofish_cycles_per_byte_512);
}

}  // namespace phalanx::bench

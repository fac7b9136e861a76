#include "io/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "modes/chaining.hpp"

namespace phalanx {
namespace {

// The longest message that a crossover may ask for; what a measurement puts beyond is never.
constexpr double most_bytes = 1e15;

// Chunks of 4 MiB in CTR on an Intel Xeon of family 6 model 207 with 16 threads (AVX-512) and on an NVIDIA H100, 2026-11-22.
constexpr double built_in_start_seconds = 0.4;
constexpr double built_in_gpu_rate = 6.6e9;  // the copies count, the cipher hardly

constexpr double built_in_thread_rate(CipherFamily family) {
  switch (family) {
    case CipherFamily::des:
      return 0.88e9;
    case CipherFamily::serpent:
      return 1.1e9;
    case CipherFamily::twofish:
      return 1.0e9;
    case CipherFamily::aes:
      break;
  }
  return 5.2e9;
}

struct Threshold {
  std::optional<std::uint64_t> num_bytes;
  bool measured = false;
};

/// Ciphers that share a kernel share its crossover; it stands under the name of one of them.
bool share_crossover(const CipherSpec& a, const CipherSpec& b) {
  return a.family == b.family && (a.family != CipherFamily::aes || a.key_bytes == b.key_bytes);
}

Threshold threshold_of(const CipherSpec& cipher, int num_threads, const FoundCalibration& found) {
  if (found.calibration) {
    for (const GpuCrossover& crossover : found.calibration->gpu_crossovers) {
      if (share_crossover(*find_cipher(crossover.cipher), cipher)) return {crossover.num_bytes, true};
    }
  }
  return {built_in_gpu_crossover(cipher, num_threads), false};
}

std::string size_text(std::uint64_t num_bytes) {
  return num_bytes < 1000000 ? fmt::format("{} bytes", num_bytes)
                             : fmt::format("{:.1f} MB", static_cast<double>(num_bytes) / 1e6);
}

}  // namespace

std::string requested_engine(std::string_view name) {
  if (!name.empty()) return std::string(name);
  const char* from_environment = std::getenv("PHALANX_ENGINE");
  return from_environment != nullptr && *from_environment != '\0' ? from_environment : "auto";
}

EngineChoice choose_engine(const MessageAhead& message, const FoundCalibration& found) {
  if (!is_divisible(message.named.mode, message.direction))
    return {"cpu", "a GPU does not speed up one message in a serial mode"};
  if (message.by_sectors) return {"cpu", "sectors are too short for a GPU"};
  const Threshold threshold = threshold_of(*message.named.cipher, message.num_threads, found);
  const char* const origin = threshold.measured ? "measured by phalanx bench --calibrate" : "built in";
  if (!threshold.num_bytes) return {"cpu", fmt::format("with this cipher a GPU is not faster, {}", origin)};
  if (!message.num_bytes) return {"cpu", "the length is not known"};
  const bool takes_gpu = *message.num_bytes >= *threshold.num_bytes;
  return {takes_gpu ? "cuda" : "cpu", fmt::format("{}; a GPU is faster from {} on, {}", size_text(*message.num_bytes),
                                                  size_text(*threshold.num_bytes), origin)};
}

std::optional<std::uint64_t> built_in_gpu_crossover(const CipherSpec& cipher, int num_threads) {
  return gpu_crossover(built_in_start_seconds, num_threads * built_in_thread_rate(cipher.family), built_in_gpu_rate);
}

std::optional<std::uint64_t> gpu_crossover(double start_seconds, double cpu_rate, double gpu_rate) {
  if (gpu_rate <= cpu_rate) return std::nullopt;
  // start + bytes / gpu_rate = bytes / cpu_rate
  const double num_bytes = std::ceil(std::max(0.0, start_seconds) / (1 / cpu_rate - 1 / gpu_rate));
  if (!(num_bytes < most_bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(num_bytes);
}

}  // namespace phalanx

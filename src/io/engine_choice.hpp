// What `--engine auto` means: the CPU, or GPUs where a message is so long that they make up for starting them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ciphers/direction.hpp"
#include "io/calibration_file.hpp"
#include "modes/named_cipher.hpp"

namespace phalanx {

/// One message that is to be crypted.
struct MessageAhead {
  NamedCipher named{};
  Direction direction = Direction::encrypt;
  bool by_sectors = false;                   ///< XTS, each sector a data unit
  std::optional<std::uint64_t> num_bytes{};  ///< nullopt: of unknown length, as a pipe's
  int num_threads = 1;                       ///< of the CPU
};

/// What an option names: itself; empty: $PHALANX_ENGINE, else "auto".
[[nodiscard]] std::string requested_engine(std::string_view name);

struct EngineChoice {
  std::string engine;  ///< "cpu" or "cuda"
  std::string reason;  ///< for -v
};

/// The engine for a message, whether or not there is a GPU. By the crossovers that were measured on this machine, or else the built-in
/// ones.
[[nodiscard]] EngineChoice choose_engine(const MessageAhead& message, const FoundCalibration& found);

/// From how many bytes on GPUs are taken for a cipher where nothing was measured; nullopt: never. Made of the figures of one machine, the
/// CPU's in proportion to its threads.
[[nodiscard]] std::optional<std::uint64_t> built_in_gpu_crossover(const CipherSpec& cipher, int num_threads);

/// From how many bytes on a GPU that takes start_seconds to start and then crypts at gpu_rate is done before a CPU at cpu_rate (bytes
/// a second); nullopt: never.
[[nodiscard]] std::optional<std::uint64_t> gpu_crossover(double start_seconds, double cpu_rate, double gpu_rate);

}  // namespace phalanx

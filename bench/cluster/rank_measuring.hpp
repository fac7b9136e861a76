// What the measurements of ranks share: the data, made and judged by all ranks together, and times between barriers.
#pragma once

#include <cstdint>
#include <functional>
#include <phalanx/cipher.hpp>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "program/cluster/ranks.hpp"

namespace phalanx::bench {

/// A cipher that is measured. A container's is under `encrypt` and `decrypt`.
struct MeasuredCipher {
  const char* name;  ///< "aes-256-ctr", or "container"
  const char* iv;    ///< in hex
  std::size_t key_bytes;
  [[nodiscard]] bool is_container() const { return *iv == 0; }
};
inline constexpr MeasuredCipher measured_ciphers[] = {
    {"2des-ctr", "0123456789abcdef", 16},
    {"des-ede3-ctr", "0123456789abcdef", 24},
    {"aes-256-ctr", "00112233445566778899aabbccddeeff", 32},
    {"container", "", 32},
};

/// A part of some bytes that is a rank's: a multiple of 64 bytes, as equal as can be.
struct RankPart {
  std::uint64_t position, num_bytes;
};
[[nodiscard]] RankPart part_of(std::uint64_t num_bytes, int rank, int num_ranks);

/// The best engine is what is measured; another one of the same processor judges it.
[[nodiscard]] const char* judging_engine();

/// The ranks, and a folder that all of them see.
class Bench {
 public:
  Bench(Ranks& ranks, std::string folder) : ranks_(ranks), folder_(std::move(folder)) {}

  [[nodiscard]] Ranks& ranks() const { return ranks_; }
  [[nodiscard]] bool leads() const { return ranks_.rank() == 0; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// Makes a file of bytes that repeat nowhere, each rank a part of it.
  void make_file(const std::string& name, std::uint64_t num_bytes) const;
  void make_key(const MeasuredCipher& cipher) const;  ///< key-<name>
  void remove(const std::string& name) const;         ///< by rank 0, and no other goes on before

  /// Ends all ranks unless OUT is IN under the cipher, by another engine than the best one, every byte, or is the same for
  /// nullptr.
  void require_output(const MeasuredCipher* cipher, const std::string& in, const std::string& out) const;

  /// Seconds until all ranks have done it, from a barrier on.
  [[nodiscard]] double time(const std::function<void()>& work) const;

  /// What each rank may measure by itself.
  [[nodiscard]] Cipher make_cipher(const MeasuredCipher& cipher, const char* engine) const;
  [[nodiscard]] static std::vector<std::uint8_t> iv_of(const MeasuredCipher& cipher);
  [[nodiscard]] static std::vector<std::uint8_t> key_of(const MeasuredCipher& cipher);

  [[noreturn]] static void give_up(const std::string& why);

 private:
  Ranks& ranks_;
  std::string folder_;
};

}  // namespace phalanx::bench

// libcrypto's scrypt is stood in for here: a test sees what was asked for, and dear requests cost it nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace phalanx::test {

inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// The cost of each derivation since the last call, in mebibytes.
[[nodiscard]] std::vector<std::uint64_t> take_derived();

/// Dearer derivations are counted, and not computed: their key is zeros, which for a passphrase is wrong. At first 4 MiB.
void compute_up_to(std::uint64_t mebibytes);

/// The derivation that comes after so many others is wrong in one bit, as on a machine whose memory fails, or fails.
enum class Mishap : unsigned char { none, wrong_bit, failure };
void let_happen(Mishap mishap, unsigned after = 0);

}  // namespace phalanx::test

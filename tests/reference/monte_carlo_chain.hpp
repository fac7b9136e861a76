// The Monte Carlo chains by which standards test ciphers: many blocks one after another, each step's output the next one's
// input, and a key that changes with the output after every step of the outer loop.
#pragma once

#include <string>

#include "engine/ciphers/direction.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {

/// Where a chain stands at the start of a step of its outer loop.
struct ChainState {
  ByteVector key;
  ByteVector iv;  ///< empty for ECB
  ByteVector input;
};

/// Who says how a chain goes on.
enum class ChainRule {
  /// AESAVS section 6.4 (NIST, 2002): 1000 blocks a step.
  cavp_aes,
  /// SP 800-20, the Monte Carlo tests of TECB: 10,000 blocks a step, and keys with odd parity.
  cavp_tdes,
  /// NIST's Monte Carlo tests for the candidates of the AES (1998): 10,000 blocks a step.
  aes_candidate,
};

/// Runs one step of the outer loop: returns its last output, and moves `state` on to the next step. `cipher` has no mode;
/// `mode` is ecb, cbc, cfb or ofb (all but ECB only for rules in which they are defined).
ByteVector run_step(ChainRule rule, const std::string& cipher, const std::string& mode, Direction direction,
                    ChainState& state);

}  // namespace phalanx::test

// self_test checks these answers: one message in every cipher and mode. Tests compute the same table from the
// reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <span>
#include <vector>

namespace phalanx {

struct KnownAnswer {
  const char* name;  ///< cipher and mode
  std::uint64_t fingerprint;
};

std::span<const KnownAnswer> known_answers();

/// key[i] = i + 1
std::vector<std::uint8_t> known_answer_key(std::size_t size);
/// All ones but the last bit: a counter wraps at its second block.
std::vector<std::uint8_t> known_answer_iv(std::size_t size);
/// Some bytes that do not repeat. Long enough for the widest kernel's group of lanes twice and some blocks more, and with a
/// short last block where the cipher and mode take one.
std::vector<std::uint8_t> known_answer_message(bool whole_blocks);

/// FNV-1a, 64 bits: it finds faults, not forgers.
std::uint64_t fingerprint_of(Bytes bytes);

}  // namespace phalanx

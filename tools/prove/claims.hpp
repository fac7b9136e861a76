// A claim is that two recordings are the same function: what ships, and what its standard says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "and_graph.hpp"
#include "engine/ciphers/direction.hpp"

namespace prove {

struct Recording {
  Signals implementation;
  Signals specification;
};

struct Claim {
  std::string name;  ///< family.what
  Recording (*record)();
  bool slow = false;            ///< too slow for `make prove`: only `make prove-all` proves it
  bool by_polynomials = false;  ///< compared as polynomials (outside_cores/polynomials.hpp) rather than by berkeley-abc
};

std::vector<Claim> des_claims();
std::vector<Claim> gpu_des_claims();
std::vector<Claim> des_vector_claims();
std::vector<Claim> serpent_claims();
std::vector<Claim> aes_claims();
std::vector<Claim> gpu_aes_claims();
std::vector<Claim> warp_counter_claims();
std::vector<Claim> aes_instruction_claims();
std::vector<Claim> transpose_claims();
std::vector<Claim> mode_claims();
std::vector<Claim> range_claims();
std::vector<Claim> packed_claims();
std::vector<Claim> gcm_range_claims();
std::vector<Claim> sliced_twofish_claims();
std::vector<Claim> packed_twofish_claims();
std::vector<Claim> gpu_twofish_claims();
std::vector<Claim> ghash_claims();
std::vector<Claim> gpu_ghash_claims();
std::vector<Claim> word_claims();
std::vector<Claim> plain_word_claims();
std::vector<Claim> word_neon_claims();
std::vector<Claim> tweak_claims();
std::vector<Claim> padding_claims();

/// Memory full of new inputs, byte after byte, the lowest bit first.
Signals unknown_memory(void* memory, std::size_t num_bytes);

/// Fails unless lane j computes of its own inputs what lane 0 computes of its: the same circuit, gate for gate. Lane 0 is
/// then compared with the specification, for all of them. Returns the outputs of lane 0.
Signals one_of_equal_lanes(const std::vector<Signals>& outputs, const std::vector<Signals>& inputs);

}  // namespace prove

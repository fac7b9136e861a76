// A specification's gates beside the reference's code, on random keys and blocks.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "and_graph.hpp"
#include "engine/ciphers/direction.hpp"

namespace prove {

using Specification = Signals(phalanx::Direction direction, const Signals& key, const Signals& block);

/// 64 experiments at once: experiment j is bit j of each value. The graph must be empty.
template <class Cipher, std::size_t key_bytes, std::size_t block_bytes>
bool agrees(Specification* specification) {
  std::mt19937_64 random(key_bytes);
  for (const phalanx::Direction direction : {phalanx::Direction::encrypt, phalanx::Direction::decrypt}) {
    graph() = {};
    const Signals key = graph().inputs(8 * key_bytes);
    const Signals block = graph().inputs(8 * block_bytes);
    std::vector<std::uint64_t> values(key.size() + block.size());
    for (std::uint64_t& value : values) value = random();
    const std::vector<std::uint64_t> results = graph().evaluate(specification(direction, key, block), values);
    for (unsigned experiment = 0; experiment < 64; ++experiment) {
      std::uint8_t bytes[key_bytes + block_bytes] = {};
      for (std::size_t i = 0; i < values.size(); ++i) bytes[i / 8] |= (values[i] >> experiment & 1) << (i % 8);
      const Cipher cipher(std::span<const std::uint8_t, key_bytes>(bytes, key_bytes));
      std::uint8_t out[block_bytes];
      const bool encrypt = direction == phalanx::Direction::encrypt;
      encrypt ? cipher.encrypt_block(bytes + key_bytes, out) : cipher.decrypt_block(bytes + key_bytes, out);
      for (std::size_t i = 0; i < results.size(); ++i) {
        if ((results[i] >> experiment & 1) != (out[i / 8] >> (i % 8) & 1)) return false;
      }
    }
  }
  return true;
}

}  // namespace prove

#include "outside_cores/ghash_specification.hpp"

#include <random>

#include "reference/plain_gcm.cpp"  // NOLINT: as the ciphers include theirs
#include "specifications.hpp"

namespace prove {

Signals specified_element(const Signals& block) {
  Signals element;
  for (std::size_t k = 0; k < 128; ++k) element.push_back(block[k ^ 7]);
  return element;
}

Signals specified_times_x(const Signals& V) {
  Signals product(128);
  product[0] = V[127];
  for (std::size_t k = 1; k < 128; ++k) product[k] = V[k - 1];
  for (const std::size_t k : {1, 2, 7}) product[k] = graph().xor_of(product[k], V[127]);  // R = 11100001 || 0...
  return product;
}

Signals specified_product(const Signals& X, const Signals& Y) {
  Signals Z(128, zero);
  Signals V = Y;
  for (std::size_t i = 0; i < 128; ++i) {
    for (std::size_t k = 0; k < 128; ++k) Z[k] = graph().xor_of(Z[k], graph().and_of(X[i], V[k]));
    V = specified_times_x(V);
  }
  return Z;
}

Signals specified_hash(const Signals& Y, const std::vector<Signals>& X, const std::vector<Signals>& powers) {
  Signals sum(128, zero);
  for (std::size_t i = 0; i < X.size(); ++i) {
    const Signals factor = i == 0 ? xor_of(Y, X[0]) : X[i];
    sum = xor_of(sum, specified_product(factor, powers[X.size() - 1 - i]));
  }
  return sum;
}

bool specified_ghash_is_the_reference() {
  std::mt19937_64 random(128);
  graph() = {};
  const Signals X = graph().inputs(128);
  const Signals Y = graph().inputs(128);
  std::vector<std::uint64_t> values(256);
  for (std::uint64_t& value : values) value = random();
  const Signals product = specified_product(specified_element(X), specified_element(Y));
  const std::vector<std::uint64_t> results = graph().evaluate(specified_element(product), values);
  for (unsigned experiment = 0; experiment < 64; ++experiment) {
    phalanx::reference::GcmBlock blocks[3] = {};  // X, Y and what their product is here
    for (std::size_t i = 0; i < 384; ++i) {
      const std::uint64_t value = i < 256 ? values[i] : results[i - 256];
      blocks[i / 128][i % 128 / 8] |= static_cast<std::uint8_t>((value >> experiment & 1) << (i % 8));
    }
    if (phalanx::reference::gf128_multiply(blocks[0], blocks[1]) != blocks[2]) return false;
  }
  return true;
}

}  // namespace prove

// DES, double and triple DES on CPUs: whole cores, over words with and without three-input lookups.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_serial.hpp"
#include "engine/lanes/transpose_neon.hpp"
#include "engine/lanes/transpose_scalar.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Direction;
template <class Word>
using Core = phalanx::DesCore<Word, phalanx::PlainTranspose<Word>, phalanx::SerialDes>;

using NeonCore = phalanx::DesCore<phalanx::NeonWord, phalanx::NeonTranspose, phalanx::SerialDes>;

template <class Core, Direction direction, std::size_t key_bytes>
Recording shared_key() {
  return record_shared_key<Core, direction, key_bytes>(specified_des);
}
template <class Core, Direction direction, std::size_t key_bytes>
Recording lane_keys() {
  return record_lane_keys<Core, direction, key_bytes>(specified_des);
}
template <Direction direction, std::size_t key_bytes>
Recording serial() {
  return record_single_block<Core<phalanx::Word64>, direction, key_bytes>(specified_des);
}

template <Direction direction, std::size_t key_bytes>
void add_claims(const std::string& cipher, std::vector<Claim>& claims) {
  using TwoInput = Core<phalanx::Word64>;
  using ThreeInput = Core<phalanx::LookupWord64>;
  const std::string what = cipher + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key.two_input", shared_key<TwoInput, direction, key_bytes>});
  claims.push_back({what + ".shared_key.three_input", shared_key<ThreeInput, direction, key_bytes>});
  claims.push_back({what + ".lane_keys.two_input", lane_keys<TwoInput, direction, key_bytes>});
  claims.push_back({what + ".lane_keys.three_input", lane_keys<ThreeInput, direction, key_bytes>});
  claims.push_back({what + ".shared_key.neon", shared_key<NeonCore, direction, key_bytes>});
  claims.push_back({what + ".lane_keys.neon", lane_keys<NeonCore, direction, key_bytes>});
  claims.push_back({what + ".single_block", serial<direction, key_bytes>});
}

}  // namespace

std::vector<Claim> des_claims() {
  std::vector<Claim> claims;
  add_claims<Direction::encrypt, 8>("des", claims);
  add_claims<Direction::decrypt, 8>("des", claims);
  add_claims<Direction::encrypt, 16>("2des", claims);
  add_claims<Direction::decrypt, 16>("2des", claims);
  add_claims<Direction::encrypt, 24>("3des", claims);
  add_claims<Direction::decrypt, 24>("3des", claims);
  return claims;
}

}  // namespace prove

// AES bitsliced in plain words: the whole core for machines without AES instructions.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/ciphers/aes/aes_sliced_core.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Direction;

template <Direction direction, std::size_t key_bytes>
Recording shared_key() {
  return record_shared_key<phalanx::AesSlicedCore<key_bytes / 4 + 6>, direction, key_bytes>(specified_aes);
}
template <Direction direction, std::size_t key_bytes>
Recording single_block() {
  return record_single_block<phalanx::AesSlicedCore<key_bytes / 4 + 6>, direction, key_bytes>(specified_aes);
}
// A key in each lane: set_lane puts each key's schedule where its lane is.
template <Direction direction, std::size_t key_bytes>
Recording lane_keys() {
  using Core = phalanx::AesSlicedCore<key_bytes / 4 + 6>;
  UnknownBlocks<key_bytes, Core::lanes> keys;
  UnknownBlocks<16, Core::lanes> blocks;
  std::vector<Signals> inputs = keys.inputs;
  typename Core::LaneSchedules lane_schedules;
  for (std::size_t lane = 0; lane < Core::lanes; ++lane) {
    inputs[lane].insert(inputs[lane].end(), blocks.inputs[lane].begin(), blocks.inputs[lane].end());
    typename Core::Schedule schedule;
    Core::expand_key(keys.bytes + lane * key_bytes, key_bytes, schedule);
    Core::set_lane(lane_schedules, lane, schedule);
  }
  using Vector = typename Core::Vector;
  Core::template crypt_lanes<direction>(lane_schedules, loads_of<Vector>(blocks.bytes), stores_to<Vector>(blocks.bytes));
  return {one_of_equal_lanes(blocks.now(), inputs), specified_aes(direction, keys.inputs[0], blocks.inputs[0])};
}

template <Direction direction, std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  const std::string what =
      "aes_" + std::to_string(8 * key_bytes) + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key", shared_key<direction, key_bytes>});
  claims.push_back({what + ".lane_keys", lane_keys<direction, key_bytes>});
  claims.push_back({what + ".single_block", single_block<direction, key_bytes>});
}

}  // namespace

std::vector<Claim> aes_claims() {
  std::vector<Claim> claims = {{"lemma.inverse_mix_columns", inverse_mix_columns_lemma},
                               {"lemma.equivalent_inverse_cipher", equivalent_inverse_cipher_lemma}};
  add_claims<Direction::encrypt, 16>(claims);
  add_claims<Direction::decrypt, 16>(claims);
  add_claims<Direction::encrypt, 24>(claims);
  add_claims<Direction::decrypt, 24>(claims);
  add_claims<Direction::encrypt, 32>(claims);
  add_claims<Direction::decrypt, 32>(claims);
  return claims;
}

}  // namespace prove

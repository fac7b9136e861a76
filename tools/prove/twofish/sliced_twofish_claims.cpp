// Twofish sliced in plain words, and one block by itself: the whole core for machines without byte shuffles.
// clang-format off: first of all
#include "twofish/recorded_twofish.hpp"
// clang-format on
#include "specifications.hpp"

namespace phalanx {
namespace {

// engine/lanes/word_scalar.hpp leaves this word of the compiler's own vectors out: here as two recorded numbers.
struct PlainWord128 {
  [[maybe_unused]] static constexpr bool has_lut3 = false;
  std::uint64_t bits[2];

  static PlainWord128 from_halves(std::uint64_t low, std::uint64_t high) { return {{low, high}}; }
  static PlainWord128 broadcast64(std::uint64_t x) { return {{x, x}}; }
  friend PlainWord128 operator&(const PlainWord128& a, const PlainWord128& b) {
    return {{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}};
  }
  friend PlainWord128 operator|(const PlainWord128& a, const PlainWord128& b) {
    return {{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}};
  }
  friend PlainWord128 operator^(const PlainWord128& a, const PlainWord128& b) {
    return {{a.bits[0] ^ b.bits[0], a.bits[1] ^ b.bits[1]}};
  }
  friend PlainWord128 operator~(const PlainWord128& a) { return {{~a.bits[0], ~a.bits[1]}}; }
  friend PlainWord128 and_not(const PlainWord128& a, const PlainWord128& b) { return a & ~b; }
};

}  // namespace
}  // namespace phalanx

#include "engine/ciphers/twofish/twofish_sliced.hpp"

namespace prove {
namespace {

using Core = phalanx::TwofishSlicedCore;

template <Direction direction, std::size_t key_bytes>
Recording single_block() {
  UnknownItems<key_bytes, 1> key;
  UnknownItems<16, 1> block;
  Core::Schedule schedule;
  Core::expand_key(key.bytes, key_bytes, schedule);
  Core::crypt_block<direction>(schedule, block.bytes, block.bytes);
  return {block.now()[0], specified_twofish(direction, key.inputs[0], block.inputs[0])};
}

template <Direction direction, std::size_t key_bytes, Lanes lanes>
Recording shared_key() {
  UnknownItems<key_bytes, 1> key;
  UnknownItems<16, Core::lanes> blocks(is_unknown<lanes, Core::lanes>);
  Core::Schedule schedule;
  Core::expand_key(key.bytes, key_bytes, schedule);
  Core::crypt<direction>(schedule, blocks.loads<phalanx::Block128>(), blocks.stores<phalanx::Block128>());
  return {of_unknown_lanes(blocks.now(), blocks.inputs), specified_twofish(direction, key.inputs[0], blocks.inputs[0])};
}

// A key in each lane: set_lane puts each key's schedule where its lane is.
template <Direction direction, std::size_t key_bytes, Lanes lanes>
Recording lane_keys() {
  UnknownItems<key_bytes, Core::lanes> keys(is_unknown<lanes, Core::lanes>);
  UnknownItems<16, Core::lanes> blocks(is_unknown<lanes, Core::lanes>);
  std::vector<Signals> inputs;
  static Core::LaneSchedules lane_schedules;
  for (std::size_t lane = 0; lane < Core::lanes; ++lane) {
    inputs.push_back(joined({keys.inputs[lane], blocks.inputs[lane]}));
    Core::Schedule schedule;
    Core::expand_key(keys.bytes + lane * key_bytes, key_bytes, schedule);
    Core::set_lane(lane_schedules, lane, schedule);
  }
  Core::crypt_lanes<direction>(lane_schedules, blocks.loads<phalanx::Block128>(), blocks.stores<phalanx::Block128>());
  return {of_unknown_lanes(blocks.now(), inputs), specified_twofish(direction, keys.inputs[0], blocks.inputs[0])};
}

template <Direction direction, std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims) {
  const std::string what =
      "twofish_" + std::to_string(8 * key_bytes) + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".shared_key.two_input.some_lanes", shared_key<direction, key_bytes, Lanes::some>});
  claims.push_back({what + ".lane_keys.two_input.some_lanes", lane_keys<direction, key_bytes, Lanes::some>});
  claims.push_back({what + ".shared_key.two_input", shared_key<direction, key_bytes, Lanes::all>, true});
  claims.push_back({what + ".lane_keys.two_input", lane_keys<direction, key_bytes, Lanes::all>, true});
  claims.push_back({what + ".single_block.two_input", single_block<direction, key_bytes>});
}

}  // namespace

std::vector<Claim> sliced_twofish_claims() {
  std::vector<Claim> claims;
  add_claims<Direction::encrypt, 16>(claims);
  add_claims<Direction::decrypt, 16>(claims);
  add_claims<Direction::encrypt, 24>(claims);
  add_claims<Direction::decrypt, 24>(claims);
  add_claims<Direction::encrypt, 32>(claims);
  add_claims<Direction::decrypt, 32>(claims);
  return claims;
}

}  // namespace prove

// The lanes of a warp of a GPU that share what neighbouring counters have in common (engine/ciphers/aes/gpu_aes.hpp). Their votes
// are cut: one lane is recorded, of any number, with votes that come out in any way; then it is put in the place of all 32
// lanes, and each vote is what these asked for. The rounds are cut too: what is prepared of a counter is that counter, and
// what runs from it is the same with another last byte, as `gpu_aes.counter_rounds` says it of the rounds. clang-format off:
// first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"
#include "engine/ciphers/aes/gpu_aes.hpp"
#include "modes/mode_specification.hpp"

namespace prove {
namespace {

using phalanx::GpuBlock128;
using Recorded32 = phalanx::std::uint32_t;
using Recorded64 = phalanx::std::uint64_t;

constexpr std::size_t num_lanes = 32;
constexpr std::size_t num_votes =
    5;  // of a step at most: three whether to go on, and two for which counter. The last one says no

Signals number(std::size_t value, std::size_t num_bits) {
  Signals bits;
  for (std::size_t i = 0; i < num_bits; ++i) bits.push_back(i < 64 ? value >> i & 1 : zero);
  return bits;
}
Literal are_equal(const Signals& a, const Signals& b) {
  Literal all = one;
  for (std::size_t i = 0; i < a.size(); ++i) all = graph().and_of(all, not_of(graph().xor_of(a[i], b[i])));
  return all;
}
Signals chosen(Literal which, const Signals& if_one, const Signals& if_zero) {
  Signals bits;
  for (std::size_t i = 0; i < if_one.size(); ++i) bits.push_back(graph().choose(which, if_one[i], if_zero[i]));
  return bits;
}

// A lane of any number. `asked` is what it voted for so far.
struct AnyLane {
  static inline Signals number, votes, asked;

  static Recorded32 lane() {
    Signals bits = number;
    bits.resize(32, zero);
    return Recorded32::of(bits);
  }
  static bool any_lane(bool condition) {
    asked.push_back(condition ? one : zero);
    if (asked.size() == num_votes) return false;
    return condition || RecordedBit{votes.at(asked.size() - 1)};  // one lane that votes for it is enough
  }
};

struct CutRounds {
  Recorded64 prefix;
  GpuBlock128 counter;

  template <class Tables, class RoundKeys>
  void prepare(const Tables& /*tables*/, const RoundKeys& /*round_keys*/, const Recorded32 words[4]) {
    for (int i = 0; i < 4; ++i) counter.word[i] = words[i];
  }
  template <class Tables>
  void run(const Tables& /*tables*/, const Recorded32& last_word, Recorded32 state[4]) const {
    for (int i = 0; i < 4; ++i) state[i] = counter.word[i];
    state[3] = (state[3] & 0x00ffffff) | (last_word & 0xff000000);
  }
};
struct NoTables {};
using Core = phalanx::GpuAes<10, NoTables, CutRounds, AnyLane>;

// What a step finds prepared: that of any prefix, or of none. Counters with one prefix have one high word (gpu_modes.hpp):
// so it is theirs where the prefix is that of the first or of the last lane.
CutRounds any_rounds(const Signals& first, const Signals& last) {
  const Signals prefix = graph().inputs(64);
  const Signals other = graph().inputs(64);
  const auto high_where_equal = [&](const Signals& counter, const Signals& otherwise) {
    const Signals own = joined(part(counter, 8, 56), Signals(8, zero));
    return chosen(are_equal(prefix, own), part(counter, 64, 64), otherwise);
  };
  const Signals high = high_where_equal(first, high_where_equal(last, other));
  CutRounds rounds;
  rounds.prefix = Recorded64::of(prefix);
  write_memory(rounds.counter.word, block_of(joined({number(0, 8), part(prefix, 0, 56), high})));
  return rounds;
}

// What a lane leaves: its state, what is prepared, and what it voted for. The last byte of what is prepared plays no part.
struct LaneResult {
  Signals state, prefix, prepared, asked;
};
Signals as_signals(const LaneResult& result) { return joined({result.state, result.prefix, result.prepared, result.asked}); }
LaneResult from_signals(const Signals& bits) {
  return {part(bits, 0, 128), part(bits, 128, 64), part(bits, 192, 120), part(bits, 312, num_votes)};
}

Signals record_lane(const Signals& counter, const CutRounds& rounds) {
  AnyLane::asked.clear();
  Core core;
  core.counter_rounds = rounds;
  const auto high = Recorded64::of(part(counter, 64, 64));
  const auto low = Recorded64::of(part(counter, 0, 64));
  const GpuBlock128 state = core.first_rounds_of_counter(NoTables{}, high, low);
  AnyLane::asked.resize(num_votes, zero);
  return as_signals({read_memory(state.word, sizeof state.word), core.counter_rounds.prefix.bits(),
                     part(read_memory(core.counter_rounds.counter.word, 16), 0, 120), AnyLane::asked});
}

// `lane` in the place of each of the 32, and each vote what they asked for: those before it are known by then.
std::vector<LaneResult> as_a_warp(Signals lane) {
  for (std::size_t vote = 0; vote + 1 < num_votes; ++vote) {
    Literal any = zero;
    for (std::size_t i = 0; i < num_lanes; ++i) {
      const Literal asked = from_signals(lane).asked[vote];
      any = graph().or_of(any, graph().with_inputs({asked}, AnyLane::number, number(i, 5))[0]);
    }
    lane = graph().with_inputs(lane, {AnyLane::votes[vote]}, {any});
  }
  std::vector<LaneResult> lanes;
  for (std::size_t i = 0; i < num_lanes; ++i) {
    lanes.push_back(from_signals(graph().with_inputs(lane, AnyLane::number, number(i, 5))));
  }
  return lanes;
}

// For any counter of the first lane, each lane has the rounds of its own counter, all lanes have those of the last one's
// prefix prepared for the next step, and none asks to go on after the third vote.
Recording counters_of_a_warp() {
  const Signals first = graph().inputs(128);
  AnyLane::number = graph().inputs(5);
  AnyLane::votes = graph().inputs(num_votes - 1);
  const auto counter_of = [&](const Signals& lane) { return add(first, joined(lane, Signals(123, zero)), zero); };
  const Signals last = counter_of(number(num_lanes - 1, 5));
  const CutRounds rounds = any_rounds(first, last);
  const Signals lane = on_every_path([&] { return record_lane(counter_of(AnyLane::number), rounds); });
  Recording recording;
  const std::vector<LaneResult> lanes = as_a_warp(lane);
  for (std::size_t i = 0; i < num_lanes; ++i) {
    const auto& [state, prefix, prepared, asked] = lanes[i];
    recording.implementation = joined({recording.implementation, state, prefix, prepared, {asked.back()}});
    recording.specification = joined({recording.specification,
                                      block_of(counter_of(number(i, 5))),
                                      part(last, 8, 56),
                                      Signals(8, zero),
                                      part(block_of(last), 0, 120),
                                      {zero}});
  }
  return recording;
}

}  // namespace

std::vector<Claim> warp_counter_claims() { return {{"gpu_aes.counters_of_a_warp", counters_of_a_warp}}; }

}  // namespace prove

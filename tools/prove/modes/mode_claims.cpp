// One step of every mode round a block function that nobody knows: what goes into it, the output, and the chaining state
// after. And the tweaks of XTS that a GPU makes by powers of alpha. clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/modes/chaining.cpp"
#include "engine/modes/gpu_messages.hpp"
#include "engine/modes/lane_modes.hpp"
#include "modes/mode_specification.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::Block128;
using phalanx::Direction;
using phalanx::GpuBlock128;
using phalanx::Mode;
using phalanx::step_of;
using phalanx::Word64;

// The block function of a core: keeps what it is given.
template <class Vector>
auto unknown_cipher(const Step& step, Signals& taken) {
  return [&](auto load, auto store) {
    std::uint8_t memory[sizeof(Vector)];
    load(0).store(memory);
    taken = read_memory(memory, sizeof memory);
    write_memory(memory, step.crypted);
    store(0, Vector::load(memory));
    forget_memory(memory, sizeof memory);
  };
}

// engine/modes/lane_modes.hpp, in rows: one lane.
template <class Vector>
struct InRows {
  static constexpr std::size_t block_bytes = sizeof(Vector);
  static constexpr bool branches_are_paths = false;
  template <Mode mode, Direction direction>
  static StepResult record(const Step& step) {
    constexpr phalanx::ModeStep facts = step_of(mode, direction);
    std::uint8_t first[sizeof(Vector)];  // row 0: the chaining state, and at first the row before the input
    std::uint8_t second[sizeof(Vector)];
    write_memory(first, step.chain);
    write_memory(second, step.input);
    StepResult result;
    phalanx::crypt_row<Vector, mode, direction>(first, first, second, unknown_cipher<Vector>(step, result.taken));
    phalanx::advance_chains<sizeof(Vector), facts.next>(first, 1);
    result.output = read_memory(facts.next == phalanx::ChainUpdate::input ? first : second, sizeof(Vector));
    result.chain = read_memory(phalanx::chains_rows(facts) ? second : first, sizeof(Vector));
    forget_memory(first, sizeof first);
    forget_memory(second, sizeof second);
    return result;
  }
};

// The same straight from the messages, where the output may overwrite the input.
template <class Vector, bool in_place>
struct InMessages {
  static constexpr std::size_t block_bytes = sizeof(Vector);
  static constexpr bool branches_are_paths = false;
  template <Mode mode, Direction direction>
  static StepResult record(const Step& step) {
    std::uint8_t chain[sizeof(Vector)];
    std::uint8_t kept[sizeof(Vector)];
    std::uint8_t text[2 * sizeof(Vector)];
    write_memory(chain, step.chain);
    write_memory(text, step.input);
    const std::uint8_t* const in = text;
    std::uint8_t* const out = in_place ? text : text + sizeof(Vector);
    const phalanx::LaneMessages messages{&in, &out, nullptr, 1};
    StepResult result;
    phalanx::crypt_in_messages<Vector, mode, direction>(chain, kept, messages, 0,
                                                        unknown_cipher<Vector>(step, result.taken));
    phalanx::advance_chains<sizeof(Vector), step_of(mode, direction).next>(chain, 1);
    result.output = read_memory(out, sizeof(Vector));
    result.chain = read_memory(chain, sizeof(Vector));
    for (std::uint8_t* const memory : {chain, kept, text, text + sizeof(Vector)}) forget_memory(memory, sizeof(Vector));
    return result;
  }
};

GpuBlock128 gpu_block(const Signals& bits) {
  GpuBlock128 block;
  write_memory(block.word, bits);
  return block;
}
Signals bits_of(const GpuBlock128& block) { return read_memory(block.word, sizeof block.word); }

// engine/modes/gpu_messages.hpp.
struct InThread {
  static constexpr std::size_t block_bytes = 16;
  static constexpr bool branches_are_paths = true;  // each word of a counter is asked whether it is 0, whatever it is
  template <Mode mode, Direction direction>
  static StepResult record(const Step& step) {
    phalanx::GpuMessageSteps steps{step_of(mode, direction), gpu_block(step.chain), {}};
    const Signals taken = bits_of(steps.before(gpu_block(step.input)));
    const Signals output = bits_of(steps.after(gpu_block(step.crypted)));
    return {taken, output, bits_of(steps.chain)};
  }
};

template <class Way, Mode mode, Direction direction>
void record_step(const Step& step, Recording& recording) {
  const auto record = [&] { return signals_of_step(Way::template record<mode, direction>(step)); };
  const Signals shipped = Way::branches_are_paths ? on_every_path(record) : record();
  const Signals specified = signals_of_step(specified_step(mode, direction, step));
  recording.implementation.insert(recording.implementation.end(), shipped.begin(), shipped.end());
  recording.specification.insert(recording.specification.end(), specified.begin(), specified.end());
}

template <class Way, Mode mode, Direction direction>
Recording one_step() {
  constexpr std::size_t num_bits = 8 * Way::block_bytes;
  Step step{graph().inputs(num_bits), graph().inputs(num_bits), graph().inputs(num_bits)};
  Recording recording;
  const bool inverse = step_of(mode, direction).cipher_direction == Direction::decrypt;
  recording.implementation.push_back(inverse ? one : zero);
  recording.specification.push_back(specified_inverse(mode, direction) ? one : zero);
  if (mode != Mode::ctr || Way::branches_are_paths) {
    record_step<Way, mode, direction>(step, recording);
    return recording;
  }
  // A carry from word to word is a branch: so a case for each lowest bit that is 0, and one where none is. Below it are
  // ones and above it any bits; together these are all counters.
  const Signals number = number_of(step.chain);
  for (std::size_t lowest_zero = 0; lowest_zero <= num_bits; ++lowest_zero) {
    Signals counter = number;
    for (std::size_t i = 0; i < lowest_zero; ++i) counter[i] = one;
    if (lowest_zero < num_bits) counter[lowest_zero] = zero;
    step.chain = block_of(counter);
    record_step<Way, mode, direction>(step, recording);
  }
  return recording;
}

template <class Way, Mode mode>
void add_mode(const std::string& name, const std::string& way, std::vector<Claim>& claims) {
  claims.push_back({"mode." + name + ".encrypt." + way, one_step<Way, mode, Direction::encrypt>});
  claims.push_back({"mode." + name + ".decrypt." + way, one_step<Way, mode, Direction::decrypt>});
}
template <class Way>
void add_modes(const std::string& way, std::vector<Claim>& claims) {
  add_mode<Way, Mode::ecb>("ecb", way, claims);
  add_mode<Way, Mode::cbc>("cbc", way, claims);
  add_mode<Way, Mode::cfb>("cfb", way, claims);
  add_mode<Way, Mode::ofb>("ofb", way, claims);
  add_mode<Way, Mode::ctr>("ctr", way, claims);
  if constexpr (Way::block_bytes == 16) add_mode<Way, Mode::xts>("xts", way, claims);
}

// engine/modes/gpu_tweaks.hpp: T times alpha^0 to alpha^32.
Recording gpu_powers_of_alpha() {
  const Signals tweak = graph().inputs(128);
  Recording recording;
  Signals specified = tweak;
  for (unsigned count = 0; count <= 32; ++count) {
    const GpuBlock128 t = gpu_block(tweak);
    const Signals shipped = bits_of(count < 32 ? phalanx::times_alpha(t, count) : phalanx::times_alpha_32(t));
    recording.implementation.insert(recording.implementation.end(), shipped.begin(), shipped.end());
    recording.specification.insert(recording.specification.end(), specified.begin(), specified.end());
    specified = times_alpha(specified);
  }
  return recording;
}

// T times any element: the sum of the coefficients' powers of alpha, here four to a sum, as 32 lanes have them.
Recording gpu_product() {
  const Signals tweak = graph().inputs(128);
  const Signals factor = graph().inputs(128);
  const GpuBlock128 factor_words = gpu_block(factor);
  Recording recording;
  recording.implementation = bits_of(phalanx::warp_product(gpu_block(tweak), factor_words.word, 0));
  Signals power = tweak;
  recording.specification = Signals(128, zero);
  for (unsigned i = 0; i < 128; i += 4) {
    Signals part(128, zero);
    for (unsigned j = i; j < i + 4; ++j, power = times_alpha(power)) {
      for (unsigned bit = 0; bit < 128; ++bit) {
        part[bit] = graph().xor_of(part[bit], graph().and_of(factor[j], power[bit]));
      }
    }
    recording.specification = xor_of(recording.specification, part);
  }
  return recording;
}

// engine/modes/chaining.cpp, by which a message is cut into shares: a counter any number of blocks further on.
template <std::size_t block_bytes>
Recording chain_of_counters() {
  const Signals counter = graph().inputs(8 * block_bytes);
  const Signals num_blocks = graph().inputs(64);
  const auto record = [&] {
    std::uint8_t block[block_bytes];
    write_memory(block, counter);
    phalanx::advance_counter(block, block_bytes, RecordedInteger<std::uint64_t>::of(num_blocks));
    const Signals advanced = read_memory(block, block_bytes);
    forget_memory(block, block_bytes);
    return advanced;
  };
  Signals distance = num_blocks;
  distance.resize(8 * block_bytes, zero);
  return {on_every_path(record), block_of(add(number_of(counter), distance, zero))};
}
Signals bits_of(const phalanx::FieldElement& x) { return read_memory(&x, sizeof x); }
phalanx::FieldElement field_element(const Signals& bits) {
  phalanx::FieldElement x;
  write_memory(&x, bits);
  return x;
}
// The sum of alpha^(step i) times coefficient i, times x.
Signals specified_product(const Signals& x, const Signals& coefficients, unsigned step) {
  Signals power = x;
  Signals product(128, zero);
  for (const Literal coefficient : coefficients) {
    for (unsigned bit = 0; bit < 128; ++bit) {
      product[bit] = graph().xor_of(product[bit], graph().and_of(coefficient, power[bit]));
    }
    for (unsigned i = 0; i < step; ++i) power = times_alpha(power);
  }
  return product;
}
const Signals& field_one() {
  static const Signals bits = [] {
    Signals x(128, zero);
    x[0] = one;
    return x;
  }();
  return bits;
}
// A tweak times any element.
Recording chain_of_tweaks() {
  const Signals tweak = graph().inputs(128);
  const Signals factor = graph().inputs(128);
  std::uint8_t block[16];
  write_memory(block, tweak);
  phalanx::multiply_tweak(block, field_element(factor));
  const Signals product = read_memory(block, 16);
  forget_memory(block, 16);
  return {product, specified_product(tweak, factor, 1)};
}
// A square has the coefficients of what is squared at the even powers.
Recording chain_squares() {
  const Signals x = graph().inputs(128);
  return {bits_of(phalanx::square(field_element(x))), specified_product(field_one(), x, 2)};
}
// alpha^n for all n of 10 bits, of which each chooses whether to multiply by alpha after a square.
Recording chain_powers_of_alpha() {
  const Signals n = graph().inputs(10);
  Signals exponent = n;
  exponent.resize(64, zero);
  const auto record = [&] { return bits_of(phalanx::power_of_alpha(RecordedInteger<std::uint64_t>::of(exponent))); };
  Signals power = field_one();
  Signals specified(128, zero);
  for (unsigned value = 0; value < 1U << n.size(); ++value, power = times_alpha(power)) {
    Literal is_value = one;
    for (unsigned i = 0; i < n.size(); ++i) is_value = graph().and_of(is_value, (value >> i & 1) != 0 ? n[i] : not_of(n[i]));
    for (unsigned bit = 0; bit < 128; ++bit) {
      specified[bit] = graph().or_of(specified[bit], graph().and_of(is_value, power[bit]));
    }
  }
  return {on_every_path(record), specified};
}

// engine/lanes/gpu_block.hpp: the block of the number high:low.
template <unsigned num_words>
Recording gpu_counter_block() {
  const Signals number = graph().inputs(32 * std::size_t{num_words});
  const Signals low(number.begin(), number.begin() + 64);
  Signals high(number.begin() + 64, number.end());
  high.resize(64, zero);
  using Number = RecordedInteger<std::uint64_t>;
  const auto block = phalanx::counter_block<num_words>(Number::of(high), Number::of(low));
  return {read_memory(block.word, sizeof block.word), block_of(number)};
}

}  // namespace

std::vector<Claim> mode_claims() {
  std::vector<Claim> claims;
  add_modes<InRows<Word64>>("rows_64", claims);
  add_modes<InRows<Block128>>("rows_128", claims);
  add_modes<InMessages<Word64, false>>("messages_64", claims);
  add_modes<InMessages<Word64, true>>("messages_64_in_place", claims);
  add_modes<InMessages<Block128, false>>("messages_128", claims);
  add_modes<InMessages<Block128, true>>("messages_128_in_place", claims);
  add_modes<InThread>("gpu_128", claims);
  claims.push_back({"tweaks.gpu.powers_of_alpha", gpu_powers_of_alpha});
  claims.push_back({"tweaks.gpu.product", gpu_product});
  claims.push_back({"chaining.counter_64", chain_of_counters<8>});
  claims.push_back({"chaining.counter_128", chain_of_counters<16>});
  claims.push_back({"chaining.tweak", chain_of_tweaks});
  claims.push_back({"chaining.square", chain_squares});
  claims.push_back({"chaining.powers_of_alpha", chain_powers_of_alpha});
  claims.push_back({"counters.gpu_block_64", gpu_counter_block<2>});
  claims.push_back({"counters.gpu_block_128", gpu_counter_block<4>});
  return claims;
}

}  // namespace prove

// Ranges of a message on CPUs: how a mode goes from block to block and from group to group, with a rest that is no group,
// round a cipher of which nothing is known, for each number of blocks up to more than two groups; what block j is given, what
// becomes of it and the chaining state after the last one are those of the standards' steps one after another. clang-format
// off: first of all
#include "modes/cut_core.hpp"
// clang-format on

namespace prove {
namespace {

struct Range {
  std::size_t num_blocks;
  std::size_t serial_blocks;
  bool in_place;
};

// What became of a range: what the cipher was given, in which direction, the output, and the chaining state.
template <class Core, Mode mode, Direction direction>
Signals crypted(const Range& range, const Signals& iv, const Signals& text, CutCipher& cipher) {
  alignas(64) static std::uint8_t memory[2][64 * 16];
  alignas(16) std::uint8_t chain[16];
  write_memory(chain, iv);
  write_memory(memory[0], text);
  std::uint8_t* const out = memory[range.in_place ? 0 : 1];
  cipher.start();
  CutCipher* const schedule = &cipher;
  if constexpr (phalanx::step_of(mode, direction).is_serial()) {
    phalanx::crypt_serially<Core, mode, direction>(schedule, chain, memory[0], out, range.num_blocks);
  } else {
    using ModeType = typename phalanx::RangeMode<Core, mode, direction>::Type;
    phalanx::crypt_groups<ModeType>(schedule, chain, memory[0], out, range.num_blocks, range.serial_blocks);
  }
  cipher.taken.resize(range.num_blocks);
  cipher.inverse.resize(range.num_blocks);
  const Signals result =
      joined({joined(cipher.taken), cipher.inverse, read_memory(out, Core::block_bytes * range.num_blocks),
              read_memory(chain, Core::block_bytes)});
  forget_memory(memory, sizeof memory);
  forget_memory(chain, sizeof chain);
  return result;
}

Signals specified(Mode mode, Direction direction, const Signals& iv, const Signals& text, const CutCipher& cipher) {
  Signals taken;
  Signals output;
  Signals chain = iv;
  const std::size_t block_bits = iv.size();
  const std::size_t num_blocks = text.size() / block_bits;
  for (std::size_t i = 0; i < num_blocks; ++i) {
    const StepResult step = specified_step(mode, direction, {element_of(text, block_bits, i), chain, cipher.given.at(i)});
    taken = joined(taken, step.taken);
    output = joined(output, step.output);
    chain = step.chain;
  }
  return joined({taken, Signals(num_blocks, specified_inverse(mode, direction) ? one : zero), output, chain});
}

// Every length up to more than two groups and a rest.
template <class Core, Mode mode, Direction direction>
Recording ranges() {
  Recording recording;
  for (std::size_t num_blocks = 1; num_blocks <= 2 * Core::lanes + 3; ++num_blocks) {
    for (const std::size_t serial_blocks : {0, 2}) {
      for (const bool in_place : {false, true}) {
        const Signals iv = graph().inputs(8 * Core::block_bytes);
        const Signals text = graph().inputs(iv.size() * num_blocks);
        CutCipher cipher;
        const auto record = [&] {
          return crypted<Core, mode, direction>({num_blocks, serial_blocks, in_place}, iv, text, cipher);
        };
        // A group of counters of 128 bits asks whether they carry out of 32.
        const bool asks = mode == Mode::ctr && Core::block_bytes == 16;
        recording.implementation = joined(recording.implementation, asks ? on_every_path(record) : record());
        recording.specification = joined(recording.specification, specified(mode, direction, iv, text, cipher));
      }
    }
  }
  return recording;
}

template <class Core>
void add_claims(const std::string& core, std::vector<Claim>& claims) {
  for_each_divisible_mode<Core>([&]<Mode mode, Direction direction>(const std::string& name) {
    claims.push_back({"range." + name + core, ranges<Core, mode, direction>});
  });
}
template <class Core>
void add_serial_claims(const std::string& core, std::vector<Claim>& claims) {
  claims.push_back({"range.cbc.encrypt." + core, ranges<Core, Mode::cbc, Direction::encrypt>});
  claims.push_back({"range.cfb.encrypt." + core, ranges<Core, Mode::cfb, Direction::encrypt>});
  claims.push_back({"range.ofb.encrypt." + core, ranges<Core, Mode::ofb, Direction::encrypt>});
}

}  // namespace

std::vector<Claim> range_claims() {
  std::vector<Claim> claims;
  add_serial_claims<CutCore<Block128, 4>>("serial", claims);
  add_claims<CutCore<Block128, 4>>("scalar", claims);
  add_claims<CutCore<Word128, 4>>("avx2_block", claims);
  add_claims<CutCoreWithNarrower<Word256, 8>>("avx2", claims);
  add_claims<CutCoreLastFirst<Word512, 8>>("avx512", claims);
  add_claims<CutCore<NeonWord, 4>>("neon", claims);
  add_serial_claims<CutCore<Word64, 4, 8>>("serial_64", claims);
  add_claims<CutCoreWithNarrower<Word64, 4, 8>>("scalar_64", claims);
  add_claims<CutCoreLastFirst<Word256, 8, 8>>("avx2_64", claims);
  add_claims<CutCoreLastFirst<Word512, 8, 8>>("avx512_64", claims);
  add_claims<CutCoreLastFirst<NeonWord, 8, 8>>("neon_64", claims);
  return claims;
}

}  // namespace prove

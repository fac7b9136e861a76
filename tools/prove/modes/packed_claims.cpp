// Short messages that are joined to groups (engine/modes/packed_ranges.hpp), round a cipher of which nothing is known: of every message
// what each block is given, what becomes of it and the chaining state after the last one are those of the standards' steps. clang-format
// off: first of all
#include "modes/cut_core.hpp"
// clang-format on
#include <optional>

namespace prove {
namespace {

struct Batch {
  std::vector<std::size_t> num_blocks;  // of each message
  std::size_t serial_blocks;
  bool in_place;

  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t blocks : num_blocks) sum += blocks;
    return sum;
  }
};

// A joined group's blocks stand in the cipher's order where they came from: which message and block each is.
struct Place {
  std::size_t message, block;
};
std::vector<Place> order_of(const Batch& batch, std::size_t lanes) {
  std::vector<Place> order, rests;
  for (std::size_t message = 0; message < batch.num_blocks.size(); ++message) {
    const std::size_t whole = batch.num_blocks[message] / lanes * lanes;
    for (std::size_t i = 0; i < batch.num_blocks[message]; ++i) (i < whole ? order : rests).push_back({message, i});
    while (rests.size() >= lanes) {
      const auto group = rests.begin() + static_cast<std::ptrdiff_t>(lanes);
      order.insert(order.end(), rests.begin(), group);
      rests.erase(rests.begin(), group);
    }
  }
  order.insert(order.end(), rests.begin(), rests.end());
  return order;
}

// What became of a batch: what the cipher was given, in which direction, the output, and the chaining states.
template <class Core, Mode mode, Direction direction>
Signals crypted(const Batch& batch, const Signals& ivs, const Signals& text, CutCipher& cipher) {
  using Packed = phalanx::PackedRanges<Core, mode, direction>;
  constexpr std::size_t most_messages = 4;
  alignas(64) static std::uint8_t memory[2][64 * 16];
  alignas(16) std::uint8_t chains[most_messages * Core::block_bytes];
  write_memory(chains, ivs);
  write_memory(memory[0], text);
  std::uint8_t* const out = memory[batch.in_place ? 0 : 1];
  cipher.start();
  CutCipher* const schedule = &cipher;
  std::optional<Packed> packed;
  packed.emplace(schedule, batch.serial_blocks);
  std::size_t done = 0;
  for (std::size_t i = 0; i < batch.num_blocks.size(); ++i) {
    packed->add({chains + i * Core::block_bytes, memory[0] + done, out + done, batch.num_blocks[i]});
    done += batch.num_blocks[i] * Core::block_bytes;
  }
  packed->flush();
  packed.reset();
  forget_memory(&packed, sizeof packed);
  cipher.taken.resize(batch.total());
  cipher.inverse.resize(batch.total());
  const Signals result = joined({joined(cipher.taken), cipher.inverse, read_memory(out, Core::block_bytes * batch.total()),
                                 read_memory(chains, ivs.size() / 8)});
  forget_memory(memory, sizeof memory);
  forget_memory(chains, sizeof chains);
  return result;
}

template <class Core>
Signals specified(Mode mode, Direction direction, const Batch& batch, const Signals& ivs, const Signals& text,
                  const CutCipher& cipher) {
  constexpr std::size_t block_bits = 8 * Core::block_bytes;
  const std::vector<Place> order = order_of(batch, Core::lanes);
  std::vector<Signals> taken(order.size());
  Signals output, chains;
  std::size_t done = 0;
  for (std::size_t message = 0; message < batch.num_blocks.size(); ++message) {
    Signals chain = element_of(ivs, block_bits, message);
    for (std::size_t block = 0; block < batch.num_blocks[message]; ++block, ++done) {
      std::size_t place = 0;
      while (order[place].message != message || order[place].block != block) ++place;
      const StepResult step =
          specified_step(mode, direction, {element_of(text, block_bits, done), chain, cipher.given.at(place)});
      taken[place] = step.taken;
      output = joined(output, step.output);
      chain = step.chain;
    }
    chains = joined(chains, chain);
  }
  return joined({joined(taken), Signals(order.size(), specified_inverse(mode, direction) ? one : zero), output, chains});
}

template <class Core, Mode mode, Direction direction>
Recording packed() {
  constexpr std::size_t lanes = Core::lanes;
  constexpr bool asks = mode == Mode::ctr && Core::block_bytes == 16;  // whether counters carry: each block by itself
  std::vector<std::vector<std::size_t>> all = {{1, 2}, {lanes - 1, 2}};
  if (!asks) all.insert(all.end(), {{lanes + 1, 3, 2 * lanes - 1, lanes}, {2 * lanes + 3, lanes - 3, 1}, {1, 1, lanes, 1}});
  Recording recording;
  for (const std::vector<std::size_t>& num_blocks : all) {
    for (const std::size_t serial_blocks : {0, 2}) {
      for (const bool in_place : {false, true}) {
        const Batch batch{num_blocks, serial_blocks, in_place};
        const Signals ivs = graph().inputs(8 * Core::block_bytes * num_blocks.size());
        const Signals text = graph().inputs(8 * Core::block_bytes * batch.total());
        CutCipher cipher;
        const auto record = [&] { return crypted<Core, mode, direction>(batch, ivs, text, cipher); };
        recording.implementation = joined(recording.implementation, asks ? on_every_path(record) : record());
        recording.specification =
            joined(recording.specification, specified<Core>(mode, direction, batch, ivs, text, cipher));
      }
    }
  }
  return recording;
}

template <class Core>
void add_claims(const std::string& core, std::vector<Claim>& claims) {
  for_each_divisible_mode<Core>([&]<Mode mode, Direction direction>(const std::string& name) {
    if constexpr (mode != Mode::ctr || Core::block_bytes == 8 || Core::lanes == 4) {
      claims.push_back({"packed." + name + core, packed<Core, mode, direction>});
    }
  });
}

}  // namespace

std::vector<Claim> packed_claims() {
  std::vector<Claim> claims;
  add_claims<CutCore<Block128, 4>>("scalar", claims);
  add_claims<CutCoreWithNarrower<Word256, 8>>("avx2", claims);
  add_claims<CutCoreLastFirst<Word512, 8>>("avx512", claims);
  add_claims<CutCore<NeonWord, 4>>("neon", claims);
  add_claims<CutCoreWithNarrower<Word64, 4, 8>>("scalar_64", claims);
  add_claims<CutCoreLastFirst<Word256, 8, 8>>("avx2_64", claims);
  add_claims<CutCoreLastFirst<Word512, 8, 8>>("avx512_64", claims);
  add_claims<CutCoreLastFirst<NeonWord, 8, 8>>("neon_64", claims);
  return claims;
}

}  // namespace prove

// GCM over whole blocks on CPUs (engine/modes/gcm_range.hpp), round a cipher and a hash of which nothing is known: what the cipher is given
// are the counters one after another, what comes out is the text with what the cipher gives added, and the hash takes in every block of
// ciphertext in its order, once, before it is overwritten, and then what follows the text. clang-format off: first of all
#include "modes/cut_core.hpp"
// clang-format on
#include "engine/modes/gcm_range.hpp"

namespace prove {
namespace {

// What a hash has taken in, block after block. What stands for Y is how many blocks it comes after, and asked is that each is
// added to the Y after the one before.
struct HashLog {
  std::vector<Signals> blocks;
  bool is_in_order = true;

  void take(const void* from, std::size_t num_blocks) {
    for (std::size_t i = 0; i < num_blocks; ++i)
      blocks.push_back(read_memory(static_cast<const std::uint8_t*>(from) + 16 * i, 16));
  }
  void expect(std::size_t num_blocks) { is_in_order = is_in_order && blocks.size() == num_blocks; }
};
HashLog hash_log;

// As Ghash of engine/modes/ghash.hpp is used.
template <class V, std::size_t powers>
struct CutHash {
  struct Key {};
  struct BlockType {
    std::size_t num_hashed;
  };
  static constexpr std::size_t num_powers = powers;
  static constexpr std::size_t blocks_per_vector = sizeof(V) / 16;

  struct InMemory {
    const std::uint8_t* blocks;
    std::size_t num_blocks;
  };
  struct Sum {
    std::size_t num_expected;
    InMemory last;

    Sum(const Key& /*key*/, BlockType y, std::size_t num_blocks, InMemory last_)
        : num_expected(y.num_hashed + num_blocks), last(last_) {
      hash_log.expect(y.num_hashed);
      if (num_blocks + last.num_blocks > num_powers) hash_log.is_in_order = false;
    }
    void add(V x, std::size_t count) {
      std::uint8_t bytes[sizeof(V)];
      x.store(bytes);
      hash_log.take(bytes, count);
      forget_memory(bytes, sizeof bytes);
    }
    void add(const std::uint8_t* in, std::size_t num_blocks) { hash_log.take(in, num_blocks); }
    void add_block(const std::uint8_t* in) { hash_log.take(in, 1); }
    [[nodiscard]] BlockType reduced() const {
      hash_log.expect(num_expected);
      hash_log.take(last.blocks, last.num_blocks);
      return {num_expected + last.num_blocks};
    }
  };
  static BlockType update(const Key& /*key*/, BlockType y, const std::uint8_t* in, std::size_t num_blocks, InMemory last) {
    hash_log.expect(y.num_hashed);
    hash_log.take(in, num_blocks);
    hash_log.take(last.blocks, last.num_blocks);
    return {y.num_hashed + num_blocks + last.num_blocks};
  }
  template <std::size_t group_blocks>
  struct Stepwise {
    static constexpr int num_steps = static_cast<int>(group_blocks / blocks_per_vector) + 1;
    BlockType sum;

    Stepwise(const Key& /*key*/, BlockType y) : sum(y) {}
    void step(int i, const std::uint8_t* in) {
      if (i == 0) hash_log.expect(sum.num_hashed);
      if (i < num_steps - 1) hash_log.take(in + sizeof(V) * static_cast<std::size_t>(i), blocks_per_vector);
      if (i == num_steps - 1) sum.num_hashed += group_blocks;
    }
  };
};

// A core that leaves room beside its rounds.
template <class V, std::size_t num_lanes>
struct CutCoreBeside : CutCore<V, num_lanes> {
  static constexpr int num_steps_beside = 9;
  template <Direction direction, class Load, class Store, class Beside>
  static void crypt_beside(CutCipher* const& cipher, Load load, Store store, Beside beside) {
    bool is_first = true;
    CutCore<V, num_lanes>::template crypt<direction>(cipher, load, [&](std::size_t i, V v) {
      for (int step = 0; is_first && step < num_steps_beside; ++step) beside(step);
      is_first = false;
      store(i, v);
    });
  }
  static void fetch_line(phalanx::PrefetchHint /*ahead*/, int /*line*/) {}
};
template <class V, std::size_t num_lanes>
struct CutCoreBesideWithNarrower : CutCoreBeside<V, num_lanes> {
  using Narrower = CutCoreBeside<V, num_lanes / 2>;
};

struct Range {
  std::size_t num_blocks, num_last, serial_blocks;
  bool in_place;
};

template <class Core, class Hash, Direction direction, bool is_by_stretches>
Signals crypted(const Range& range, const Signals& counter, const Signals& text, const Signals& last_blocks,
                CutCipher& cipher) {
  alignas(64) static std::uint8_t memory[2][264 * 16];
  alignas(16) std::uint8_t iv[16], last[2 * 16];
  write_memory(iv, counter);
  write_memory(memory[0], text);
  write_memory(last, last_blocks);
  std::uint8_t* const out = memory[range.in_place ? 0 : 1];
  cipher.start();
  hash_log = HashLog();
  CutCipher* const schedule = &cipher;
  const typename Hash::InMemory end{last, range.num_last};
  typename Hash::BlockType y{0};
  if constexpr (is_by_stretches) {
    const auto ctr = [&](std::uint8_t* at, const std::uint8_t* from, std::uint8_t* to, std::size_t count) {
      phalanx::crypt_groups<phalanx::Ctr<Core>>(schedule, at, from, to, count, range.serial_blocks);
    };
    y = phalanx::gcm_crypt_by_stretches<Core, Hash, direction>({}, iv, y, memory[0], out, range.num_blocks, end, ctr);
  } else {
    const phalanx::GcmCounter first = phalanx::GcmCounter::load(iv);
    y = phalanx::gcm_crypt<Core, Hash, direction>(schedule, {}, first, y, memory[0], out, range.num_blocks, end,
                                                  range.serial_blocks);
  }
  hash_log.expect(y.num_hashed);
  cipher.taken.resize(range.num_blocks);
  hash_log.blocks.resize(range.num_blocks + range.num_last, Signals(128, zero));
  const Literal is_in_order = hash_log.is_in_order ? one : zero;
  const Signals result =
      joined({joined(cipher.taken), read_memory(out, 16 * range.num_blocks), joined(hash_log.blocks), {is_in_order}});
  forget_memory(memory, sizeof memory);
  forget_memory(iv, sizeof iv);
  forget_memory(last, sizeof last);
  return result;
}

Signals specified(Direction direction, const Signals& counter, const Signals& text, const Signals& last,
                  const CutCipher& cipher) {
  Signals taken, output;
  Signals number = counter;
  for (std::size_t i = 0; i < text.size() / 128; ++i) {
    taken = joined(taken, number);
    output = joined(output, xor_of(element_of(text, 128, i), cipher.given.at(i)));
    number = next_counter(number);
  }
  return joined({taken, output, direction == Direction::encrypt ? output : text, last, {one}});
}

// A counter whose 32 bits that count are below 2^16: engines cut a text where they would begin again.
Signals some_counter() {
  Signals number = graph().inputs(128);
  for (std::size_t i = 16; i < 32; ++i) number[i] = zero;
  return block_of(number);
}

template <class Core, class Hash, Direction direction, bool is_by_stretches>
Recording gcm(const std::vector<std::size_t>& lengths) {
  Recording recording;
  for (const std::size_t num_blocks : lengths) {
    for (const std::size_t num_last : {0, 1, 2}) {
      if (num_blocks + num_last == 0) continue;
      const Range range{num_blocks, num_last, num_last == 1 ? std::size_t{0} : 2, (num_blocks + num_last) % 2 == 0};
      const Signals counter = some_counter(), text = graph().inputs(128 * num_blocks);
      const Signals last = graph().inputs(128 * num_last);
      CutCipher cipher;
      const Signals found =
          on_every_path([&] { return crypted<Core, Hash, direction, is_by_stretches>(range, counter, text, last, cipher); });
      recording.implementation = joined(recording.implementation, found);
      recording.specification = joined(recording.specification, specified(direction, counter, text, last, cipher));
    }
  }
  return recording;
}

template <class Core, class Hash, Direction direction>
Recording beside() {
  std::vector<std::size_t> lengths;
  const std::size_t least = phalanx::least_blocks_beside<Core>();
  for (std::size_t i = 0; i <= least + Core::lanes + 1; ++i)
    if (i <= Core::lanes + 1 || i + 1 >= least) lengths.push_back(i);
  return gcm<Core, Hash, direction, false>(lengths);
}
template <class Core, class Hash, Direction direction>
Recording by_stretches() {
  return gcm<Core, Hash, direction, true>({0, 1, 2, 6, 9});
}

}  // namespace

std::vector<Claim> gcm_range_claims() {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  using Aesni = CutCoreBeside<Word128, 4>;
  using AesniHash = CutHash<Word128, 9>;
  using Neon = CutCoreBeside<NeonWord, 4>;
  using NeonHash = CutHash<NeonWord, 9>;
  using Vaes = CutCoreBesideWithNarrower<Word256, 8>;
  using VaesHash = CutHash<Word256, 33>;
  using Avx512 = CutCoreBeside<Word512, 8>;
  using Avx512Hash = CutHash<Word512, 17>;
  using Scalar = CutCore<Block128, 4>;
  using ScalarHash = CutHash<Block128, 1>;
  return {{"range.gcm.encrypt.aesni", beside<Aesni, AesniHash, encrypt>},
          {"range.gcm.decrypt.aesni", beside<Aesni, AesniHash, decrypt>},
          {"range.gcm.encrypt.avx2_vaes", beside<Vaes, VaesHash, encrypt>},
          {"range.gcm.decrypt.avx2_vaes", beside<Vaes, VaesHash, decrypt>},
          {"range.gcm.encrypt.avx512", beside<Avx512, Avx512Hash, encrypt>},
          {"range.gcm.decrypt.avx512", beside<Avx512, Avx512Hash, decrypt>},
          {"range.gcm.encrypt.neon", beside<Neon, NeonHash, encrypt>},
          {"range.gcm.decrypt.neon", beside<Neon, NeonHash, decrypt>},
          {"range.gcm.encrypt.by_stretches", by_stretches<Scalar, ScalarHash, encrypt>},
          {"range.gcm.decrypt.by_stretches", by_stretches<Scalar, ScalarHash, decrypt>}};
}

}  // namespace prove

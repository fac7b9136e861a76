// DES, double and triple DES of one block in vectors, and of a few by shuffles of bytes: recorded with the shipped vectors
// over recorded instructions, with key schedules, in all of their lanes.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_serial.hpp"
#include "engine/ciphers/des/des_shuffled.hpp"
#include "engine/ciphers/des/des_shuffles_avx2.hpp"
#include "engine/ciphers/des/des_shuffles_avx512.hpp"
#include "engine/lanes/transpose_avx2.hpp"
#include "engine/lanes/transpose_avx512.hpp"
#include "recorded_crypt.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

using phalanx::DesHalvesByBoxes;
using phalanx::DesHalvesInWords;
using phalanx::Direction;
using phalanx::Word256;
using phalanx::Word512;

// A core of shuffles, with the schedules of the sliced one that it is the narrower one of, as kernels have them.
template <class Halves, class Sliced>
struct Shuffled : phalanx::DesShuffledCore<Halves, phalanx::SerialDesVector<typename Halves::Vector>> {
  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, phalanx::DesSchedule& schedule) {
    phalanx::WithBoxKeys<Sliced>::expand_key(key, key_bytes, schedule);
  }
};
using SlicedAvx2 = phalanx::DesCore<Word256, phalanx::Transpose256, phalanx::SerialDesVector<Word256>>;
using SlicedAvx512 = phalanx::DesCore<Word512, phalanx::MatrixTranspose<Word512>, phalanx::SerialDesVector<Word512>>;

template <class Core, Direction direction, std::size_t key_bytes>
Recording blocks() {
  return record_shared_key<Core, direction, key_bytes>(specified_des);
}
template <class Core, Direction direction, std::size_t key_bytes>
Recording single_block() {
  return record_single_block<Core, direction, key_bytes>(specified_des);
}

template <template <class> class Halves, class Sliced, Direction direction, std::size_t key_bytes>
void add_blocks(std::vector<Claim>& claims, const std::string& what, const std::string& set) {
  using Core = Shuffled<Halves<typename Sliced::Vector>, Sliced>;
  claims.push_back(
      {what + ".shuffled." + set + "." + std::to_string(Core::lanes) + "_blocks", blocks<Core, direction, key_bytes>});
}
template <class Sliced, Direction direction, std::size_t key_bytes>
void add_set(std::vector<Claim>& claims, const std::string& cipher, const std::string& set) {
  const std::string what = cipher + (direction == Direction::encrypt ? ".encrypt" : ".decrypt");
  claims.push_back({what + ".single_block." + set, single_block<Sliced, direction, key_bytes>});
  add_blocks<DesHalvesInWords, Sliced, direction, key_bytes>(claims, what, set);
  add_blocks<DesHalvesByBoxes, Sliced, direction, key_bytes>(claims, what, set);
}
template <std::size_t key_bytes>
void add_claims(std::vector<Claim>& claims, const std::string& cipher) {
  add_set<SlicedAvx2, Direction::encrypt, key_bytes>(claims, cipher, "avx2");
  add_set<SlicedAvx2, Direction::decrypt, key_bytes>(claims, cipher, "avx2");
  add_set<SlicedAvx512, Direction::encrypt, key_bytes>(claims, cipher, "avx512");
  add_set<SlicedAvx512, Direction::decrypt, key_bytes>(claims, cipher, "avx512");
}

}  // namespace

std::vector<Claim> des_vector_claims() {
  std::vector<Claim> claims;
  add_claims<8>(claims, "des");
  add_claims<16>(claims, "2des");
  add_claims<24>(claims, "3des");
  return claims;
}

}  // namespace prove

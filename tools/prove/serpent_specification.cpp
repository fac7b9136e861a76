// Serpent as its paper has it (R. Anderson, E. Biham, L. Knudsen, 1998), in the bitslice form. The S-boxes are those of the
// reference, which is included whole for them.
#include <array>

#include "reference/plain_serpent.cpp"  // NOLINT: its tables have no other name
#include "reference_agreement.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

namespace standard = phalanx::reference;

// Four words, from the lowest bit.
using Words = std::array<Signals, 4>;

Words words_of(const Signals& block) {
  Words X;
  for (std::size_t i = 0; i < 128; ++i) X[i / 32].push_back(block[i]);
  return X;
}
Signals block_of(const Words& X) {
  Signals block;
  for (const Signals& word : X) block.insert(block.end(), word.begin(), word.end());
  return block;
}

Signals rotate_left(const Signals& word, unsigned count) {
  Signals rotated(32);
  for (unsigned i = 0; i < 32; ++i) rotated[(i + count) % 32] = word[i];
  return rotated;
}
Signals rotate_right(const Signals& word, unsigned count) { return rotate_left(word, 32 - count); }
Signals shift_left(const Signals& word, unsigned count) {
  Signals shifted(count, zero);
  shifted.insert(shifted.end(), word.begin(), word.end() - count);
  return shifted;
}

Words substitute(const std::uint8_t (&box)[16], const Words& X) {
  Words Y;
  for (std::size_t j = 0; j < 32; ++j) {
    const Signals outputs = specified_box(box, {X[0][j], X[1][j], X[2][j], X[3][j]}, 4);
    for (std::size_t i = 0; i < 4; ++i) Y[i].push_back(outputs[i]);
  }
  return Y;
}

Words mix_key(Words X, const Words& K) {
  for (std::size_t i = 0; i < 4; ++i) X[i] = xor_of(X[i], K[i]);
  return X;
}

Words LT(Words X) {
  X[0] = rotate_left(X[0], 13);
  X[2] = rotate_left(X[2], 3);
  X[1] = xor_of(xor_of(X[1], X[0]), X[2]);
  X[3] = xor_of(xor_of(X[3], X[2]), shift_left(X[0], 3));
  X[1] = rotate_left(X[1], 1);
  X[3] = rotate_left(X[3], 7);
  X[0] = xor_of(xor_of(X[0], X[1]), X[3]);
  X[2] = xor_of(xor_of(X[2], X[3]), shift_left(X[1], 7));
  X[0] = rotate_left(X[0], 5);
  X[2] = rotate_left(X[2], 22);
  return X;
}

Words LT_inverse(Words X) {
  X[2] = rotate_right(X[2], 22);
  X[0] = rotate_right(X[0], 5);
  X[2] = xor_of(xor_of(X[2], X[3]), shift_left(X[1], 7));
  X[0] = xor_of(xor_of(X[0], X[1]), X[3]);
  X[3] = rotate_right(X[3], 7);
  X[1] = rotate_right(X[1], 1);
  X[3] = xor_of(xor_of(X[3], X[2]), shift_left(X[0], 3));
  X[1] = xor_of(xor_of(X[1], X[0]), X[2]);
  X[2] = rotate_right(X[2], 3);
  X[0] = rotate_right(X[0], 13);
  return X;
}

std::vector<Words> key_schedule(const Signals& key) {
  Signals padded = key;
  if (padded.size() < 256) padded.push_back(one);
  padded.resize(256, zero);
  std::vector<Signals> w;  // w[i + 8] is the paper's w_i
  for (std::size_t i = 0; i < 8; ++i) w.push_back({padded.begin() + 32 * i, padded.begin() + 32 * (i + 1)});
  for (std::uint32_t i = 0; i < 132; ++i) {
    Signals sum = xor_of(xor_of(w[i], w[i + 3]), xor_of(w[i + 5], w[i + 7]));
    for (unsigned bit = 0; bit < 32; ++bit) sum[bit] ^= (0x9e3779b9U ^ i) >> bit & 1;
    w.push_back(rotate_left(sum, 11));
  }
  std::vector<Words> K;
  for (unsigned i = 0; i < 33; ++i) {
    const std::size_t from = 8 + 4 * std::size_t{i};
    K.push_back(substitute(standard::S[(35 - i) % 8], {w[from], w[from + 1], w[from + 2], w[from + 3]}));
  }
  return K;
}

}  // namespace

Signals specified_serpent_keys(const Signals& key) {
  Signals keys;
  for (const Words& K : key_schedule(key)) {
    const Signals block = block_of(K);
    keys.insert(keys.end(), block.begin(), block.end());
  }
  return keys;
}

Signals specified_serpent_round(Direction direction, unsigned round, const Signals& K, const Signals& B) {
  Words X = mix_key(words_of(B), words_of(K));
  if (direction == Direction::encrypt) {
    X = substitute(standard::S[round % 8], X);
    return block_of(round < 31 ? LT(X) : X);
  }
  if (round < 31) X = LT_inverse(X);
  return block_of(substitute(standard::S_inverse.table[round % 8], X));
}

Signals specified_serpent(Direction direction, const Signals& key, const Signals& block) {
  const std::vector<Words> K = key_schedule(key);
  Words B = words_of(block);
  if (direction == Direction::encrypt) {
    for (unsigned i = 0; i < 31; ++i) B = LT(substitute(standard::S[i % 8], mix_key(B, K[i])));
    return block_of(mix_key(substitute(standard::S[7], mix_key(B, K[31])), K[32]));
  }
  B = mix_key(substitute(standard::S_inverse.table[7], mix_key(B, K[32])), K[31]);
  for (unsigned i = 31; i-- > 0;) B = mix_key(substitute(standard::S_inverse.table[i % 8], LT_inverse(B)), K[i]);
  return block_of(B);
}

bool specified_serpent_is_the_reference() {
  return agrees<standard::Serpent, 16, 16>(specified_serpent) && agrees<standard::Serpent, 24, 16>(specified_serpent) &&
         agrees<standard::Serpent, 32, 16>(specified_serpent);
}

}  // namespace prove

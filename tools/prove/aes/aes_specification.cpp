// The S-boxes are those of the reference, which is included whole for them.
#include "aes/aes_specification.hpp"

#include <array>

#include "reference/plain_aes.cpp"  // NOLINT: its tables have no other name
#include "reference_agreement.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

namespace standard = phalanx::reference;

// Section 3.4: s[r, c] is byte r + 4 c.
using State = std::array<Signals, 16>;
Signals& at(State& s, unsigned r, unsigned c) { return s[r + 4 * (c % 4)]; }

State state_of(const Signals& bytes, std::size_t first) {
  State s;
  for (std::size_t i = 0; i < 128; ++i) s[i / 8].push_back(bytes[8 * first + i]);
  return s;
}

// Section 4.2: times x, modulo x^8 + x^4 + x^3 + x + 1.
Signals xtimes(const Signals& b) {
  Signals doubled = {b[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6]};
  for (const std::size_t i : {1, 3, 4}) doubled[i] = graph().xor_of(doubled[i], b[7]);
  return doubled;
}
Signals multiply(Signals a, unsigned factor) {
  Signals product(8, zero);
  for (; factor != 0; factor >>= 1, a = xtimes(a)) {
    if (factor & 1) product = xor_of(product, a);
  }
  return product;
}

Signals substitute(const Signals& b, const std::array<std::uint8_t, 256>& table) {
  return specified_box(table.data(), b, 8);
}
void sub_bytes(State& s, const std::array<std::uint8_t, 256>& table) {
  for (Signals& b : s) b = substitute(b, table);
}
void shift_rows(State& s, Direction direction) {
  State before = s;
  for (unsigned r = 0; r < 4; ++r) {
    for (unsigned c = 0; c < 4; ++c) at(s, r, c) = at(before, r, direction == Direction::encrypt ? c + r : c + 4 - r);
  }
}
// Each column times the circulant matrix whose first row is given.
void mix_columns(State& s, const std::array<unsigned, 4>& row) {
  State before = s;
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned r = 0; r < 4; ++r) {
      Signals sum(8, zero);
      for (unsigned k = 0; k < 4; ++k) sum = xor_of(sum, multiply(at(before, (r + k) % 4, c), row[k]));
      at(s, r, c) = sum;
    }
  }
}
// Section 5.3.3: the circulant of {0e}, {0b}, {0d}, {09}, as that of {05}, {00}, {04}, {00} and then that of MIXCOLUMNS():
// sums that berkeley-abc finds in the implementation too. The claim lemma.inverse_mix_columns proves that it is the same.
void inv_mix_columns(State& s) {
  mix_columns(s, {0x05, 0x00, 0x04, 0x00});
  mix_columns(s, {0x02, 0x03, 0x01, 0x01});
}
void add_round_key(State& s, const Signals& w, std::size_t round) {
  const State key = state_of(w, 16 * round);
  for (std::size_t i = 0; i < 16; ++i) s[i] = xor_of(s[i], key[i]);
}

State cipher_up_to(State s, const Signals& w, std::size_t last_round, std::size_t Nr) {
  add_round_key(s, w, 0);
  for (std::size_t round = 1; round <= last_round; ++round) {
    sub_bytes(s, standard::sbox.forward);
    shift_rows(s, Direction::encrypt);
    if (round < Nr) mix_columns(s, {0x02, 0x03, 0x01, 0x01});
    add_round_key(s, w, round);
  }
  return s;
}
State cipher(const State& s, const Signals& w, std::size_t Nr) { return cipher_up_to(s, w, Nr, Nr); }
State inv_cipher(State s, const Signals& w, std::size_t Nr) {
  add_round_key(s, w, Nr);
  for (std::size_t round = Nr; round-- > 0;) {
    shift_rows(s, Direction::decrypt);
    sub_bytes(s, standard::sbox.inverse);
    add_round_key(s, w, round);
    if (round > 0) inv_mix_columns(s);
  }
  return s;
}

// Section 5.3.5.
void equivalent_inverse_substitution(State& s) {
  sub_bytes(s, standard::sbox.inverse);
  shift_rows(s, Direction::decrypt);
}
State equivalent_inverse_cipher(State s, const Signals& dw, std::size_t Nr) {
  add_round_key(s, dw, Nr);
  for (std::size_t round = Nr - 1; round > 0; --round) {
    equivalent_inverse_substitution(s);
    inv_mix_columns(s);
    add_round_key(s, dw, round);
  }
  equivalent_inverse_substitution(s);
  add_round_key(s, dw, 0);
  return s;
}

Signals bytes_of(const State& s) {
  Signals bytes;
  for (const Signals& b : s) bytes.insert(bytes.end(), b.begin(), b.end());
  return bytes;
}

}  // namespace

namespace {

// Section 5.2. A word is made of the words before, or of what stands for them.
using Word = std::array<Signals, 4>;
using Words = std::vector<Word>;
Words words_of(const Signals& bytes) {
  Words w(bytes.size() / 32);
  for (std::size_t i = 0; i < bytes.size(); ++i) w[i / 32][i % 32 / 8].push_back(bytes[i]);
  return w;
}
Signals bytes_of(const Words& w) {
  Signals bytes;
  for (const Word& word : w) {
    for (const Signals& b : word) bytes.insert(bytes.end(), b.begin(), b.end());
  }
  return bytes;
}
Words key_expansion(const Words& key, const Words* before) {
  const std::size_t Nk = key.size();
  Words w = key;
  std::uint8_t Rcon = 1;
  for (std::size_t i = Nk; i < 4 * (Nk + 7); ++i) {
    const Words& known = before != nullptr ? *before : w;
    Word temp = known[i - 1];
    if (i % Nk == 0) {
      temp = {temp[1], temp[2], temp[3], temp[0]};
      for (Signals& b : temp) b = substitute(b, standard::sbox.forward);
      for (unsigned bit = 0; bit < 8; ++bit) temp[0][bit] ^= Rcon >> bit & 1;
      Rcon = standard::xtimes(Rcon);
    } else if (Nk > 6 && i % Nk == 4) {
      for (Signals& b : temp) b = substitute(b, standard::sbox.forward);
    }
    for (std::size_t j = 0; j < 4; ++j) temp[j] = xor_of(known[i - Nk][j], temp[j]);
    w.push_back(temp);
  }
  return w;
}

}  // namespace

Signals specified_aes_key_expansion(const Signals& key) { return bytes_of(key_expansion(words_of(key), nullptr)); }

Signals specified_aes_equivalent_keys(const Signals& w) {
  const std::size_t Nr = w.size() / 128 - 1;
  Signals dw;
  for (std::size_t round = 0; round <= Nr; ++round) {
    State key = state_of(w, 16 * round);
    if (round != 0 && round != Nr) inv_mix_columns(key);
    const Signals bytes = bytes_of(key);
    dw.insert(dw.end(), bytes.begin(), bytes.end());
  }
  return dw;
}

Signals aes_round_keys_reversed(const Signals& words) {
  Signals reversed;
  for (auto end = words.end(); end != words.begin(); end -= 128) reversed.insert(reversed.end(), end - 128, end);
  return reversed;
}

Signals specified_aes_schedule(const Signals& key, const Signals& made) {
  const Signals made_w(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(made.size() / 2));
  const Words before = words_of(made_w);
  Signals schedule = bytes_of(key_expansion(words_of(key), &before));
  const Signals dw = aes_round_keys_reversed(specified_aes_equivalent_keys(made_w));
  schedule.insert(schedule.end(), dw.begin(), dw.end());
  return schedule;
}

Signals specified_aes_rounds(Direction direction, const Signals& words, const Signals& block) {
  const std::size_t Nr = words.size() / 128 - 1;
  const State s = state_of(block, 0);
  return bytes_of(direction == Direction::encrypt ? cipher(s, words, Nr) : equivalent_inverse_cipher(s, words, Nr));
}

Signals specified_aes_first_rounds(const Signals& w, const Signals& block, std::size_t num_rounds) {
  return bytes_of(cipher_up_to(state_of(block, 0), w, num_rounds, num_rounds + 1));
}

Signals specified_aes_share(Direction direction, unsigned row, const Signals& byte) {
  const bool encrypts = direction == Direction::encrypt;
  const std::array<unsigned, 4> factors =
      encrypts ? std::array<unsigned, 4>{0x02, 0x03, 0x01, 0x01} : std::array<unsigned, 4>{0x0e, 0x0b, 0x0d, 0x09};
  const Signals substituted = substitute(byte, encrypts ? standard::sbox.forward : standard::sbox.inverse);
  Signals column;
  for (unsigned r = 0; r < 4; ++r) {
    const Signals product = multiply(substituted, factors[(row + 4 - r) % 4]);
    column.insert(column.end(), product.begin(), product.end());
  }
  return column;
}

Signals specified_aes(Direction direction, const Signals& key, const Signals& block) {
  const std::size_t Nr = key.size() / 32 + 6;
  const Signals w = specified_aes_key_expansion(key);
  const State s = state_of(block, 0);
  return bytes_of(direction == Direction::encrypt ? cipher(s, w, Nr) : inv_cipher(s, w, Nr));
}

Recording inverse_mix_columns_lemma() {
  const Signals column = graph().inputs(32);
  State in_two_steps;
  for (std::size_t i = 0; i < 16; ++i) in_two_steps[i].assign(8, zero);
  for (std::size_t i = 0; i < 32; ++i) in_two_steps[i / 8][i % 8] = column[i];
  State as_the_standard = in_two_steps;
  inv_mix_columns(in_two_steps);
  mix_columns(as_the_standard, {0x0e, 0x0b, 0x0d, 0x09});
  Recording recording;
  for (std::size_t i = 0; i < 32; ++i) {
    recording.implementation.push_back(in_two_steps[i / 8][i % 8]);
    recording.specification.push_back(as_the_standard[i / 8][i % 8]);
  }
  return recording;
}

Recording equivalent_inverse_cipher_lemma() {
  const Signals block = graph().inputs(128);
  const Signals w = graph().inputs(128);
  State equivalent = state_of(block, 0);
  equivalent_inverse_substitution(equivalent);
  State as_inv_cipher = state_of(block, 0);
  shift_rows(as_inv_cipher, Direction::decrypt);
  sub_bytes(as_inv_cipher, standard::sbox.inverse);
  // The last round is no more than these and ADDROUNDKEY().
  Recording recording{bytes_of(equivalent), bytes_of(as_inv_cipher)};
  inv_mix_columns(equivalent);
  State key = state_of(w, 0);
  inv_mix_columns(key);
  add_round_key(equivalent, bytes_of(key), 0);
  add_round_key(as_inv_cipher, w, 0);
  inv_mix_columns(as_inv_cipher);
  const Signals in_order = bytes_of(equivalent);
  const Signals as_specified = bytes_of(as_inv_cipher);
  recording.implementation.insert(recording.implementation.end(), in_order.begin(), in_order.end());
  recording.specification.insert(recording.specification.end(), as_specified.begin(), as_specified.end());
  return recording;
}

namespace {

// Decryption as section 5.3.5 has it, whole.
Signals by_equivalent_inverse(Direction direction, const Signals& key, const Signals& block) {
  const Signals w = specified_aes_key_expansion(key);
  return specified_aes_rounds(direction, direction == Direction::encrypt ? w : specified_aes_equivalent_keys(w), block);
}

}  // namespace

bool specified_aes_is_the_reference() {
  return agrees<standard::Aes, 16, 16>(specified_aes) && agrees<standard::Aes, 24, 16>(specified_aes) &&
         agrees<standard::Aes, 32, 16>(specified_aes) && agrees<standard::Aes, 16, 16>(by_equivalent_inverse) &&
         agrees<standard::Aes, 24, 16>(by_equivalent_inverse) && agrees<standard::Aes, 32, 16>(by_equivalent_inverse);
}

}  // namespace prove

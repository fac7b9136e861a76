// Twofish in the order of its paper, "Twofish: A 128-Bit Block Cipher", 1998. The tables of the four-bit boxes are those of the
// reference, which is included whole for them.
#include "twofish/twofish_specification.hpp"

#include "recorded_integer.hpp"
#include "reference/plain_twofish.cpp"  // NOLINT: its tables have no other name
#include "reference_agreement.hpp"
#include "specifications.hpp"

namespace prove {
namespace {

namespace standard = phalanx::reference;

Signals byte_of(const TwofishWord& word, unsigned i) { return part(word, 8 * i, 8); }

TwofishWord sum_of(const TwofishWord& a, const TwofishWord& b) { return add(a, b, zero); }
TwofishWord doubled(const TwofishWord& a) { return shift_by_constant(a, 1, true, zero); }

// ROR4(b, 1).
Signals rotate_right_4(const Signals& b) { return {b[1], b[2], b[3], b[0]}; }

// Section 4.3.5.
Signals q(const std::array<standard::Nibbles, 4>& t, const Signals& x) {
  const auto mixed = [](const Signals& a, const Signals& b) {
    const Signals eight_a = {zero, zero, zero, a[0]};
    return std::pair(xor_of(a, b), xor_of(xor_of(a, rotate_right_4(b)), eight_a));
  };
  const auto [a1, b1] = mixed(part(x, 4, 4), part(x, 0, 4));
  const auto [a3, b3] = mixed(specified_box(t[0].data(), a1, 4), specified_box(t[1].data(), b1, 4));
  return joined(specified_box(t[2].data(), a3, 4), specified_box(t[3].data(), b3, 4));
}

// A byte times a constant in GF(2^8) modulo a polynomial.
Signals product(unsigned constant, const Signals& byte, unsigned polynomial) {
  Signals sum(8, zero);
  for (unsigned bit = 0; bit < 8; ++bit) {
    const unsigned of_bit = standard::multiply(constant, 1U << bit, polynomial);
    for (unsigned i = 0; i < 8; ++i) {
      if (of_bit >> i & 1) sum[i] = graph().xor_of(sum[i], byte[bit]);
    }
  }
  return sum;
}

// Section 4.3: one word of S from eight bytes of key.
TwofishWord multiply_by_RS(const Signals& m) {
  TwofishWord S;
  for (const auto& row : standard::RS) {
    Signals s(8, zero);
    for (unsigned j = 0; j < 8; ++j) s = xor_of(s, product(row[j], part(m, 8 * j, 8), standard::w));
    S.insert(S.end(), s.begin(), s.end());
  }
  return S;
}

// Section 4.3.4: a number's four bytes are all i.
TwofishWord number_times_rho(unsigned i) {
  TwofishWord word(32);
  for (unsigned bit = 0; bit < 32; ++bit) word[bit] = i >> (bit % 8) & 1;
  return word;
}

}  // namespace

TwofishWord rotated_left(const TwofishWord& x, unsigned count) {
  return joined(part(x, 32 - count, count), part(x, 0, 32 - count));
}

Signals specified_twofish_q(unsigned which, const Signals& byte) {
  return q(which == 0 ? standard::t_of_q0 : standard::t_of_q1, byte);
}

Signals specified_twofish_s_box(unsigned column, const Signals& byte, const std::vector<TwofishWord>& L) {
  // Figure 2: which of q0 and q1 the column meets before key word L[k], and which last.
  static constexpr unsigned before[4][4] = {{0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 0, 0}, {1, 0, 0, 1}};
  static constexpr unsigned last[4] = {1, 0, 1, 0};
  Signals y = byte;
  for (std::size_t k = L.size(); k-- > 0;) y = xor_of(specified_twofish_q(before[k][column], y), byte_of(L[k], column));
  return specified_twofish_q(last[column], y);
}

TwofishWord specified_twofish_mds_column(unsigned column, const Signals& byte) {
  TwofishWord z;
  for (const auto& row : standard::MDS) z = joined(z, product(row[column], byte, standard::v));
  return z;
}

TwofishWord specified_twofish_h(const TwofishWord& X, const std::vector<TwofishWord>& L) {
  TwofishWord Z(32, zero);
  for (unsigned column = 0; column < 4; ++column) {
    const Signals y = specified_twofish_s_box(column, byte_of(X, column), L);
    Z = xor_of(Z, specified_twofish_mds_column(column, y));
  }
  return Z;
}

TwofishExpanded specified_twofish_expansion(const Signals& key) {
  TwofishExpanded expanded;
  std::vector<TwofishWord> M_even, M_odd;
  for (std::size_t i = 0; i < key.size(); i += 64) {
    M_even.push_back(part(key, i, 32));
    M_odd.push_back(part(key, i + 32, 32));
    expanded.S.insert(expanded.S.begin(), multiply_by_RS(part(key, i, 64)));
  }
  for (unsigned i = 0; i < 20; ++i) {
    const TwofishWord A = specified_twofish_h(number_times_rho(2 * i), M_even);
    const TwofishWord B = rotated_left(specified_twofish_h(number_times_rho(2 * i + 1), M_odd), 8);
    expanded.K[2 * i] = sum_of(A, B);
    expanded.K[2 * i + 1] = rotated_left(sum_of(A, doubled(B)), 9);
  }
  return expanded;
}

std::array<TwofishWord, 2> specified_twofish_sums(const TwofishWord& T0, const TwofishWord& T1, const TwofishWord& K0,
                                                  const TwofishWord& K1) {
  return {sum_of(sum_of(T0, T1), K0), sum_of(sum_of(T0, doubled(T1)), K1)};
}

std::array<TwofishWord, 2> twofish_sums_by_difference(const TwofishWord& T0, const TwofishWord& T1, const TwofishWord& K0,
                                                      const TwofishWord& K1) {
  TwofishWord not_K0 = K0;
  for (Literal& bit : not_K0) bit = not_of(bit);
  const TwofishWord F0 = sum_of(sum_of(T0, T1), K0);
  return {F0, sum_of(sum_of(T1, F0), add(K1, not_K0, one))};
}

Signals specified_twofish_rounds(Direction direction, const std::array<TwofishWord, 40>& K, const TwofishG& g,
                                 const Signals& block, TwofishSums* sums) {
  const bool encrypt = direction == Direction::encrypt;
  const unsigned before = encrypt ? 0 : 4;
  std::array<TwofishWord, 4> R;
  for (unsigned i = 0; i < 4; ++i) R[i] = xor_of(part(block, 32 * i, 32), K[before + i]);
  // Decryption takes the halves as encryption leaves them, and undoes its rounds from the last to the first.
  for (unsigned step = 0; step < 16; ++step) {
    const unsigned r = encrypt ? step : 15 - step;
    const TwofishWord T0 = g(R[0]);
    const TwofishWord T1 = g(rotated_left(R[1], 8));
    const auto [F0, F1] = sums(T0, T1, K[2 * r + 8], K[2 * r + 9]);
    if (encrypt) {
      R = {rotated_left(xor_of(R[2], F0), 31), xor_of(rotated_left(R[3], 1), F1), R[0], R[1]};
    } else {
      R = {xor_of(rotated_left(R[2], 1), F0), rotated_left(xor_of(R[3], F1), 31), R[0], R[1]};
    }
  }
  Signals out;
  for (unsigned i = 0; i < 4; ++i) out = joined(out, xor_of(R[(i + 2) % 4], K[(before + 4) % 8 + i]));
  return out;
}

Signals specified_twofish(Direction direction, const Signals& key, const Signals& block) {
  const TwofishExpanded expanded = specified_twofish_expansion(key);
  const TwofishG g = [&](const TwofishWord& X) { return specified_twofish_h(X, expanded.S); };
  return specified_twofish_rounds(direction, expanded.K, g, block);
}

bool specified_twofish_is_the_reference() {
  return agrees<standard::Twofish, 16, 16>(specified_twofish) && agrees<standard::Twofish, 24, 16>(specified_twofish) &&
         agrees<standard::Twofish, 32, 16>(specified_twofish);
}

}  // namespace prove

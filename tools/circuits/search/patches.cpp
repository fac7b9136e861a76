#include "patches.hpp"

namespace circuits {

template <int arity>
SignalSet::SignalSet(const Circuit<arity>& circuit, Signals allowed, Random& random) : at{} {
  for (Signals rest = allowed & circuit.all(); rest != 0; rest &= rest - 1) {
    id[count++] = static_cast<std::uint8_t>(__builtin_ctzll(rest));
  }
  random.shuffle(id, count);
  for (int i = 0; i < count; ++i) value[i] = circuit.value[id[i]];
  // 64 x 64 bits transposed: bit p of value[i] becomes bit i of at[p], by exchanging ever smaller squares.
  for (int i = 0; i < count; ++i) at[i] = value[i];
  Table mask = 0x00000000ffffffffU;
  for (int step = 32; step != 0; step >>= 1, mask ^= mask << step) {
    for (int row = 0; row < 64; row = ((row | step) + 1) & ~step) {
      const Table swapped = ((at[row] >> step) ^ at[row | step]) & mask;
      at[row] ^= swapped << step;
      at[row | step] ^= swapped;
    }
  }
}

template SignalSet::SignalSet(const Circuit<2>&, Signals, Random&);
template SignalSet::SignalSet(const Circuit<3>&, Signals, Random&);

namespace {

// The table with bit i set, clear or random as the cell of positions that selects it wants; -1 if it wants both.
template <int num_cells, class Cell>
int table_of_cells(Cell cell, Table on, Table off, Random& random) {
  const auto free = static_cast<int>(random.next() >> 40);
  int table = 0;
  for (int i = 0; i < num_cells; ++i) {
    const Table positions = cell(i);
    const bool one = (positions & on) != 0;
    const bool zero = (positions & off) != 0;
    if (one && zero) return -1;
    table |= one ? 1 << i : zero ? 0 : free & 1 << i;
  }
  return table;
}

}  // namespace

int table_for(Table a, Table b, Table on, Table off, Random& random) {
  return table_of_cells<4>([=](int i) { return (i & 2 ? a : ~a) & (i & 1 ? b : ~b); }, on, off, random);
}
int table_for(Table a, Table b, Table c, Table on, Table off, Random& random) {
  return table_of_cells<8>([=](int i) { return (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c); }, on, off, random);
}

}  // namespace circuits

// Tables of a GPU's shared memory (engine/lanes/lane_tables.hpp), looked up at every index by every lane of a warp. Included after
// recorded_std.hpp.
#pragma once

#include "claims.hpp"
#include "engine/lanes/lane_tables.hpp"

namespace prove {

/// What tables_of(lane) look up is entry(index), for each index that byte `byte` of a word can have, below num_entries. The
/// other bytes of the word are unknown: where they went into the address, recording would stop.
template <unsigned table, unsigned byte, unsigned num_entries = 256, class TablesOf, class Entry>
void look_up_everywhere(TablesOf tables_of, Entry entry, Recording& recording) {
  const Signals others = graph().inputs(32);
  for (unsigned index = 0; index < num_entries; ++index) {
    Signals word = others;
    for (unsigned bit = 0; bit < 8; ++bit) word[8 * byte + bit] = index >> bit & 1;
    const auto found_by = [&](unsigned lane) {
      return tables_of(lane).template look_up<table, byte>(phalanx::std::uint32_t::of(word)).bits();
    };
    const Signals found = found_by(0);
    for (unsigned lane = 1; lane < 32; ++lane) {
      if (found_by(lane) != found) throw std::runtime_error("lane " + std::to_string(lane) + " looks up something else");
    }
    const Signals specified = entry(index);
    recording.implementation.insert(recording.implementation.end(), found.begin(), found.end());
    recording.specification.insert(recording.specification.end(), specified.begin(), specified.end());
  }
}

}  // namespace prove

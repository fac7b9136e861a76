// What reference/ makes of much data, on every core: the blocks of ECB are independent.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "reproductions/paper_program.hpp"

namespace papers {

/// `in`, whole blocks, in ECB; `cipher` is a name without a mode.
inline ByteVector reference_ecb(const std::string& cipher, phalanx::Direction direction, Bytes key, Bytes in) {
  constexpr std::size_t part_bytes = std::size_t{64} << 10;
  ByteVector out(in.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t offset = 0; offset < in.size(); offset += part_bytes) {
    const Bytes part = in.subspan(offset, std::min(part_bytes, in.size() - offset));
    const ByteVector crypted = phalanx::reference::crypt(cipher + "-ecb", direction, key, {}, part);
    std::memcpy(out.data() + offset, crypted.data(), crypted.size());
  }
  return out;
}

/// Exits 1 unless `out` is `in` crypted in ECB, byte for byte as reference/ does it.
inline void require_ecb(std::string_view what, const std::string& cipher, phalanx::Direction direction, Bytes key, Bytes in,
                        Bytes out) {
  require_equal(what, out, reference_ecb(cipher, direction, key, in));
}

}  // namespace papers

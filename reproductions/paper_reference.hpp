// What reference/ makes of much data, on every core: blocks of ECB and CTR are independent, and so are those of CBC when it
// decrypts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "reproductions/paper_program.hpp"

namespace papers {

/// Calls work(offset, size) for every part of so many bytes, on all cores. part_bytes: whole blocks.
template <class Work>
void in_parts(std::size_t num_bytes, std::size_t part_bytes, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t offset; (offset = next.fetch_add(part_bytes)) < num_bytes;)
        work(offset, std::min(part_bytes, num_bytes - offset));
    });
  }
}

/// The iv with which a later part of a message begins: the block before it (CBC), the counter there (CTR), or none (ECB).
inline ByteVector iv_of_part(std::string_view mode, Bytes iv, Bytes in, std::size_t offset) {
  if (mode == "cbc" && offset != 0) {
    const Bytes before = in.subspan(offset - iv.size(), iv.size());
    return {before.begin(), before.end()};
  }
  ByteVector moved(iv.begin(), iv.end());
  std::size_t carry = mode == "ctr" ? offset / iv.size() : 0;
  for (std::size_t i = moved.size(); i-- > 0 && carry != 0;) {
    carry += moved[i];
    moved[i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
  return moved;
}

/// `in`, whole blocks, in ECB or CTR, or decrypted in CBC; `cipher` is a name without a mode.
inline ByteVector reference_in_parts(const std::string& cipher, const std::string& mode, phalanx::Direction direction,
                                     Bytes key, Bytes iv, Bytes in) {
  constexpr std::size_t part_bytes = std::size_t{64} << 10;
  ByteVector out(in.size());
  in_parts(in.size(), part_bytes, [&](std::size_t offset, std::size_t size) {
    const ByteVector crypted = phalanx::reference::crypt(cipher + "-" + mode, direction, key,
                                                         iv_of_part(mode, iv, in, offset), in.subspan(offset, size));
    std::memcpy(out.data() + offset, crypted.data(), crypted.size());
  });
  return out;
}

inline ByteVector reference_ecb(const std::string& cipher, phalanx::Direction direction, Bytes key, Bytes in) {
  return reference_in_parts(cipher, "ecb", direction, key, {}, in);
}

/// Exits 1 unless `out` is `in` crypted in ECB, byte for byte as reference/ does it.
inline void require_ecb(std::string_view what, const std::string& cipher, phalanx::Direction direction, Bytes key, Bytes in,
                        Bytes out) {
  require_equal(what, out, reference_ecb(cipher, direction, key, in));
}

}  // namespace papers

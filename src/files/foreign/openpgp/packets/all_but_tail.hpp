// This holds back the end of a stream.
#pragma once

#include <array>
#include <cstddef>

#include "engine/host/wiped_memory.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Gives all bytes on but the last ones, up to 32, which are known when the stream has ended.
class AllButTail : public ByteSink {
 public:
  /// The sink stays the caller's.
  AllButTail(ByteSink& sink, std::size_t tail_bytes) : sink_(sink), tail_bytes_(tail_bytes) {}

  void write(Bytes in) override;

  /// Returns the last bytes: fewer where there were not so many.
  [[nodiscard]] Bytes tail() const { return {tail_.bytes, num_held_}; }

 private:
  ByteSink& sink_;
  std::size_t tail_bytes_, num_held_ = 0;
  WipedArray<32> tail_;
};

}  // namespace phalanx

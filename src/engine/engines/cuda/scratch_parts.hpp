// One piece of memory as many arrays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// Parts of scratch memory one behind the other, each aligned to 16 bytes as the memory is. With no memory it counts.
class ScratchParts {
 public:
  explicit ScratchParts(std::uint8_t* memory) : memory_(memory) {}

  template <class T>
  void take(T*& part, std::uint64_t count) {
    part = reinterpret_cast<T*>(memory_ + num_bytes_);
    num_bytes_ += (sizeof(T) * count + 15) / 16 * 16;
  }
  [[nodiscard]] std::size_t num_bytes() const { return num_bytes_; }

 private:
  std::uint8_t* memory_;
  std::size_t num_bytes_ = 0;
};

}  // namespace phalanx

// A recording source keeps the bytes that were read from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Reads from a source that stays the caller's. It is for short data, as a header.
class RecordingSource : public ByteSource {
 public:
  explicit RecordingSource(ByteSource& source) : source_(source) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t got = source_.read(out);
    seen_.insert(seen_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    return got;
  }

  [[nodiscard]] const std::vector<std::uint8_t>& seen() const { return seen_; }

 private:
  ByteSource& source_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace phalanx

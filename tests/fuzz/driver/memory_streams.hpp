// Bytes in memory as streams.
#pragma once

#include <algorithm>

#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(Bytes rest) : rest_(rest) {}
  std::size_t read(MutableBytes out) override {
    const std::size_t size = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), size, out.begin());
    rest_ = rest_.subspan(size);
    return size;
  }

 private:
  Bytes rest_;
};

class MemorySink : public ByteSink {
 public:
  void write(Bytes in) override { bytes.insert(bytes.end(), in.begin(), in.end()); }
  Buffer bytes;
};

}  // namespace phalanx::fuzz

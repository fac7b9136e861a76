// A command reads from streams of bytes, and writes to them.
#pragma once

#include <cstddef>
#include <phalanx/bytes.hpp>

namespace phalanx {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Reads the next bytes into `out` and returns how many: fewer than out.size() only at the end.
  virtual std::size_t read(MutableBytes out) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Takes all of `in`.
  virtual void write(Bytes in) = 0;

  /// Ends the stream, and writes the bytes that were held back.
  virtual void finish() {}
};

/// Takes all bytes, and keeps none of them.
class NullSink : public ByteSink {
 public:
  void write(Bytes /*in*/) override {}
};

}  // namespace phalanx

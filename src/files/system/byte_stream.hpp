// Streams of bytes: what a command reads from and writes to is put together of these.
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

  /// Ends the stream: writes what was held back.
  virtual void finish() {}
};

/// Takes what comes, and keeps none of it.
class NullSink : public ByteSink {
 public:
  void write(Bytes /*in*/) override {}
};

}  // namespace phalanx

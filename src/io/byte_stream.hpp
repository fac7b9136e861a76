// Streams of bytes, of which a command puts together what it reads and what it writes.
#pragma once

#include <cstddef>

#include "phalanx/phalanx.hpp"

namespace phalanx {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `out`, unless the stream ends before. Returns the bytes read: fewer than out.size() only at the end.
  virtual std::size_t read(MutableBytes out) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Takes all of `in`.
  virtual void write(Bytes in) = 0;

  /// The stream is complete: what is held back goes out.
  virtual void finish() {}
};

/// Takes what comes, and keeps none of it.
class NullSink : public ByteSink {
 public:
  void write(Bytes /*in*/) override {}
};

}  // namespace phalanx

// This reads what OpenPGP compresses (RFC 9580, section 5.6), by zlib and libbz2.
#pragma once

#include <memory>
#include <phalanx/bytes.hpp>

#include "files/system/byte_stream.hpp"

namespace phalanx {

class Decompression {
 public:
  virtual ~Decompression() = default;

  /// Decompresses the next bytes, and writes what comes of them to the sink, a bounded part at a time. Bytes behind
  /// the compressed data are passed over. Throws Error (format) where they are damaged.
  virtual void write(Bytes in, ByteSink& sink) = 0;
  /// Returns whether the end of the compressed data was read.
  [[nodiscard]] virtual bool is_whole() const = 0;
};

/// Makes the decompression of an algorithm's number: 0 leaves data as they are, 1 is raw deflate, 2 zlib's and 3 bzip2's
/// format. The libraries are looked for when they are needed. Throws Error: format for any other number, runtime where a
/// library is not there.
[[nodiscard]] std::unique_ptr<Decompression> make_decompression(unsigned number);

}  // namespace phalanx

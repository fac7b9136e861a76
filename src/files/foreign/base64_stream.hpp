// This puts base64 between a stream and what lies under it.
#pragma once

#include <vector>

#include "engine/text/base64.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Takes bytes, and writes them to another sink as lines of base64.
class Base64Sink : public ByteSink {
 public:
  explicit Base64Sink(ByteSink& sink) : sink_(sink) {}
  void write(Bytes in) override;
  void finish() override;

 private:
  ByteSink& sink_;
  Base64Encoder encoder_;
  std::vector<std::uint8_t> text_;
};

/// Reads the bytes that another source holds as base64. Throws Error (format, truncated) as Base64Decoder does.
class Base64Source : public ByteSource {
 public:
  explicit Base64Source(ByteSource& source) : source_(source) {}
  std::size_t read(MutableBytes out) override;

 private:
  bool decode_more();

  ByteSource& source_;
  Base64Decoder decoder_;
  std::vector<std::uint8_t> text_;
  std::vector<std::uint8_t> decoded_;  // ciphertext: nothing to wipe
  std::size_t num_decoded_ = 0;
  std::size_t num_taken_ = 0;
  bool ended_ = false;
};

}  // namespace phalanx

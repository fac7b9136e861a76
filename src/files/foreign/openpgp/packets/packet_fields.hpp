// These are the fields of a packet that is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>

namespace phalanx {

/// Takes one field after another. The bytes stay the caller's. Each call throws Error (format) where they are too few.
class PacketFields {
 public:
  explicit PacketFields(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] Bytes take(std::size_t num_bytes) {
    if (num_bytes > bytes_.size()) throw Error(ErrorCode::format, "a packet is shorter than its fields");
    const Bytes taken = bytes_.first(num_bytes);
    bytes_ = bytes_.subspan(num_bytes);
    return taken;
  }
  [[nodiscard]] std::uint8_t take_byte() { return take(1).front(); }
  [[nodiscard]] Bytes left() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace phalanx

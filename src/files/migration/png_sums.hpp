// The sums that a PNG image carries of itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// Checks that a plaintext is a PNG image from its first byte to its last (PNG 2nd edition, section 5). The image has
/// its signature and then chunks with their CRCs, up to the chunk that ends it. A wrong byte passes once in 2^32 times.
class PngSums {
 public:
  /// Adds the next bytes.
  void add(Bytes bytes);

  /// Returns whether all added bytes are one whole image.
  [[nodiscard]] bool are_right() const { return part_ == Part::end; }

  /// Returns whether no bytes that follow can make it right.
  [[nodiscard]] bool are_wrong() const { return part_ == Part::wrong; }

 private:
  enum class Part : std::uint8_t { signature, header, data, sum, end, wrong };

  static constexpr std::size_t signature_bytes = 8, header_bytes = 8, sum_bytes = 4;

  [[nodiscard]] bool collect(Bytes& bytes, std::size_t size);
  void take(Bytes& bytes);
  void begin_chunk();
  void end_chunk();
  void add_to_sum(Bytes bytes);

  Part part_ = Part::signature;
  std::array<std::uint8_t, signature_bytes> collected_{};  // of what is read as a whole
  std::size_t num_collected_ = 0;
  std::uint32_t rest_bytes_ = 0;  // of the chunk's data
  std::uint32_t sum_ = 0;         // of its name and data
  bool is_last_ = false;
};

}  // namespace phalanx

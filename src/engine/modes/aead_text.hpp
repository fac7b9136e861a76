// One message of an AEAD, from the library down to a kernel (engine/modes/gcm_message.hpp): each layer hands it on as it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// `in` and `out` are the same memory or disjoint.
struct AeadText {
  const std::uint8_t* nonce = nullptr;
  std::size_t nonce_bytes = 0;  ///< 12 are fastest, and what kernels take; any other number but 0 is hashed
  const std::uint8_t* associated_data = nullptr;
  std::size_t associated_bytes = 0;
  const std::uint8_t* in = nullptr;
  std::uint8_t* out = nullptr;
  std::size_t num_bytes = 0;
  std::uint8_t* tag = nullptr;                 ///< sealing writes so many bytes of the tag
  const std::uint8_t* expected_tag = nullptr;  ///< opening compares so many
  std::size_t tag_bytes = 0;                   ///< 1 to 16
};

}  // namespace phalanx

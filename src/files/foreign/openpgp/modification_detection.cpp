#include "files/foreign/openpgp/modification_detection.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>

namespace phalanx {

bool ModificationDetection::is_right() {
  constexpr std::array<std::uint8_t, header_bytes> header = {0xd3, 0x14};  // type 19 in the new format, 20 bytes
  const Bytes packet = before_code_.tail();
  if (packet.size() != packet_bytes) return false;
  hash_.digest.update(packet.first(header_bytes));
  std::array<std::uint8_t, digest_bytes> digest{};
  hash_.digest.finish(digest);
  const bool is_header = std::ranges::equal(packet.first(header_bytes), header);
  return is_header && CRYPTO_memcmp(digest.data(), packet.data() + header_bytes, digest_bytes) == 0;
}

}  // namespace phalanx

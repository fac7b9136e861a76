// This reads what stands before the encrypted data of a message (RFC 9580, sections 5.7, 5.13 and 10.3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/foreign/openpgp/packets/packet_stream.hpp"
#include "files/foreign/openpgp/session_keys.hpp"

namespace phalanx {

enum class OpenPgpProtection : unsigned char {
  none,                    ///< CFB alone, as PGP wrote it before there was a modification detection code
  modification_detection,  ///< CFB with an encrypted SHA-1
  aead_of_gnupg,           ///< chunks, as GnuPG 2.3 and later write them
  aead                     ///< chunks, as RFC 9580 has them
};

/// Returns "none", "MDC" or "AEAD".
[[nodiscard]] const char* name_of(OpenPgpProtection protection);

/// Says how chunks are encrypted.
struct ChunkFormat {
  OpenPgpCipher cipher{};
  OpenPgpAead aead = OpenPgpAead::ocb;
  std::uint64_t chunk_bytes = 0;              ///< of plaintext; a tag stands behind each
  std::vector<std::uint8_t> described{};      ///< the packet's first bytes, which are authenticated
  std::vector<std::uint8_t> salt_or_nonce{};  ///< RFC 9580: the salt of HKDF; GnuPG: the first nonce
};

struct OpenPgpFront {
  std::vector<PassphraseRecipient> passphrases{};
  std::vector<PublicKeyRecipient> public_keys{};
  std::string unread_key{};  ///< why the first session key is not read that is not; "": all are
  OpenPgpProtection protection = OpenPgpProtection::none;
  ChunkFormat chunks{};  ///< where there are chunks

  [[nodiscard]] bool has_chunks() const { return protection >= OpenPgpProtection::aead_of_gnupg; }
};

/// Reads the front. The stream then stands before the ciphertext, in the body of its packet. Throws Error: truncated; format
/// for what is no encrypted message, with what opens it, and for a damaged one.
[[nodiscard]] OpenPgpFront read_openpgp_front(PacketStream& packets, const std::string& name);

}  // namespace phalanx

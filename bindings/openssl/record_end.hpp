// The end of a TLS record in CBC: data, MAC, padding (RFC 5246 section 6.2.3.2; SSL 3.0: RFC 6101 section 5.2.3.2). Where the
// MAC lies follows from the padding, which an attacker may have chosen: nothing here takes longer, or reads at another
// address, for one padding than for another (Canvel and others, Password Interception in a SSL/TLS Channel; AlFardan and
// Paterson, Lucky Thirteen).
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// SSL 3.0, TLS 1.0 to 1.2, DTLS 1.0 and 1.2, and the DTLS that Cisco has.
bool is_record_version(unsigned tls_version);

/// From TLS 1.1 on, a record begins with its iv.
std::size_t explicit_iv_bytes(unsigned tls_version, std::size_t block_bytes);

/// Writes the padding of a record, num_bytes long: at least one byte.
void write_record_padding(unsigned tls_version, std::uint8_t* padding, std::size_t num_bytes);

struct RecordEnd {
  unsigned tls_version;
  MutableBytes record;  ///< decrypted, without an iv
  std::size_t block_bytes;
  std::size_t mac_bytes;  ///< 0: the MAC is of the ciphertext, and not in the record
};

/// Takes padding and MAC off: data_bytes is what is left, and `mac` the MAC. Where the padding is wrong, `mac` is random_mac,
/// which will fail as any wrong MAC does. False where the record is too short, or where there is no MAC and the padding is
/// wrong.
bool take_record_end(const RecordEnd& end, const std::uint8_t* random_mac, std::uint8_t* mac, std::size_t& data_bytes);

}  // namespace phalanx

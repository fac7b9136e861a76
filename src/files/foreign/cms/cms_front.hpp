// This reads what stands around the content of a message (RFC 5652, sections 3, 6.1 and 8; RFC 5083, section 2.1).
#pragma once

#include <string>
#include <vector>

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/cms/content_cipher.hpp"
#include "files/foreign/cms/recipients.hpp"

namespace phalanx {

enum class CmsType : unsigned char { enveloped, auth_enveloped, encrypted };

/// Returns "EnvelopedData" and its like.
[[nodiscard]] const char* name_of(CmsType type);

struct CmsFront {
  CmsType type = CmsType::enveloped;
  std::vector<CmsRecipient> recipients{};
  ContentCipher content{};
};

/// Reads the front. The stream then stands before the content's octets, with four elements open. Throws Error: truncated;
/// format for a message of another type, with its name and what opens it, for one without content, and for a damaged one.
[[nodiscard]] CmsFront read_cms_front(BerStream& stream);

/// Holds what stands behind the content.
struct CmsTail {
  std::vector<std::uint8_t> associated_data{};  ///< of GCM: the authenticated attributes as their tag covers them
  std::vector<std::uint8_t> tag{};              ///< of GCM
};

/// Reads what stands behind the content, to the end of the message. Throws as read_cms_front does.
[[nodiscard]] CmsTail read_cms_tail(BerStream& stream, const CmsFront& front);

}  // namespace phalanx

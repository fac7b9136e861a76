#include "files/foreign/cms/cms_description.hpp"

#include <phalanx/error.hpp>

#include "engine/text/hex.hpp"
#include "files/foreign/cms/key_algorithms.hpp"
#include "files/foreign/cms/message_reading.hpp"

namespace phalanx {
namespace {

const char* kind_of(RecipientKind kind) {
  switch (kind) {
    case RecipientKind::key_transport:
      return "key transport";
    case RecipientKind::key_agreement:
      return "key agreement";
    case RecipientKind::wrapping_key:
      return "key";
    case RecipientKind::passphrase:
      return "passphrase";
    case RecipientKind::other:
      break;
  }
  return "other";
}

CmsRecipientFacts describe(const CmsRecipient& recipient) {
  return {.kind = kind_of(recipient.kind),
          .issuer = recipient.issuer.empty() ? "" : text_of_name(recipient.issuer),
          .serial = encode_hex(recipient.serial),
          .key_id = encode_hex(recipient.key_id),
          .algorithm = recipient.kind == RecipientKind::other ? "" : name_of_key_algorithm(recipient)};
}

}  // namespace

CmsFacts describe_cms(ByteSource& source, const std::string& name) {
  CmsFacts facts;
  try {
    const MessageReading reading(source, name);
    facts.type = name_of(reading.front().type);
    facts.cipher = reading.front().content.name;
    for (const CmsRecipient& recipient : reading.front().recipients) facts.recipients.push_back(describe(recipient));
  } catch (const Error& error) {
    facts.problem = error.what();
  }
  return facts;
}

}  // namespace phalanx

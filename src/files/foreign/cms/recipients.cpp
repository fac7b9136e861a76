#include "files/foreign/cms/recipients.hpp"

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/asn1/der_fields.hpp"

namespace phalanx {
namespace {

constexpr std::uint8_t context_0 = ber::context(0, true), context_1 = ber::context(1, true),
                       context_2 = ber::context(2, true), context_3 = ber::context(3, true);

std::vector<std::uint8_t> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// IssuerAndSerialNumber names a recipient, or [0] with the key's identifier, which a key agreement has among more fields.
void parse_recipient_id(DerFields& fields, CmsRecipient& recipient) {
  if (const std::optional<Bytes> pair = fields.take_if(ber::sequence)) {
    DerFields named(*pair);
    recipient.issuer = copy_of(named.take_whole());
    recipient.serial = copy_of(named.take(ber::integer));
    return;
  }
  const bool has_more_fields = recipient.kind == RecipientKind::key_agreement;
  if (!has_more_fields) {
    recipient.key_id = fields.take_octets(ber::context(0, false));
    return;
  }
  DerFields key(fields.take(context_0));
  recipient.key_id = key.take_octets(ber::octet_string);
}

// RFC 5652, section 6.2.1, has KeyTransRecipientInfo.
void append_key_transport(DerFields fields, std::vector<CmsRecipient>& recipients) {
  CmsRecipient recipient{.kind = RecipientKind::key_transport};
  fields.take(ber::integer);
  parse_recipient_id(fields, recipient);
  recipient.algorithm = parse_algorithm(fields.take_whole());
  recipient.encrypted_key = fields.take_octets(ber::octet_string);
  recipients.push_back(std::move(recipient));
}

// A sender that is named by its certificate gives no key: its public key does not stand here.
std::vector<std::uint8_t> parse_sender_key(DerFields originator) {
  const std::optional<Bytes> key = originator.take_if(context_1);
  if (!key) return {};
  DerFields fields(*key);
  fields.take_whole();
  const Bytes bits = fields.take(ber::bit_string);
  return bits.empty() || bits.front() != 0 ? std::vector<std::uint8_t>() : copy_of(bits.subspan(1));
}

// RFC 5652, section 6.2.2, has KeyAgreeRecipientInfo.
void append_key_agreement(DerFields fields, std::vector<CmsRecipient>& recipients) {
  CmsRecipient shared{.kind = RecipientKind::key_agreement};
  fields.take(ber::integer);
  shared.sender_key = parse_sender_key(DerFields(fields.take(context_0)));
  if (const std::optional<Bytes> material = fields.take_if(context_1))
    shared.keying_material = DerFields(*material).take_octets(ber::octet_string);
  shared.algorithm = parse_algorithm(fields.take_whole());
  for (DerFields keys(fields.take(ber::sequence)); !keys.is_at_end();) {
    DerFields key(keys.take(ber::sequence));
    CmsRecipient recipient = shared;
    parse_recipient_id(key, recipient);
    recipient.encrypted_key = key.take_octets(ber::octet_string);
    recipients.push_back(std::move(recipient));
  }
}

// RFC 5652, section 6.2.3, has KEKRecipientInfo.
void append_wrapping_key(DerFields fields, std::vector<CmsRecipient>& recipients) {
  CmsRecipient recipient{.kind = RecipientKind::wrapping_key};
  fields.take(ber::integer);
  DerFields id(fields.take(ber::sequence));
  recipient.key_id = id.take_octets(ber::octet_string);
  recipient.algorithm = parse_algorithm(fields.take_whole());
  recipient.encrypted_key = fields.take_octets(ber::octet_string);
  recipients.push_back(std::move(recipient));
}

// RFC 5652, section 6.2.4, has PasswordRecipientInfo.
void append_passphrase(DerFields fields, std::vector<CmsRecipient>& recipients) {
  CmsRecipient recipient{.kind = RecipientKind::passphrase};
  fields.take(ber::integer);
  if (const std::optional<Bytes> derivation = fields.take_if(context_0)) {
    DerFields algorithm(*derivation);
    recipient.derivation.id = copy_of(algorithm.take(ber::object_id));
    if (!algorithm.is_at_end()) recipient.derivation.parameters = copy_of(algorithm.take_whole());
  }
  recipient.algorithm = parse_algorithm(fields.take_whole());
  recipient.encrypted_key = fields.take_octets(ber::octet_string);
  recipients.push_back(std::move(recipient));
}

}  // namespace

Algorithm parse_algorithm(Bytes element) {
  DerFields outer(element);
  DerFields fields(outer.take(ber::sequence));
  Algorithm algorithm{.id = copy_of(fields.take(ber::object_id)), .parameters = {}, .whole = copy_of(element)};
  if (!fields.is_at_end()) algorithm.parameters = copy_of(fields.take_whole());
  return algorithm;
}

void append_recipients(Bytes element, std::vector<CmsRecipient>& recipients) {
  DerFields fields(element);
  if (const auto transport = fields.take_if(ber::sequence)) return append_key_transport(DerFields(*transport), recipients);
  if (const auto agreement = fields.take_if(context_1)) return append_key_agreement(DerFields(*agreement), recipients);
  if (const auto key = fields.take_if(context_2)) return append_wrapping_key(DerFields(*key), recipients);
  if (const auto passphrase = fields.take_if(context_3)) return append_passphrase(DerFields(*passphrase), recipients);
  recipients.push_back({});  // of a kind that was defined later (RFC 5652, section 6.2.5)
}

const char* words_of(RecipientKind kind) {
  switch (kind) {
    case RecipientKind::key_transport:
      return "an RSA key";
    case RecipientKind::key_agreement:
      return "a key of a curve";
    case RecipientKind::wrapping_key:
      return "a key";
    case RecipientKind::passphrase:
      return "a passphrase";
    case RecipientKind::other:
      break;
  }
  return "something of a kind that is not known here";
}

}  // namespace phalanx

#include "files/foreign/cms/cms_front.hpp"

#include <phalanx/error.hpp>

#include "files/foreign/asn1/der_fields.hpp"
#include "files/foreign/asn1/der_text.hpp"
#include "files/foreign/cms/object_ids.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_recipients = 50000;
constexpr std::uint8_t context_0 = ber::context(0, true), context_1 = ber::context(1, true),
                       context_2 = ber::context(2, true), content_tag = ber::context(0, false);

struct OtherType {
  std::string_view id;
  const char* is;
};

constexpr OtherType other_types[] = {
    {object_ids::data, "holds plain data, and is not encrypted: openssl cms -data_out reads it"},
    {object_ids::signed_data, "is SignedData, and is not encrypted: openssl cms -verify reads it"},
    {object_ids::signed_and_enveloped_data,
     "is SignedAndEnvelopedData of PKCS #7, which is not read: openssl smime -decrypt may open it"},
    {object_ids::digested_data, "is DigestedData, and is not encrypted: openssl cms -digest_verify reads it"},
    {object_ids::authenticated_data, "is AuthenticatedData, and is not encrypted: openssl cms -cmsout -print shows it"},
    {object_ids::compressed_data, "is CompressedData, and is not encrypted: openssl cms -uncompress reads it"},
};

Bytes content_of_element(Bytes element, std::uint8_t tag) { return DerFields(element).take(tag); }

CmsType read_type(BerStream& stream) {
  const std::vector<std::uint8_t> element = stream.take_element();
  if (element.front() != ber::object_id) stream.refuse("it does not begin with the type of a message");
  const Bytes id = content_of_element(element, ber::object_id);
  if (object_ids::is(id, object_ids::enveloped_data)) return CmsType::enveloped;
  if (object_ids::is(id, object_ids::auth_enveloped_data)) return CmsType::auth_enveloped;
  if (object_ids::is(id, object_ids::encrypted_data)) return CmsType::encrypted;
  for (const OtherType& other : other_types) {
    if (object_ids::is(id, other.id))
      throw Error(ErrorCode::format, stream.name() + " " + other.is, {.name = stream.name()});
  }
  stream.refuse("its type, " + text_of_object_id(id) + ", is none of an encrypted message");
}

void skip_if_next(BerStream& stream, std::uint8_t tag) {
  if (!stream.is_next(tag)) return;
  stream.open(stream.read_header());
  stream.leave_early();
}

std::vector<CmsRecipient> read_recipients(BerStream& stream) {
  std::vector<CmsRecipient> recipients;
  stream.enter(ber::set, "the list of recipients");
  while (!stream.is_at_end()) {
    append_recipients(stream.take_element(), recipients);
    if (recipients.size() > most_recipients) stream.refuse("it has more than 50,000 recipients");
  }
  stream.leave();
  return recipients;
}

ContentCipher read_content_info(BerStream& stream) {
  stream.enter(ber::sequence, "the description of the content");
  static_cast<void>(stream.take_element());  // the type of the content, which is given out as it is
  const std::vector<std::uint8_t> algorithm = stream.take_element();
  ContentCipher content = parse_content_cipher(content_of_element(algorithm, ber::sequence));
  if (stream.is_next(content_tag) || stream.is_next(content_tag | ber::constructed_bit)) return content;
  throw Error(ErrorCode::format,
              stream.name() + " has no content in it, which is elsewhere: a message and its content are read as one",
              {.name = stream.name()});
}

// An Error of a field does not know the message: here it gets the message's name.
template <class Read>
auto named(const BerStream& stream, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!error.name().empty() || error.code() != ErrorCode::format) throw;
    throw Error(ErrorCode::format, stream.name() + ": " + error.what(), {.name = stream.name()});
  }
}

CmsFront read_front(BerStream& stream) {
  CmsFront front;
  stream.enter(ber::sequence, "a message");
  front.type = read_type(stream);
  stream.enter(context_0, "the message");
  stream.enter(ber::sequence, "the message");
  static_cast<void>(stream.take_element());  // the version, which follows from the rest
  if (front.type != CmsType::encrypted) {
    skip_if_next(stream, context_0);  // certificates of the sender
    front.recipients = read_recipients(stream);
  }
  front.content = read_content_info(stream);
  if (front.content.is_gcm != (front.type == CmsType::auth_enveloped))
    stream.refuse(std::string(name_of(front.type)) + " does not go with " + front.content.name);
  return front;
}

CmsTail read_tail(BerStream& stream, const CmsFront& front) {
  CmsTail tail;
  stream.leave();
  const bool has_tag = front.type == CmsType::auth_enveloped;
  if (has_tag && stream.is_next(context_1)) {
    const std::vector<std::uint8_t> attributes = stream.take_element();
    // RFC 5083, section 2.2, authenticates the attributes in DER, with the tag of SET OF.
    tail.associated_data = der_element(ber::set, in_order_of_der(content_of_element(attributes, context_1)));
  }
  if (has_tag) tail.tag = DerFields(stream.take_element()).take_octets(ber::octet_string);
  skip_if_next(stream, has_tag ? context_2 : context_1);  // attributes that nothing authenticates
  stream.leave();
  stream.leave();
  stream.leave();
  if (has_tag && tail.tag.size() != front.content.tag_bytes) stream.refuse("its tag is not as long as it says that it is");
  return tail;
}

}  // namespace

const char* name_of(CmsType type) {
  constexpr const char* names[] = {"EnvelopedData", "AuthEnvelopedData", "EncryptedData"};
  return names[static_cast<std::size_t>(type)];
}

CmsFront read_cms_front(BerStream& stream) {
  return named(stream, [&] { return read_front(stream); });
}

CmsTail read_cms_tail(BerStream& stream, const CmsFront& front) {
  return named(stream, [&] { return read_tail(stream, front); });
}

}  // namespace phalanx

#include "files/foreign/cms/key_algorithms.hpp"

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>
#include <string_view>

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/asn1/der_fields.hpp"
#include "files/foreign/asn1/der_text.hpp"
#include "files/foreign/cms/object_ids.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

struct KnownWrap {
  std::string_view id;
  const char* name;
  KeyWrap wrap;
};

constexpr KnownWrap known_wraps[] = {
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x05"sv, "aes128-wrap", KeyWrap::aes_128},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x19"sv, "aes192-wrap", KeyWrap::aes_192},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2d"sv, "aes256-wrap", KeyWrap::aes_256},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x06"sv, "CMS3DESwrap", KeyWrap::triple_des},
};

struct KnownDigest {
  std::string_view id;
  const char* name;
};

constexpr KnownDigest digests[] = {
    {"\x2b\x0e\x03\x02\x1a"sv, "SHA1"},
    {"\x60\x86\x48\x01\x65\x03\x04\x02\x04"sv, "SHA224"},
    {"\x60\x86\x48\x01\x65\x03\x04\x02\x01"sv, "SHA256"},
    {"\x60\x86\x48\x01\x65\x03\x04\x02\x02"sv, "SHA384"},
    {"\x60\x86\x48\x01\x65\x03\x04\x02\x03"sv, "SHA512"},
};

// RFC 8018, appendix B.1, has HMAC with these digests.
constexpr KnownDigest macs[] = {
    {"\x2a\x86\x48\x86\xf7\x0d\x02\x07"sv, "SHA1"},   {"\x2a\x86\x48\x86\xf7\x0d\x02\x08"sv, "SHA224"},
    {"\x2a\x86\x48\x86\xf7\x0d\x02\x09"sv, "SHA256"}, {"\x2a\x86\x48\x86\xf7\x0d\x02\x0a"sv, "SHA384"},
    {"\x2a\x86\x48\x86\xf7\x0d\x02\x0b"sv, "SHA512"},
};

// RFC 5753, section 7.1.4, and RFC 8418, sections 2 and 7, have these agreements.
struct KnownAgreement {
  std::string_view id;
  const char* name;
  AgreedDerivation derivation;
  const char* digest;
  bool with_cofactor;
};

constexpr KnownAgreement agreements[] = {
    {"\x2b\x81\x05\x10\x86\x48\x3f\x00\x02"sv, "stdDH-sha1kdf", AgreedDerivation::x963, "SHA1", false},
    {"\x2b\x81\x04\x01\x0b\x00"sv, "stdDH-sha224kdf", AgreedDerivation::x963, "SHA224", false},
    {"\x2b\x81\x04\x01\x0b\x01"sv, "stdDH-sha256kdf", AgreedDerivation::x963, "SHA256", false},
    {"\x2b\x81\x04\x01\x0b\x02"sv, "stdDH-sha384kdf", AgreedDerivation::x963, "SHA384", false},
    {"\x2b\x81\x04\x01\x0b\x03"sv, "stdDH-sha512kdf", AgreedDerivation::x963, "SHA512", false},
    {"\x2b\x81\x05\x10\x86\x48\x3f\x00\x03"sv, "cofactorDH-sha1kdf", AgreedDerivation::x963, "SHA1", true},
    {"\x2b\x81\x04\x01\x0e\x00"sv, "cofactorDH-sha224kdf", AgreedDerivation::x963, "SHA224", true},
    {"\x2b\x81\x04\x01\x0e\x01"sv, "cofactorDH-sha256kdf", AgreedDerivation::x963, "SHA256", true},
    {"\x2b\x81\x04\x01\x0e\x02"sv, "cofactorDH-sha384kdf", AgreedDerivation::x963, "SHA384", true},
    {"\x2b\x81\x04\x01\x0e\x03"sv, "cofactorDH-sha512kdf", AgreedDerivation::x963, "SHA512", true},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x13"sv, "stdDH-hkdf-sha256", AgreedDerivation::hkdf, "SHA256", false},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x14"sv, "stdDH-hkdf-sha384", AgreedDerivation::hkdf, "SHA384", false},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x15"sv, "stdDH-hkdf-sha512", AgreedDerivation::hkdf, "SHA512", false},
};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::format, what); }

template <class Known, std::size_t count>
const Known* find_in(const Known (&list)[count], Bytes id) {
  const Known* const found = std::ranges::find_if(list, [&](const Known& known) { return object_ids::is(id, known.id); });
  return found == std::end(list) ? nullptr : found;
}

std::string digest_named(const Algorithm& algorithm, const char* what) {
  const KnownDigest* const digest = find_in(digests, algorithm.id);
  if (digest == nullptr) refuse(std::string(what) + " is " + text_of_object_id(algorithm.id) + ", which is not known here");
  return digest->name;
}

// Writes ECC-CMS-SharedInfo (RFC 5753, section 7.2).
std::vector<std::uint8_t> shared_info_of(const Algorithm& wrap, KeyWrap kind, Bytes keying_material) {
  std::vector<std::uint8_t> content = wrap.whole;
  const auto append = [&](std::uint8_t number, Bytes octets) {
    const std::vector<std::uint8_t> string = der_element(ber::octet_string, octets);
    const std::vector<std::uint8_t> tagged = der_element(ber::context(number, true), string);
    content.insert(content.end(), tagged.begin(), tagged.end());
  };
  if (!keying_material.empty()) append(0, keying_material);
  const auto num_bits = static_cast<std::uint32_t>(8 * key_bytes_of(kind));
  const std::uint8_t bits[] = {static_cast<std::uint8_t>(num_bits >> 24), static_cast<std::uint8_t>(num_bits >> 16),
                               static_cast<std::uint8_t>(num_bits >> 8), static_cast<std::uint8_t>(num_bits)};
  append(2, bits);
  return der_element(ber::sequence, content);
}

// RFC 8018, appendix A.2, has PBKDF2-params.
void parse_pbkdf2(Bytes element, PassphraseKey& key) {
  DerFields outer(element);
  DerFields fields(outer.take(ber::sequence));
  key.salt = fields.take_octets(ber::octet_string);
  key.num_iterations = fields.take_number();
  key.digest = "SHA1";
  if (fields.is_next(ber::integer) && fields.take_number() != key.cipher.key_bytes)
    refuse("the message is damaged: the key that its passphrase gives is not one of " + key.cipher.name);
  if (fields.is_at_end()) return;
  const Algorithm mac = parse_algorithm(fields.take_whole());
  const KnownDigest* const known = find_in(macs, mac.id);
  if (known == nullptr) refuse("its passphrase goes through " + text_of_object_id(mac.id) + ", which is not known here");
  key.digest = known->name;
}

}  // namespace

std::optional<KeyWrap> find_key_wrap(const Algorithm& algorithm) {
  const KnownWrap* const known = find_in(known_wraps, algorithm.id);
  return known == nullptr ? std::nullopt : std::optional(known->wrap);
}

// RFC 8017, appendix A.2.1, has RSAES-OAEP-params. All fields have defaults.
OaepParameters parse_oaep(const Algorithm& algorithm) {
  OaepParameters found;
  if (algorithm.parameters.empty()) return found;
  DerFields outer(algorithm.parameters);
  DerFields fields(outer.take(ber::sequence));
  if (const auto digest = fields.take_if(ber::context(0, true)))
    found.digest = digest_named(parse_algorithm(*digest), "the digest of OAEP");
  if (const auto mask = fields.take_if(ber::context(1, true))) {
    const Algorithm generation = parse_algorithm(*mask);
    if (!object_ids::is(generation.id, object_ids::mgf1)) refuse("the mask of OAEP is not MGF1");
    found.mask_digest = digest_named(parse_algorithm(generation.parameters), "the digest of MGF1");
  }
  if (const auto source = fields.take_if(ber::context(2, true))) {
    const Algorithm label = parse_algorithm(*source);
    if (!object_ids::is(label.id, object_ids::p_specified)) refuse("the label of OAEP is elsewhere");
    found.label = DerFields(label.parameters).take_octets(ber::octet_string);
  }
  fields.require_end();
  return found;
}

std::optional<KeyAgreement> find_key_agreement(const CmsRecipient& recipient) {
  const KnownAgreement* const known = find_in(agreements, recipient.algorithm.id);
  if (known == nullptr) return std::nullopt;
  const Algorithm wrap = parse_algorithm(recipient.algorithm.parameters);
  const std::optional<KeyWrap> kind = find_key_wrap(wrap);
  if (!kind) return std::nullopt;
  return KeyAgreement{.derivation = known->derivation,
                      .digest = known->digest,
                      .with_cofactor = known->with_cofactor,
                      .wrap = *kind,
                      .shared_info = shared_info_of(wrap, *kind, recipient.keying_material)};
}

std::optional<PassphraseKey> find_passphrase_key(const CmsRecipient& recipient) {
  const bool is_known = object_ids::is(recipient.algorithm.id, object_ids::password_wrap) &&
                        object_ids::is(recipient.derivation.id, object_ids::pbkdf2);
  if (!is_known) return std::nullopt;
  PassphraseKey key;
  DerFields cipher(recipient.algorithm.parameters);
  key.cipher = parse_content_cipher(cipher.take(ber::sequence));
  if (key.cipher.is_gcm) refuse("the message is damaged: a passphrase's key wraps in CBC, and not in GCM");
  parse_pbkdf2(recipient.derivation.parameters, key);
  return key;
}

std::string name_of_key_algorithm(const CmsRecipient& recipient) {
  const Bytes id = recipient.algorithm.id;
  if (object_ids::is(id, object_ids::rsa_encryption)) return "rsaEncryption";
  if (object_ids::is(id, object_ids::rsa_oaep)) return "RSAES-OAEP";
  if (const KnownWrap* const wrap = find_in(known_wraps, id)) return wrap->name;
  if (const KnownAgreement* const agreement = find_in(agreements, id)) return agreement->name;
  if (object_ids::is(id, object_ids::password_wrap)) return "PWRI-KEK";
  return text_of_object_id(id);
}

}  // namespace phalanx

#include "files/recognition/der_structures.hpp"

#include <string_view>

#include "files/foreign/cms/object_ids.hpp"
#include "files/recognition/byte_fields.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t integer = 0x02, object_id = 0x06, sequence = 0x30, set = 0x31, context_0 = 0xa0;

struct Element {
  std::uint64_t tag = 0;
  std::optional<std::uint64_t> length{};  // nullopt: up to a mark, as BER may have it
};

std::optional<Element> read_element(FieldReader& fields) {
  constexpr std::uint64_t indefinite = 0x80, most_length_bytes = 6;
  const std::optional<std::uint64_t> tag = fields.big(1), first = fields.big(1);
  if (!tag || !first) return std::nullopt;
  if (*first < indefinite) return Element{*tag, *first};
  if (*first == indefinite) return Element{*tag, std::nullopt};
  const std::uint64_t num_bytes = *first - indefinite;
  if (num_bytes > most_length_bytes) return std::nullopt;
  const std::optional<std::uint64_t> length = fields.big(static_cast<std::size_t>(num_bytes));
  return length ? std::optional(Element{*tag, *length}) : std::nullopt;
}

std::optional<Element> read_element(FieldReader& fields, std::uint64_t tag) {
  const std::optional<Element> element = read_element(fields);
  return element && element->tag == tag ? element : std::nullopt;
}

// Reads the content of an element that is there whole.
std::optional<Bytes> read_content(FieldReader& fields, std::uint64_t tag) {
  const std::optional<Element> element = read_element(fields, tag);
  return element && element->length ? fields.take(*element->length) : std::nullopt;
}

struct ContentType {
  std::string_view id;  // the content of its OBJECT IDENTIFIER
  const char* name;
  Protection protection;
};

constexpr ContentType content_types[] = {
    {object_ids::data, "Data", Protection::none},
    {object_ids::signed_data, "SignedData", Protection::is_signed},
    {object_ids::enveloped_data, "EnvelopedData", Protection::encrypted},
    {object_ids::signed_and_enveloped_data, "SignedAndEnvelopedData", Protection::encrypted},
    {object_ids::digested_data, "DigestedData", Protection::none},
    {object_ids::encrypted_data, "EncryptedData", Protection::encrypted},
    {object_ids::authenticated_data, "AuthenticatedData", Protection::is_signed},
    {object_ids::compressed_data, "CompressedData", Protection::none},
    {object_ids::auth_enveloped_data, "AuthEnvelopedData", Protection::encrypted},
};

struct ContentCipher {
  std::string_view id;
  const char* name;
};

constexpr ContentCipher content_ciphers[] = {
    {"\x2a\x86\x48\x86\xf7\x0d\x03\x02"sv, "RC2"},
    {"\x2a\x86\x48\x86\xf7\x0d\x03\x07"sv, "des-ede3-cbc"},
    {"\x2b\x0e\x03\x02\x07"sv, "des-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x02"sv, "aes-128-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x16"sv, "aes-192-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2a"sv, "aes-256-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x06"sv, "aes-128-gcm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x1a"sv, "aes-192-gcm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2e"sv, "aes-256-gcm"},
};

// The cipher stands behind the type of what is encrypted: id-data, SEQUENCE { OBJECT IDENTIFIER ...
std::string cipher_of(Bytes structure) {
  constexpr std::string_view data_type = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\x30"sv;
  const std::size_t at = text_of(structure).find(data_type);
  if (at == std::string_view::npos) return "";
  FieldReader fields(structure.subspan(at + data_type.size() - 1));
  if (!read_element(fields, sequence)) return "";
  const std::optional<Bytes> id = read_content(fields, object_id);
  for (const ContentCipher& cipher : content_ciphers) {
    if (id && text_of(*id) == cipher.id) return cipher.name;
  }
  return "";
}

// The first recipient's tag says how the content's key is wrapped: RFC 5652, section 6.2.
enum class RecipientForm : unsigned char { unknown, certificate, key, passphrase };

RecipientForm first_recipient(FieldReader fields) {
  if (!read_element(fields, context_0) || !read_element(fields, sequence) || !read_content(fields, integer))
    return RecipientForm::unknown;
  FieldReader behind_originator = fields;
  if (read_content(behind_originator, context_0)) fields = behind_originator;
  if (!read_element(fields, set)) return RecipientForm::unknown;
  const std::optional<Element> recipient = read_element(fields);
  constexpr std::uint64_t key_agreement = 0xa1, wrapped_by_key = 0xa2, passphrase = 0xa3;
  if (!recipient) return RecipientForm::unknown;
  if (recipient->tag == sequence || recipient->tag == key_agreement) return RecipientForm::certificate;
  if (recipient->tag == wrapped_by_key) return RecipientForm::key;
  return recipient->tag == passphrase ? RecipientForm::passphrase : RecipientForm::unknown;
}

std::string openssl_command(const char* what, const std::string& form) {
  const std::string given = form == "mail" ? "" : form == "PEM" ? " -inform PEM" : " -inform DER";
  return std::string("openssl cms ") + what + given + " -in FILE";
}

std::string opener_of(const ContentType& type, RecipientForm recipient, const std::string& form) {
  const std::string_view name = type.name;
  if (name == "EncryptedData") return openssl_command("-EncryptedData_decrypt", form) + " -secretkey HEX";
  if (type.protection == Protection::encrypted) {
    const std::string command = openssl_command("-decrypt", form);
    if (recipient == RecipientForm::passphrase) return command + " -pwri_password PASSPHRASE";
    return command + (recipient == RecipientForm::key ? " -secretkey HEX" : " -recip CERTIFICATE -inkey KEY");
  }
  if (name == "SignedData") return openssl_command("-verify", form) + " -noverify";
  if (name == "CompressedData") return openssl_command("-uncompress", form);
  return name == "Data" ? openssl_command("-data_out", form) : openssl_command("-cmsout -print", form);
}

RecognisedFile cms_of(const ContentType& type, FieldReader content, const std::string& form) {
  const bool has_recipients = type.protection == Protection::encrypted && std::string_view(type.name) != "EncryptedData";
  const RecipientForm recipient = has_recipients ? first_recipient(content) : RecipientForm::unknown;
  std::string description = std::string("CMS (PKCS #7, S/MIME), ") + type.name;
  const std::string cipher = type.protection == Protection::encrypted ? cipher_of(content.left()) : "";
  if (!cipher.empty()) description += ", encrypted by " + cipher;
  if (recipient == RecipientForm::certificate) description += ", for a certificate";
  if (recipient == RecipientForm::passphrase) description += ", for a passphrase";
  if (recipient == RecipientForm::key) description += ", for a key";
  return {.kind = FileKind::cms,
          .protection = type.protection,
          .form = form,
          .description = std::move(description),
          .opened_by = opener_of(type, recipient, form)};
}

bool is_key_algorithm(Bytes id) {
  constexpr std::string_view ids[] = {"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"sv,
                                      "\x2a\x86\x48\xce\x3d\x02\x01"sv,
                                      "\x2a\x86\x48\xce\x38\x04\x01"sv,
                                      "\x2b\x65\x6e"sv,
                                      "\x2b\x65\x6f"sv,
                                      "\x2b\x65\x70"sv,
                                      "\x2b\x65\x71"sv};
  return std::ranges::find(ids, text_of(id)) != std::end(ids);
}

// Knows PBES1 and PBES2 of PKCS #5, and the schemes of PKCS #12.
bool is_passphrase_cipher(Bytes id) {
  constexpr std::string_view pkcs5 = "\x2a\x86\x48\x86\xf7\x0d\x01\x05"sv, pkcs12 = "\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01"sv;
  const std::string_view text = text_of(id);
  return (text.starts_with(pkcs5) && text.size() == pkcs5.size() + 1) ||
         (text.starts_with(pkcs12) && text.size() == pkcs12.size() + 1);
}

RecognisedFile key_of(FileKind kind, Protection protection, const char* description, const char* opened_by) {
  return {.kind = kind, .protection = protection, .description = description, .opened_by = opened_by};
}

// PKCS #12, PKCS #8 and PKCS #1 begin with SEQUENCE { INTEGER version, ...
std::optional<RecognisedFile> recognise_versioned(FieldReader fields, bool fits) {
  const std::optional<Bytes> version = read_content(fields, integer);
  if (!version || version->size() != 1) return std::nullopt;
  if (version->front() == 3) {
    const bool is_store = read_element(fields, sequence) && read_content(fields, object_id);
    if (!is_store || !has_at(fields.left(), 0, "\xa0")) return std::nullopt;
    return key_of(FileKind::pkcs12, Protection::encrypted, "a PKCS #12 store of keys and certificates",
                  "openssl pkcs12 -in FILE");
  }
  if (version->front() > 1 || !fits) return std::nullopt;
  FieldReader algorithm = fields;
  if (read_element(algorithm, sequence)) {
    const std::optional<Bytes> id = read_content(algorithm, object_id);
    if (!id || !is_key_algorithm(*id)) return std::nullopt;
    return key_of(FileKind::private_key, Protection::none, "a private key that is not encrypted (PKCS #8)",
                  "openssl pkey -inform DER -in FILE");
  }
  const std::optional<Bytes> modulus = read_content(fields, integer);
  if (!modulus || modulus->size() < 64 || version->front() != 0) return std::nullopt;
  return key_of(FileKind::private_key, Protection::none, "a private key that is not encrypted (PKCS #1)",
                "openssl pkey -inform DER -in FILE");
}

// A certificate, a public key and an encrypted private key begin with SEQUENCE { SEQUENCE { ...
std::optional<RecognisedFile> recognise_nested(FieldReader fields, bool fits) {
  if (!read_element(fields, sequence)) return std::nullopt;
  FieldReader named = fields;
  if (const std::optional<Bytes> id = read_content(named, object_id)) {
    if (is_passphrase_cipher(*id))
      return key_of(FileKind::private_key, Protection::encrypted, "a private key under a passphrase (PKCS #8)",
                    "openssl pkey -inform DER -in FILE");
    if (!is_key_algorithm(*id) || !fits) return std::nullopt;
    return key_of(FileKind::public_key, Protection::none, "a public key", "openssl pkey -pubin -inform DER -in FILE");
  }
  const std::optional<Element> version = read_element(fields, context_0);
  if (!version || !read_content(fields, integer) || !read_content(fields, integer) || !fits) return std::nullopt;
  return key_of(FileKind::certificate, Protection::none, "an X.509 certificate", "openssl x509 -inform DER -in FILE");
}

}  // namespace

std::optional<RecognisedFile> recognise_der(const FileGlimpse& file, const std::string& form) {
  FieldReader fields(file.beginning);
  const std::optional<Element> whole = read_element(fields, sequence);
  if (!whole) return std::nullopt;
  const std::uint64_t header_bytes = file.beginning.size() - fields.left().size();
  const bool fits = whole->length && header_bytes + *whole->length == file.num_bytes;
  std::optional<RecognisedFile> found;
  FieldReader content = fields;
  if (const std::optional<Bytes> id = read_content(content, object_id)) {
    for (const ContentType& type : content_types) {
      if (text_of(*id) == type.id) found = cms_of(type, content, form);
    }
  }
  if (!found) found = recognise_versioned(fields, fits);
  if (!found) found = recognise_nested(fields, fits);
  if (!found) return std::nullopt;
  found->form = form;
  found->is_cut = form.empty() && whole->length && header_bytes + *whole->length > file.num_bytes;
  return found;
}

}  // namespace phalanx

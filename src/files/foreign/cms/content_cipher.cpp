#include "files/foreign/cms/content_cipher.hpp"

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>
#include <string_view>

#include "engine/modes/mode_facts.hpp"
#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/asn1/der_fields.hpp"
#include "files/foreign/cms/object_ids.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

struct KnownCipher {
  std::string_view id;
  std::string_view name;
};

constexpr KnownCipher known_ciphers[] = {
    {"\x2a\x86\x48\x86\xf7\x0d\x03\x07"sv, "des-ede3-cbc"},
    {"\x2b\x0e\x03\x02\x07"sv, "des-cbc"},
    {"\x2a\x86\x48\x86\xf7\x0d\x03\x02"sv, "rc2"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x02"sv, "aes-128-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x16"sv, "aes-192-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2a"sv, "aes-256-cbc"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x06"sv, "aes-128-gcm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x1a"sv, "aes-192-gcm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2e"sv, "aes-256-gcm"},
    {"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x02"sv, "camellia-128-cbc"},
    {"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x03"sv, "camellia-192-cbc"},
    {"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x04"sv, "camellia-256-cbc"},
    {"\x2a\x83\x1a\x8c\x9a\x44\x01\x04"sv, "seed-cbc"},
};

// Messages under these ciphers are not read, and are refused by the cipher's name.
constexpr KnownCipher unread_ciphers[] = {
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x07"sv, "aes-128-ccm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x1b"sv, "aes-192-ccm"},
    {"\x60\x86\x48\x01\x65\x03\x04\x01\x2f"sv, "aes-256-ccm"},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x12"sv, "ChaCha20-Poly1305"},
    {"\x2a\x86\x48\x86\xf6\x7d\x07\x42\x0a"sv, "cast5-cbc"},
    {"\x2a\x86\x48\x86\xf7\x0d\x03\x04"sv, "rc4"},
};

template <std::size_t count>
std::string_view name_in(const KnownCipher (&list)[count], Bytes id) {
  const auto* const found =
      std::ranges::find_if(list, [&](const KnownCipher& cipher) { return object_ids::is(id, cipher.id); });
  return found == std::end(list) ? std::string_view() : found->name;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::format, what); }

// RFC 3370, section 5.2, has a version that stands for the bits of the key that have an effect.
std::string name_of_rc2(std::uint64_t version) {
  switch (version) {
    case 160:
      return "rc2-40-cbc";
    case 120:
      return "rc2-64-cbc";
    case 58:
      return "rc2-cbc";
    default:
      refuse(
          "its content is encrypted by RC2 with a key of unusual size, which is not read: keys of 40, 64 and 128 bits are");
  }
}

// RFC 5084, section 3.2, has GCMParameters. A tag has 12 bytes where they do not say its size.
void parse_gcm(DerFields parameters, ContentCipher& found) {
  constexpr std::size_t default_tag_bytes = 12;
  DerFields fields(parameters.take(ber::sequence));
  found.is_gcm = true;
  found.iv = fields.take_octets(ber::octet_string);
  found.tag_bytes = fields.is_at_end() ? default_tag_bytes : static_cast<std::size_t>(fields.take_number());
  if (found.iv.empty()) refuse("the message is damaged: its nonce is empty");
  if (found.tag_bytes < default_tag_bytes || found.tag_bytes > aead_tag_bytes)
    refuse("the message is damaged: a tag has 12 to 16 bytes, and not " + std::to_string(found.tag_bytes));
}

void parse_cbc(DerFields parameters, ContentCipher& found) {
  if (found.name == "rc2") {
    DerFields fields(parameters.take(ber::sequence));
    found.name = name_of_rc2(fields.take_number());
    found.iv = fields.take_octets(ber::octet_string);
  } else {
    found.iv = parameters.take_octets(ber::octet_string);
  }
  found.cipher = parse_foreign_cipher_name(found.name);
  found.key_bytes = found.cipher.key_bytes;
  if (found.iv.size() != found.cipher.iv_bytes)
    refuse("the message is damaged: an iv of " + found.name + " has " + std::to_string(found.cipher.iv_bytes) +
           " bytes, and not " + std::to_string(found.iv.size()));
}

}  // namespace

std::string text_of_object_id(Bytes id) {
  std::string text;
  std::uint64_t number = 0;
  for (const std::uint8_t byte : id) {
    number = number << 7 | (byte & 0x7fU);
    if ((byte & 0x80) != 0) continue;
    if (text.empty()) {
      const std::uint64_t first = std::min<std::uint64_t>(number / 40, 2);
      text = std::to_string(first);
      number -= 40 * first;
    }
    text.append(1, '.').append(std::to_string(number));
    number = 0;
  }
  return text;
}

ContentCipher parse_content_cipher(Bytes algorithm) {
  DerFields fields(algorithm);
  const Bytes id = fields.take(ber::object_id);
  ContentCipher found;
  found.name = name_in(known_ciphers, id);
  if (found.name.empty()) {
    const std::string_view unread = name_in(unread_ciphers, id);
    refuse("its content is encrypted by " + (unread.empty() ? text_of_object_id(id) : std::string(unread)) +
           ", which is not read: the program that wrote it, or openssl cms -decrypt, may open it");
  }
  if (found.name.ends_with("-gcm")) {
    const std::string bits = found.name.substr(4, 3);
    found.key_bytes = static_cast<std::size_t>(std::stoul(bits)) / 8;
    parse_gcm(fields, found);
  } else {
    parse_cbc(fields, found);
  }
  return found;
}

}  // namespace phalanx

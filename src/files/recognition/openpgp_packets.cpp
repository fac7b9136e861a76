#include "files/recognition/openpgp_packets.hpp"

#include <algorithm>
#include <string>

#include "engine/text/utf8.hpp"
#include "files/recognition/byte_fields.hpp"
#include "files/recognition/inflated_beginning.hpp"

namespace phalanx {
namespace {

// Section 5 of RFC 9580 has these types of packets.
enum Tag : unsigned {
  public_session_key = 1,
  signature = 2,
  passphrase_session_key = 3,
  one_pass_signature = 4,
  secret_key = 5,
  public_key = 6,
  secret_subkey = 7,
  compressed = 8,
  encrypted = 9,
  marker = 10,
  literal = 11,
  user_id = 13,
  public_subkey = 14,
  user_attribute = 17,
  encrypted_with_mdc = 18,
  encrypted_with_aead = 20
};

struct Packet {
  unsigned tag = 0;
  Bytes body{};                  // as much of it as is there
  std::uint64_t body_bytes = 0;  // of its first part, where it has several
  std::size_t header_bytes = 0;
  std::size_t length_bytes = 0;  // of the field that says its length; 0 where nothing does
  bool is_in_parts = false;

  [[nodiscard]] bool is_whole() const { return body.size() == body_bytes && !is_in_parts && length_bytes != 0; }
};

// Reads the length of a packet of the new kind, section 4.2.1.
bool read_new_length(FieldReader& fields, Packet& packet) {
  const std::optional<std::uint64_t> first = fields.big(1);
  if (!first) return false;
  packet.length_bytes = 1;
  if (*first < 192) {
    packet.body_bytes = *first;
  } else if (*first < 224) {
    const std::optional<std::uint64_t> second = fields.big(1);
    if (!second) return false;
    packet.body_bytes = ((*first - 192) << 8) + *second + 192;
    packet.length_bytes = 2;
  } else if (*first == 255) {
    const std::optional<std::uint64_t> length = fields.big(4);
    if (!length) return false;
    packet.body_bytes = *length;
    packet.length_bytes = 4;
  } else {
    packet.body_bytes = std::uint64_t{1} << (*first & 31U);
    packet.is_in_parts = true;
  }
  return true;
}

bool read_old_length(FieldReader& fields, unsigned kind, Packet& packet) {
  if (kind == 3) {  // to the end of the file
    packet.body_bytes = fields.left().size();
    return true;
  }
  packet.length_bytes = std::size_t{1} << kind;
  const std::optional<std::uint64_t> length = fields.big(packet.length_bytes);
  packet.body_bytes = length.value_or(0);
  return length.has_value();
}

std::optional<Packet> read_packet(Bytes data) {
  FieldReader fields(data);
  const std::optional<std::uint64_t> first = fields.big(1);
  if (!first || (*first & 0x80U) == 0) return std::nullopt;
  Packet packet;
  const bool is_new = (*first & 0x40U) != 0;
  packet.tag = static_cast<unsigned>(is_new ? *first & 0x3fU : *first >> 2 & 0xfU);
  const bool has_length =
      is_new ? read_new_length(fields, packet) : read_old_length(fields, static_cast<unsigned>(*first & 3U), packet);
  if (!has_length || packet.tag == 0) return std::nullopt;
  packet.header_bytes = data.size() - fields.left().size();
  packet.body =
      fields.left().first(static_cast<std::size_t>(std::min<std::uint64_t>(fields.left().size(), packet.body_bytes)));
  return packet;
}

// A number is as long as it says, and its first bit is set (section 3.2).
bool skip_number(FieldReader& fields) {
  const std::optional<std::uint64_t> num_bits = fields.big(2);
  if (!num_bits || *num_bits == 0) return false;
  const std::optional<Bytes> number = fields.take((*num_bits + 7) / 8);
  return number && number->front() >> ((*num_bits - 1) % 8) == 1;
}

bool skip_numbers(FieldReader& fields, int count) {
  for (int i = 0; i < count; ++i) {
    if (!skip_number(fields)) return false;
  }
  return true;
}

bool is_hash(std::uint64_t id) { return (id >= 1 && id <= 3) || (id >= 8 && id <= 12) || id == 14; }
bool is_cipher(std::uint64_t id) { return (id >= 1 && id <= 4) || (id >= 7 && id <= 13); }

// Skips what says how a passphrase becomes a key, section 3.7.1.
bool skip_derivation(FieldReader& fields) {
  const std::optional<std::uint64_t> kind = fields.big(1);
  constexpr std::uint64_t argon2 = 4, argon2_bytes = 19;
  if (!kind) return false;
  if (*kind == argon2) return fields.skip(argon2_bytes);
  const std::optional<std::uint64_t> hash = fields.big(1);
  if (!hash || !is_hash(*hash) || *kind == 2 || *kind > 3) return false;
  return *kind == 0 || fields.skip(*kind == 1 ? 8 : 9);
}

// Checks a session key for a public key, section 5.1, by version 3 or 6.
bool is_public_session_key(const Packet& packet) {
  FieldReader fields(packet.body);
  const std::optional<std::uint64_t> version = fields.big(1);
  if (!packet.is_whole() || !version) return false;
  if (*version == 3) {
    if (!fields.skip(8)) return false;
  } else {
    const std::optional<std::uint64_t> id_bytes = fields.big(1);
    if (*version != 6 || !id_bytes || (*id_bytes != 0 && *id_bytes != 21 && *id_bytes != 33) || !fields.skip(*id_bytes))
      return false;
  }
  const std::uint64_t algorithm = fields.big(1).value_or(0);
  constexpr std::uint64_t rsa = 1, rsa_encrypt = 2, elgamal = 16, ecdh = 18, x25519 = 25, x448 = 26;
  if (algorithm == rsa || algorithm == rsa_encrypt) return skip_number(fields) && fields.is_at_end();
  if (algorithm == elgamal) return skip_numbers(fields, 2) && fields.is_at_end();
  if (algorithm == ecdh) {
    if (!skip_number(fields)) return false;
  } else if (!((algorithm == x25519 && fields.skip(32)) || (algorithm == x448 && fields.skip(56)))) {
    return false;
  }
  const std::optional<std::uint64_t> wrapped_bytes = fields.big(1);
  return wrapped_bytes && fields.skip(*wrapped_bytes) && fields.is_at_end();
}

// Checks a session key for a passphrase, section 5.3, by version 4 or those with an AEAD.
bool is_passphrase_session_key(const Packet& packet) {
  constexpr std::size_t longest_key_bytes = 32, longest_nonce_bytes = 16, tag_bytes = 16;
  FieldReader fields(packet.body);
  const std::optional<std::uint64_t> version = fields.big(1);
  if (!packet.is_whole() || !version || *version < 4 || *version > 6) return false;
  if (*version == 6 && !fields.skip(1)) return false;
  if (!is_cipher(fields.big(1).value_or(0))) return false;
  if (*version != 4) {
    const std::uint64_t aead = fields.big(1).value_or(0);
    if (aead < 1 || aead > 3) return false;
  }
  if (*version == 6 && !fields.skip(1)) return false;
  if (!skip_derivation(fields)) return false;
  const std::size_t left_bytes = fields.left().size();
  if (*version == 4) return left_bytes == 0 || left_bytes == 17 || left_bytes == 25 || left_bytes == 33;
  return left_bytes >= tag_bytes && left_bytes <= longest_nonce_bytes + longest_key_bytes + tag_bytes + 1;
}

bool is_session_key(const Packet& packet) {
  return (packet.tag == public_session_key && is_public_session_key(packet)) ||
         (packet.tag == passphrase_session_key && is_passphrase_session_key(packet));
}

bool is_encrypted_data(const Packet& packet) {
  if (packet.tag == encrypted) return true;
  if (packet.body.empty()) return false;
  const std::uint8_t version = packet.body.front();
  return (packet.tag == encrypted_with_mdc && (version == 1 || version == 2)) ||
         (packet.tag == encrypted_with_aead && version == 1);
}

RecognisedFile openpgp(Protection protection, std::string description, std::string opened_by) {
  return {.kind = FileKind::openpgp,
          .protection = protection,
          .description = std::move(description),
          .opened_by = std::move(opened_by)};
}

std::string describe_encrypted(std::size_t num_keys, std::size_t num_passphrases) {
  std::string what = "an encrypted OpenPGP message";
  if (num_keys != 0) what += ", for " + std::to_string(num_keys) + (num_keys == 1 ? " public key" : " public keys");
  if (num_passphrases != 0) what += std::string(num_keys != 0 ? " and" : ", for") + " a passphrase";
  return what;
}

bool ends_within(const Packet& packet, std::uint64_t left_bytes) {
  if (packet.length_bytes == 0 || packet.is_in_parts) return false;
  return packet.header_bytes + packet.body_bytes > left_bytes;
}

std::optional<RecognisedFile> recognise_encrypted(const FileGlimpse& file, std::size_t offset) {
  std::size_t num_keys = 0, num_passphrases = 0;
  for (;;) {
    const std::optional<Packet> packet = read_packet(file.from(offset));
    const bool is_out_of_sight = !packet && num_keys + num_passphrases != 0 && offset >= file.beginning.size();
    if (is_out_of_sight || (packet && is_encrypted_data(*packet))) {
      RecognisedFile found = openpgp(Protection::encrypted, describe_encrypted(num_keys, num_passphrases), "gpg -d FILE");
      found.is_cut = is_out_of_sight ? offset >= file.num_bytes : ends_within(*packet, file.num_bytes - offset);
      return found;
    }
    if (!packet || !is_session_key(*packet)) return std::nullopt;
    ++(packet->tag == public_session_key ? num_keys : num_passphrases);
    offset += packet->header_bytes + static_cast<std::size_t>(packet->body_bytes);
  }
}

// Data that no session key stands before are named only where their length is that of the file, in four bytes.
std::optional<RecognisedFile> recognise_bare_data(const FileGlimpse& file, const Packet& packet) {
  const bool fits = packet.length_bytes == 4 && packet.header_bytes + packet.body_bytes == file.num_bytes;
  if (!fits || !is_encrypted_data(packet)) return std::nullopt;
  return openpgp(Protection::encrypted, "an encrypted OpenPGP message without a session key", "gpg -d FILE");
}

bool skip_subpackets(FieldReader& fields) {
  const std::optional<std::uint64_t> area_bytes = fields.big(2);
  const std::optional<Bytes> area = area_bytes ? fields.take(*area_bytes) : std::nullopt;
  if (!area) return false;
  FieldReader subpackets(*area);
  while (!subpackets.is_at_end()) {
    Packet subpacket;
    if (!read_new_length(subpackets, subpacket) || subpacket.is_in_parts) return false;
    if (subpacket.body_bytes == 0 || !subpackets.skip(subpacket.body_bytes)) return false;
  }
  return true;
}

// Checks the numbers of a signature, section 5.2.3.
bool are_signature_numbers(FieldReader& fields, std::uint64_t algorithm) {
  constexpr std::uint64_t rsa = 1, rsa_sign = 3, dsa = 17, ecdsa = 19, eddsa = 22, ed25519 = 27, ed448 = 28;
  if (algorithm == rsa || algorithm == rsa_sign) return skip_number(fields) && fields.is_at_end();
  if (algorithm == ed25519 || algorithm == ed448) return fields.left().size() == (algorithm == ed25519 ? 64 : 114);
  const bool has_two = algorithm == dsa || algorithm == ecdsa || algorithm == eddsa;
  return has_two && skip_numbers(fields, 2) && fields.is_at_end();
}

bool is_signature(const Packet& packet) {
  FieldReader fields(packet.body);
  if (!packet.is_whole()) return false;
  const std::uint64_t version = fields.big(1).value_or(0);
  if (version == 3) {
    if (fields.big(1) != 5 || !fields.skip(1 + 4 + 8)) return false;
    const std::uint64_t algorithm = fields.big(1).value_or(0);
    return is_hash(fields.big(1).value_or(0)) && fields.skip(2) && are_signature_numbers(fields, algorithm);
  }
  if (version != 4 || !fields.skip(1)) return false;
  const std::uint64_t algorithm = fields.big(1).value_or(0);
  if (!is_hash(fields.big(1).value_or(0)) || !skip_subpackets(fields) || !skip_subpackets(fields)) return false;
  return fields.skip(2) && are_signature_numbers(fields, algorithm);
}

// Section 5.4.
bool is_one_pass_signature(const Packet& packet) {
  constexpr std::size_t num_bytes = 13;
  if (packet.tag != one_pass_signature || !packet.is_whole() || packet.body.size() != num_bytes) return false;
  return packet.body[0] == 3 && is_hash(packet.body[2]) && packet.body[3] <= 28 && packet.body[12] <= 1;
}

// Skips the public numbers of a key, section 5.5.5.
bool skip_key_numbers(FieldReader& fields, std::uint64_t algorithm) {
  constexpr std::uint64_t elgamal = 16, dsa = 17, ecdh = 18, ecdsa = 19, eddsa = 22, x25519 = 25, x448 = 26, ed448 = 28;
  constexpr std::size_t most_curve_bytes = 20;
  if (algorithm >= 1 && algorithm <= 3) return skip_numbers(fields, 2);
  if (algorithm == elgamal || algorithm == dsa) return skip_numbers(fields, algorithm == dsa ? 4 : 3);
  if (algorithm >= x25519 && algorithm <= ed448) {
    return fields.skip(algorithm == x448 ? 56 : algorithm == ed448 ? 57 : 32);
  }
  if (algorithm != ecdh && algorithm != ecdsa && algorithm != eddsa) return false;
  const std::uint64_t curve_bytes = fields.big(1).value_or(0);
  if (curve_bytes == 0 || curve_bytes > most_curve_bytes || !fields.skip(curve_bytes) || !skip_number(fields)) return false;
  if (algorithm != ecdh) return true;
  const std::optional<std::uint64_t> parameter_bytes = fields.big(1);
  return parameter_bytes && fields.skip(*parameter_bytes);
}

// Says whether a name, a signature or a subkey comes next, as behind a key.
bool is_behind_key(Bytes data) {
  const std::optional<Packet> next = read_packet(data);
  constexpr unsigned followers[] = {signature, secret_subkey, public_subkey, user_id, user_attribute};
  return next && std::ranges::find(followers, next->tag) != std::end(followers);
}

std::optional<RecognisedFile> recognise_key(const FileGlimpse& file, std::size_t offset, const Packet& packet) {
  FieldReader fields(packet.body);
  const std::uint64_t version = fields.big(1).value_or(0);
  if (!packet.is_whole() || version < 4 || version > 6 || !fields.skip(4)) return std::nullopt;
  const std::uint64_t algorithm = fields.big(1).value_or(0);
  if ((version != 4 && !fields.skip(4)) || !skip_key_numbers(fields, algorithm)) return std::nullopt;
  const bool is_secret = packet.tag == secret_key;
  const std::uint64_t usage = is_secret ? fields.big(1).value_or(1) : 0;
  if (is_secret && usage != 0 && usage < 253) return std::nullopt;
  if (!is_secret && !fields.is_at_end()) return std::nullopt;
  if (!is_behind_key(file.from(offset + packet.header_bytes + packet.body_bytes))) return std::nullopt;
  return RecognisedFile{.kind = FileKind::openpgp_key,
                        .protection = is_secret && usage != 0 ? Protection::encrypted : Protection::none,
                        .description = !is_secret   ? "an OpenPGP public key"
                                       : usage == 0 ? "an OpenPGP secret key without a passphrase"
                                                    : "an OpenPGP secret key under a passphrase",
                        .opened_by = "gpg"};
}

// Returns how many bits of random bytes would have to be right for the fields of a literal packet, section 5.9. It returns 0
// if they are not right.
unsigned literal_evidence(const Packet& packet, std::uint64_t left_bytes) {
  constexpr std::string_view formats = "btulm";
  constexpr std::uint64_t first_second = 631152000, last_second = 2524608000;  // 1990 to 2050
  constexpr unsigned tag_bits = 8, format_bits = 5, character_bits = 1;
  FieldReader fields(packet.body);
  const std::optional<std::uint64_t> format = fields.big(1), name_bytes = fields.big(1);
  if (!name_bytes || formats.find(static_cast<char>(*format)) == formats.npos) return 0;
  const std::optional<Bytes> name = fields.take(*name_bytes);
  const std::optional<std::uint64_t> second = fields.big(4);
  if (!name || !second || (*second != 0 && (*second < first_second || *second > last_second))) return 0;
  if (!name->empty() && !is_plain_text(*name)) return 0;
  const bool fits = packet.length_bytes != 0 && !packet.is_in_parts && packet.body_bytes == left_bytes;
  return tag_bits + format_bits + (fits ? static_cast<unsigned>(8 * packet.length_bytes) : 0) +
         character_bits * static_cast<unsigned>(name->size());
}

std::optional<RecognisedFile> recognise_literal(const Packet& packet, std::uint64_t file_bytes, bool is_surely_openpgp) {
  constexpr unsigned enough_bits = 32;
  const unsigned bits = literal_evidence(packet, file_bytes - std::min<std::uint64_t>(file_bytes, packet.header_bytes));
  if (bits == 0) return std::nullopt;
  RecognisedFile found = openpgp(Protection::none, "an OpenPGP message that is not encrypted", "gpg -d FILE");
  found.is_certain = is_surely_openpgp || bits >= enough_bits;
  return found;
}

std::optional<RecognisedFile> recognise_content(Bytes content) {
  const std::optional<Packet> inner = read_packet(content);
  if (!inner) return std::nullopt;
  const bool is_signed = is_one_pass_signature(*inner) || (inner->tag == signature && is_signature(*inner));
  if (is_signed) return openpgp(Protection::is_signed, "a signed OpenPGP message, which is not encrypted", "gpg -d FILE");
  return inner->tag == literal ? recognise_literal(*inner, 0, true) : std::nullopt;
}

// Section 5.6: what is in it says what the message is.
std::optional<RecognisedFile> recognise_compressed(const Packet& packet) {
  constexpr std::size_t looked_at_bytes = 300;
  constexpr std::uint8_t stored = 0, deflate = 1, zlib = 2, bzip2 = 3;
  if (packet.body.size() < 4) return std::nullopt;
  const Bytes data = packet.body.subspan(1);
  const std::uint8_t algorithm = packet.body.front();
  if (algorithm == bzip2 && has_at(data, 0, "BZh") && has_at(data, 4, "1AY&SY"))
    return openpgp(Protection::unknown, "a compressed OpenPGP message", "gpg -d FILE");
  if (algorithm == stored) return recognise_content(data);
  if (algorithm != deflate && algorithm != zlib) return std::nullopt;
  const bool is_zlib = (data[0] & 0x0fU) == 8 && (data[0] * 256U + data[1]) % 31 == 0;
  if (algorithm == zlib && !is_zlib) return std::nullopt;
  const auto content = inflate_beginning(algorithm == zlib ? data.subspan(2) : data, looked_at_bytes);
  return content ? recognise_content(*content) : std::nullopt;
}

std::optional<RecognisedFile> recognise_signature(const Packet& packet) {
  if (is_one_pass_signature(packet))
    return openpgp(Protection::is_signed, "a signed OpenPGP message, which is not encrypted", "gpg -d FILE");
  if (packet.tag != signature || !is_signature(packet)) return std::nullopt;
  return openpgp(Protection::is_signed, "an OpenPGP signature", "gpg");
}

}  // namespace

std::optional<RecognisedFile> recognise_openpgp(const FileGlimpse& file) {
  std::size_t offset = 0;
  std::optional<Packet> packet = read_packet(file.beginning);
  const bool is_marked = packet && packet->tag == marker && packet->is_whole() && has_at(packet->body, 0, "PGP");
  if (is_marked) {
    offset = packet->header_bytes + packet->body.size();
    packet = read_packet(file.from(offset));
  }
  if (!packet) return std::nullopt;
  switch (packet->tag) {
    case public_session_key:
    case passphrase_session_key:
      return recognise_encrypted(file, offset);
    case encrypted:
    case encrypted_with_mdc:
    case encrypted_with_aead:
      return recognise_bare_data(file, *packet);
    case signature:
    case one_pass_signature:
      return recognise_signature(*packet);
    case public_key:
    case secret_key:
      return recognise_key(file, offset, *packet);
    case compressed:
      return recognise_compressed(*packet);
    case literal:
      return recognise_literal(*packet, file.num_bytes - offset, is_marked);
    default:
      return std::nullopt;
  }
}

}  // namespace phalanx

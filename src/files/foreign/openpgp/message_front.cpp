#include "files/foreign/openpgp/message_front.hpp"

#include <phalanx/error.hpp>

#include "files/foreign/openpgp/refusals.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_session_keys = 10000, most_passphrases = 100;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::format, name + " " + what, {.name = name});
}

std::vector<std::uint8_t> take(PacketStream& packets, std::size_t num_bytes) {
  std::vector<std::uint8_t> taken(num_bytes);
  if (packets.read(taken) != num_bytes) throw Error(ErrorCode::format, "a packet is shorter than its fields");
  return taken;
}

// GnuPG's packet is of draft-koch-openpgp-2015-rfc4880bis; section 5.13.2 of RFC 9580 has the other.
void read_chunk_format(PacketStream& packets, OpenPgpFront& front, std::uint8_t version) {
  constexpr std::size_t salt_bytes = 32;
  constexpr unsigned most_chunk_log2 = 20;  // with 6 added: 64 MiB, which are held in memory
  const bool is_of_gnupg = front.protection == OpenPgpProtection::aead_of_gnupg;
  const std::vector<std::uint8_t> fields = take(packets, 3);
  ChunkFormat& chunks = front.chunks;
  chunks.cipher = openpgp_cipher(fields[0]);
  chunks.aead = openpgp_aead(fields[1]);
  if (fields[2] > most_chunk_log2) {
    throw Error(ErrorCode::format,
                "it has chunks of more than 64 MiB, which are not read: gpg -d opens it without checking all of a chunk");
  }
  chunks.chunk_bytes = std::uint64_t{1} << (fields[2] + 6);
  chunks.described = {static_cast<std::uint8_t>(0xc0 | packets.tag()), version, fields[0], fields[1], fields[2]};
  chunks.salt_or_nonce = take(packets, is_of_gnupg ? nonce_bytes_of(chunks.aead) : salt_bytes);
}

void read_protection(PacketStream& packets, OpenPgpFront& front) {
  if (packets.tag() == packet_tags::encrypted) return;
  const std::uint8_t version = take(packets, 1).front();
  const bool is_of_gnupg = packets.tag() == packet_tags::encrypted_by_gnupg;
  if (!is_of_gnupg && version == 1) {
    front.protection = OpenPgpProtection::modification_detection;
    return;
  }
  if (version != (is_of_gnupg ? 1 : 2)) {
    throw Error(ErrorCode::format, "its data are in a packet of version " + std::to_string(version) +
                                       ", which is not read: gpg -d may open it");
  }
  front.protection = is_of_gnupg ? OpenPgpProtection::aead_of_gnupg : OpenPgpProtection::aead;
  read_chunk_format(packets, front, version);
}

bool is_encrypted_data(unsigned tag) {
  return tag == packet_tags::encrypted || tag == packet_tags::encrypted_with_integrity ||
         tag == packet_tags::encrypted_by_gnupg;
}

void read_session_key(PacketStream& packets, OpenPgpFront& front, const std::string& name) {
  const std::vector<std::uint8_t> body = packets.take_body();
  try {
    if (packets.tag() == packet_tags::public_session_key) {
      front.public_keys.push_back(parse_public_key_recipient(body));
    } else {
      front.passphrases.push_back(parse_passphrase_recipient(body));
    }
  } catch (const Error& error) {  // another session key may open the message
    if (front.unread_key.empty()) front.unread_key = error.what();
  }
  if (front.public_keys.size() > most_session_keys) refuse(name, "is encrypted for more than 10,000 public keys");
  if (front.passphrases.size() > most_passphrases) refuse(name, "is encrypted under more than 100 passphrases");
}

OpenPgpFront read_front(PacketStream& packets, const std::string& name) {
  OpenPgpFront front;
  while (packets.next()) {
    const unsigned tag = packets.tag();
    if (is_encrypted_data(tag)) {
      read_protection(packets, front);
      return front;
    }
    switch (tag) {
      case packet_tags::public_session_key:
      case packet_tags::passphrase_session_key:
        read_session_key(packets, front, name);
        break;
      case packet_tags::marker:
      case packet_tags::padding:
        packets.skip_body();
        break;
      case packet_tags::literal:
      case packet_tags::compressed:
        refuse(name, "is a message of OpenPGP that is not encrypted: gpg -d reads it");
      case packet_tags::signature:
      case packet_tags::one_pass_signature:
        refuse(name, "is signed and not encrypted: gpg -d reads it");
      default:
        refuse(name, "has a packet of type " + std::to_string(tag) + ", and is no encrypted message of OpenPGP");
    }
  }
  throw Error(ErrorCode::truncated, name + " is cut short: it ends before its encrypted data", {.name = name});
}

}  // namespace

const char* name_of(OpenPgpProtection protection) {
  constexpr const char* names[] = {"none", "MDC", "AEAD", "AEAD"};
  return names[static_cast<std::size_t>(protection)];
}

OpenPgpFront read_openpgp_front(PacketStream& packets, const std::string& name) {
  return with_name(name, [&] { return read_front(packets, name); });
}

}  // namespace phalanx

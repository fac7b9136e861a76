#include "files/foreign/openpgp/openpgp_description.hpp"

#include <phalanx/error.hpp>

#include "files/foreign/openpgp/message_front.hpp"
#include "files/foreign/openpgp/packets/message_source.hpp"

namespace phalanx {
namespace {

std::string describe(const StringToKey& specifier) {
  switch (specifier.kind) {
    case StringToKey::Kind::simple:
      return openpgp_digest(specifier.digest) + " without a salt";
    case StringToKey::Kind::salted:
      return "salted " + openpgp_digest(specifier.digest);
    case StringToKey::Kind::iterated:
      return "iterated " + openpgp_digest(specifier.digest) + ", " + std::to_string(specifier.num_hashed_bytes) + " bytes";
    case StringToKey::Kind::argon2:
      break;
  }
  return "argon2id, " + std::to_string(specifier.num_passes) + " passes, 2^" + std::to_string(specifier.memory_log2) +
         " KiB, " + std::to_string(specifier.num_lanes) + " lanes";
}

std::string cipher_of(const OpenPgpFront& front) {
  if (front.has_chunks()) return front.chunks.cipher.name + "-" + name_of(front.chunks.aead);
  const bool is_derived =
      front.passphrases.size() == 1 && front.public_keys.empty() && front.passphrases.front().encrypted_key.empty();
  return is_derived ? front.passphrases.front().cipher.name + "-cfb" : "";
}

}  // namespace

OpenPgpFacts describe_openpgp(ByteSource& source, const std::string& name) {
  OpenPgpFacts facts;
  try {
    MessageSource bytes(source, name);
    PacketStream packets(bytes, name);
    const OpenPgpFront front = read_openpgp_front(packets, name);
    for (const PassphraseRecipient& recipient : front.passphrases)
      facts.recipients.push_back({.kind = "passphrase", .algorithm = describe(recipient.string_to_key)});
    for (const PublicKeyRecipient& recipient : front.public_keys)
      facts.recipients.push_back({.kind = "public key", .key_id = recipient.key_id, .algorithm = recipient.algorithm});
    facts.cipher = cipher_of(front);
    facts.protection = name_of(front.protection);
    facts.problem = front.unread_key;
  } catch (const Error& error) {
    facts.problem = error.what();
  }
  return facts;
}

}  // namespace phalanx

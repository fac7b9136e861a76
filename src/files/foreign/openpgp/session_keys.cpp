#include "files/foreign/openpgp/session_keys.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>
#include <string_view>

#include "engine/text/hex.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/openpgp/chunk_aead.hpp"
#include "files/foreign/openpgp/packets/packet_header.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr unsigned without_aead = 4, by_gnupg = 5, by_rfc_9580 = 6;

[[noreturn]] void refuse_version(unsigned version) {
  throw Error(ErrorCode::format, "its session key is in a packet of version " + std::to_string(version) +
                                     ", which is not read: gpg -d may open it");
}

// The packet's first byte in the new format, and what it says, are authenticated with the key (section 5.3.2).
std::array<std::uint8_t, 4> associated_data_of(const PassphraseRecipient& recipient) {
  return {0xc0 | packet_tags::passphrase_session_key, static_cast<std::uint8_t>(recipient.version),
          static_cast<std::uint8_t>(recipient.cipher.number), static_cast<std::uint8_t>(*recipient.aead)};
}

// The key of a cipher that few bytes need: a thread is enough, on the CPU.
RunOptions for_few_bytes() { return {{.engine = "cpu", .num_threads = 1}}; }

// The first byte names the cipher of the session key. A wrong passphrase gives such a byte once in 23 times.
std::optional<SessionKey> decrypt_without_aead(const PassphraseRecipient& recipient, Bytes key) {
  const SecretBytes text = decrypt_by_cfb(recipient.cipher, key, recipient.encrypted_key);
  const unsigned cipher = *text.begin();
  if (!is_openpgp_cipher(cipher) || openpgp_cipher(cipher).key_bytes != text.size() - 1) return std::nullopt;
  return SessionKey{.cipher = cipher, .key = SecretBytes(Bytes(text).subspan(1))};
}

std::optional<SessionKey> decrypt_by_aead(const PassphraseRecipient& recipient, SecretBytes key) {
  const std::array<std::uint8_t, 4> associated_data = associated_data_of(recipient);
  if (recipient.version == by_rfc_9580) {
    SecretBytes derived(key.size());
    derive_hkdf_sha256(key, {}, associated_data, derived);
    key = std::move(derived);
  }
  const Bytes sealed(recipient.encrypted_key);
  const std::size_t text_bytes = sealed.size() - ChunkAead::tag_bytes;
  SecretBytes text(sealed.first(text_bytes));
  const auto aead = make_chunk_aead(recipient.cipher, *recipient.aead, key, for_few_bytes());
  if (!aead->open(recipient.nonce, associated_data, text, sealed.subspan(text_bytes))) return std::nullopt;
  return SessionKey{.cipher = recipient.version == by_gnupg ? recipient.cipher.number : 0, .key = std::move(text)};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

[[noreturn]] void refuse_session_key() {
  throw Error(ErrorCode::usage, "a session key is a cipher's number, a colon and hex digits, as gpg shows it: 9:0123...");
}

// GnuPG 2.4 writes the number of an AEAD behind that of the cipher, "9.2", which the message says too.
unsigned cipher_number(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find('.'));
  const std::string_view aead = text.substr(std::min(digits.size() + 1, text.size()));
  const auto is_number = [](std::string_view part) {
    return std::ranges::all_of(part, [](char digit) { return digit >= '0' && digit <= '9'; });
  };
  constexpr std::size_t most_digits = 2;
  if (digits.empty() || digits.size() > most_digits || !is_number(digits) || aead.size() > 1 || !is_number(aead))
    refuse_session_key();
  unsigned number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<unsigned>(digit - '0');
  return number;
}

}  // namespace

SecretBytes decrypt_by_cfb(const OpenPgpCipher& cipher, Bytes key, Bytes ciphertext) {
  CryptJob job;
  job.direction = Direction::decrypt;
  job.mode = Mode::cfb;
  job.iv.size = cipher.block_bytes;
  SecretBytes buffer(ciphertext.size() + max_padding_bytes);
  std::ranges::copy(ciphertext, buffer.begin());
  Piece piece;
  piece.buffer = buffer;
  piece.size = ciphertext.size();
  piece.last = true;
  make_decryptor(cfb_of(cipher), key, job, for_few_bytes())->process(piece);
  buffer.shrink(ciphertext.size());
  return buffer;
}

PassphraseRecipient parse_passphrase_recipient(Bytes body) {
  PacketFields fields(body);
  PassphraseRecipient parsed;
  parsed.version = fields.take_byte();
  if (parsed.version < without_aead || parsed.version > by_rfc_9580) refuse_version(parsed.version);
  if (parsed.version == by_rfc_9580) static_cast<void>(fields.take_byte());  // the size of what follows
  parsed.cipher = openpgp_cipher(fields.take_byte());
  if (parsed.version != without_aead) parsed.aead = openpgp_aead(fields.take_byte());
  if (parsed.version == by_rfc_9580) static_cast<void>(fields.take_byte());  // the size of the next field
  parsed.string_to_key = take_string_to_key(fields);
  if (parsed.aead) {
    const Bytes nonce = fields.take(nonce_bytes_of(*parsed.aead));
    parsed.nonce.assign(nonce.begin(), nonce.end());
    if (fields.left().size() <= ChunkAead::tag_bytes) throw Error(ErrorCode::format, "a session key is too short");
  }
  parsed.encrypted_key.assign(fields.left().begin(), fields.left().end());
  return parsed;
}

PublicKeyRecipient parse_public_key_recipient(Bytes body) {
  constexpr std::size_t key_id_bytes = 8;
  PacketFields fields(body);
  PublicKeyRecipient parsed;
  const unsigned version = fields.take_byte();
  if (version != 3 && version != by_rfc_9580) refuse_version(version);
  Bytes id = fields.take(version == 3 ? key_id_bytes : fields.take_byte());
  if (version == by_rfc_9580 && !id.empty()) id = id.subspan(1);  // behind the key's version
  if (std::ranges::any_of(id, [](std::uint8_t byte) { return byte != 0; })) parsed.key_id = encode_hex(id);
  std::ranges::transform(parsed.key_id, parsed.key_id.begin(),
                         [](char digit) { return digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit; });
  parsed.algorithm = openpgp_public_key(fields.take_byte());
  return parsed;
}

std::optional<SessionKey> open_recipient(const PassphraseRecipient& recipient, Bytes passphrase) {
  SecretBytes key = derive_key(recipient.string_to_key, passphrase, recipient.cipher.key_bytes);
  if (recipient.aead) return decrypt_by_aead(recipient, std::move(key));
  if (recipient.encrypted_key.empty()) return SessionKey{.cipher = recipient.cipher.number, .key = std::move(key)};
  return decrypt_without_aead(recipient, key);
}

SessionKey parse_session_key(Bytes text) {
  std::string_view line(reinterpret_cast<const char*>(text.data()), text.size());
  line = trimmed(line);
  const std::size_t quote = line.find_first_of("'`");  // GnuPG 1.4 begins with the latter
  if (quote != line.npos && line.ends_with('\'') && quote + 1 < line.size())
    line = line.substr(quote + 1, line.size() - quote - 2);
  const std::size_t colon = line.find(':');
  if (colon == line.npos) refuse_session_key();
  SessionKey parsed;
  parsed.cipher = cipher_number(line.substr(0, colon));
  const std::string_view digits = line.substr(colon + 1);
  if (digits.empty() || digits.size() % 2 != 0) refuse_session_key();
  parsed.key = SecretBytes(digits.size() / 2);
  decode_hex(digits, "the session key", parsed.key);
  if (!is_openpgp_cipher(parsed.cipher)) {
    throw Error(ErrorCode::usage, "the session key is for cipher " + std::to_string(parsed.cipher) + ", which is none");
  }
  const OpenPgpCipher cipher = openpgp_cipher(parsed.cipher);
  if (cipher.key_bytes != parsed.key.size()) {
    throw Error(ErrorCode::usage, "the session key has " + std::to_string(parsed.key.size()) + " bytes: " + cipher.name +
                                      " takes " + std::to_string(cipher.key_bytes));
  }
  return parsed;
}

}  // namespace phalanx

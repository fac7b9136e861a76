#include "files/age/native_keys.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/host/host.hpp"
#include "engine/text/characters.hpp"
#include "files/age/bech32.hpp"
#include "files/age/raw_base64.hpp"
#include "files/libcrypto/chacha20_poly1305.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr std::string_view recipient_prefix = "age";
constexpr std::string_view identity_prefix = "AGE-SECRET-KEY-";
constexpr std::string_view stanza_type = "X25519";
constexpr std::string_view wrap_label = "age-encryption.org/v1/X25519";

[[noreturn]] void fail_stanza(const char* why) {
  throw Error(ErrorCode::format, std::string("a stanza of X25519 is malformed: ") + why);
}

SecretBytes wrap_key_of(Bytes shared, const X25519PublicKey& share, const X25519PublicKey& recipient) {
  std::vector<std::uint8_t> salt(share.begin(), share.end());
  salt.insert(salt.end(), recipient.begin(), recipient.end());
  SecretBytes key(chacha20_poly1305_key_bytes);
  derive_hkdf_sha256(shared, salt, bytes_of(wrap_label), key);
  return key;
}

// Some secret: with a point of low order it shares zeros, as every other does.
bool is_of_low_order(const X25519PublicKey& key) {
  constexpr std::array<std::uint8_t, x25519_bytes> some_secret{1};
  return !x25519_shared_secret(some_secret, key);
}

[[noreturn]] void fail_low_order() { fail_stanza("its share is a point of low order"); }

// Reads the share of a stanza of X25519, and checks the whole stanza.
X25519PublicKey share_of(const AgeStanza& stanza) {
  if (stanza.arguments.size() != 2) fail_stanza("it has another number of arguments than two");
  const std::optional<SecretBytes> share_bytes = decode_raw_base64(stanza.arguments[1]);
  if (!share_bytes || share_bytes->size() != x25519_bytes) fail_stanza("its share is no base64 of 32 bytes");
  // A longer body could be made to open under many keys.
  if (stanza.body.size() != age_file_key_bytes + chacha20_poly1305_tag_bytes) fail_stanza("its body has not 32 bytes");
  X25519PublicKey share;
  std::copy(share_bytes->begin(), share_bytes->end(), share.begin());
  return share;
}

Bech32 decode_key(std::string_view text, const char* what) {
  try {
    return decode_bech32(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, std::string(what) + ": " + error.what());
  }
}

}  // namespace

X25519PublicKey read_native_recipient(std::string_view text) {
  const Bech32 decoded = decode_key(text, "a recipient of age is wrong");
  if (decoded.prefix != recipient_prefix || decoded.is_upper || decoded.data.size() != x25519_bytes) {
    throw Error(ErrorCode::usage, "a recipient of age is wrong: an X25519 key is \"age1\" in small letters and 58 more");
  }
  X25519PublicKey key;
  std::copy(decoded.data.begin(), decoded.data.end(), key.begin());
  if (is_of_low_order(key)) {
    throw Error(ErrorCode::usage, "a recipient of age is no key: it is a point of low order, which anybody could open");
  }
  return key;
}

std::string native_recipient_text(const X25519PublicKey& recipient) {
  return std::string(characters_of(encode_bech32(recipient_prefix, recipient)));
}

SecretBytes read_native_identity(std::string_view text) {
  Bech32 decoded = decode_key(text, "an identity of age is wrong");
  if (decoded.prefix != lower_case(identity_prefix) || !decoded.is_upper || decoded.data.size() != x25519_bytes) {
    throw Error(ErrorCode::usage,
                "an identity of age is wrong: of X25519 it is \"AGE-SECRET-KEY-1\" in capital letters and 58 more");
  }
  return std::move(decoded.data);
}

SecretBytes native_identity_text(Bytes identity) { return encode_bech32(identity_prefix, identity); }

std::string wrap_file_key(const X25519PublicKey& recipient, Bytes file_key) {
  SecretBytes secret(x25519_bytes);
  fill_random(secret);
  const X25519PublicKey share = x25519_public_key(secret);
  const std::optional<SecretBytes> shared = x25519_shared_secret(secret, recipient);
  if (!shared) throw Error(ErrorCode::usage, "a recipient of age is no key: it is a point of low order");
  const std::vector<std::uint8_t> body = seal_once_chacha20_poly1305(wrap_key_of(*shared, share, recipient), file_key);
  std::string share_text(raw_base64_characters(share.size()), ' ');
  encode_raw_base64(share, reinterpret_cast<std::uint8_t*>(share_text.data()));
  return std::string(characters_of(age_stanza_text({stanza_type, share_text}, body)));
}

void check_native_stanza(const AgeStanza& stanza) {
  if (stanza.arguments.front() == stanza_type && is_of_low_order(share_of(stanza))) fail_low_order();
}

std::optional<SecretBytes> unwrap_file_key(Bytes identity, const AgeStanza& stanza) {
  if (stanza.arguments.front() != stanza_type) return std::nullopt;
  const X25519PublicKey share = share_of(stanza);
  const std::optional<SecretBytes> shared = x25519_shared_secret(identity, share);
  if (!shared) fail_low_order();
  return open_once_chacha20_poly1305(wrap_key_of(*shared, share, x25519_public_key(identity)), stanza.body);
}

}  // namespace phalanx

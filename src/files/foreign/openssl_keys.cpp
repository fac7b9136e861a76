#include "files/foreign/openssl_keys.hpp"

#include <algorithm>

#include "files/foreign/base64_stream.hpp"

namespace phalanx {
namespace {

OpensslKeys keys_of(const MessagePlan& plan, Bytes derived) {
  OpensslKeys keys{.key = SecretBytes(derived.first(key_bytes(plan.cipher))), .iv = plan.job.iv, .header = {}};
  if (!plan.iv_given) std::ranges::copy(derived.subspan(keys.key.size(), keys.iv.size), keys.iv.bytes.begin());
  return keys;
}

OpensslKeys derive(const MessagePlan& plan, Bytes passphrase, Bytes salt) {
  SecretBytes derived(derived_bytes(plan.cipher));
  derive_key_and_iv(plan.openssl.derivation, passphrase, salt, derived, {});
  return keys_of(plan, derived);
}

}  // namespace

std::size_t derived_bytes(const ForeignCipher& cipher) { return key_bytes(cipher) + iv_bytes(cipher); }

void refuse_salted(const MessagePlan& plan, Input& input) {
  const bool header_expected = plan.from_passphrase && plan.openssl.salted;
  if (header_expected || !input.remaining_bytes()) return;
  const std::uint64_t before = input.position();
  OpensslHeader beginning{};
  std::size_t size = 0;
  if (plan.openssl.base64) {
    Base64Source decoded(input);
    try {
      size = decoded.read(beginning);
    } catch (const Error&) {
      size = 0;  // reading it says what is wrong
    }
  } else {
    size = input.read(beginning);
  }
  input.seek(before);
  if (openssl_encoding_of(Bytes(beginning).first(size)) != OpensslEncoding::binary) return;
  throw Error(ErrorCode::format,
              input.name() + " begins with 'Salted__', the header of `openssl enc` with a salt: " +
                  (plan.from_passphrase ? "leave " + plan.names->no_salt + " out"
                                        : "give the passphrase, and the options of `openssl enc`"),
              {.name = input.name(), .offset = before});
}

OpensslKeys make_openssl_keys(const MessagePlan& plan, Bytes passphrase) {
  if (!plan.openssl.salted) return derive(plan, passphrase, {});
  const OpensslSalt salt = random_openssl_salt();
  OpensslKeys keys = derive(plan, passphrase, salt);
  keys.header = make_openssl_header(salt);
  return keys;
}

namespace {

// Reads the salt. The error for a file without one says how the caller names the other ways of wrapping.
std::vector<std::uint8_t> read_salt(const MessagePlan& plan, ByteSource& ciphertext) {
  std::vector<std::uint8_t> header(plan.openssl.header_bytes());
  header.resize(ciphertext.read(header));
  try {
    const Bytes salt = salt_in(header, plan.openssl.salt_bytes);
    return {salt.begin(), salt.end()};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format || plan.names == nullptr || plan.names->other_wrappings.empty()) throw;
    throw Error(error, std::string(error.what()) + " " + plan.names->other_wrappings);
  }
}

}  // namespace

OpensslKeys read_openssl_keys(const MessagePlan& plan, Bytes passphrase, Bytes derived, ByteSource& ciphertext) {
  const std::vector<std::uint8_t> salt = plan.openssl.salted ? read_salt(plan, ciphertext) : plan.openssl.salt;
  if (!derived.empty()) return keys_of(plan, derived);
  return derive(plan, passphrase, salt);
}

}  // namespace phalanx

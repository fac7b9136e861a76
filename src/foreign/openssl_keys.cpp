#include "foreign/openssl_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "foreign/base64_stream.hpp"
#include "foreign/ciphertext_tail.hpp"
#include "foreign/digest_search.hpp"

namespace phalanx {
namespace {

OpensslKeys derive(const MessagePlan& plan, const OpensslDerivation& derivation, Bytes passphrase, Bytes salt) {
  OpensslKeys keys{
      .key = SecretBytes(key_bytes(plan.cipher)), .iv = plan.job.iv, .header = {}, .digest = derivation.digest, .note = {}};
  WipedArray<largest_block_bytes> iv;
  const MutableBytes derived_iv = MutableBytes(iv.bytes).first(plan.job.iv.size);
  derive_key_and_iv(derivation, passphrase, salt, keys.key, derived_iv);
  if (!plan.iv_given) std::copy(derived_iv.begin(), derived_iv.end(), keys.iv.bytes.begin());
  return keys;
}

DigestChoice choose_digest(const MessagePlan& plan, Bytes passphrase, Bytes salt, Bytes last_blocks) {
  return find_digest({.cipher = plan.cipher,
                      .padding = plan.job.padding,
                      .derivation = plan.openssl.derivation,
                      .passphrase = passphrase,
                      .salt = salt,
                      .iv = plan.iv_given ? Bytes(plan.job.iv) : Bytes(),
                      .last_blocks = last_blocks,
                      .options = plan.options});
}

std::string join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

std::string describe(const DigestChoice& choice) {
  std::string note = "the search for the digest took " + choice.digest + ", which gives " +
                     std::to_string(choice.padding_bytes) + " bytes of padding";
  if (!choice.also_fitting.empty()) {
    note += "; as many by " + join(choice.also_fitting) + ": if the output is wrong, name the digest";
  } else if (!choice.shorter.empty()) {
    note += "; fewer by " + join(choice.shorter);
  }
  return note;
}

}  // namespace

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
  throw Error(ErrorCode::usage, input.name() + " begins with 'Salted__', the header of `openssl enc` with a salt: " +
                                    (plan.from_passphrase ? "leave " + plan.names.no_salt + " out"
                                                          : "give the passphrase, and the options of `openssl enc`"));
}

OpensslKeys make_openssl_keys(const MessagePlan& plan, Bytes passphrase) {
  if (!plan.openssl.salted) return derive(plan, plan.openssl.derivation, passphrase, {});
  const OpensslSalt salt = random_openssl_salt();
  OpensslKeys keys = derive(plan, plan.openssl.derivation, passphrase, salt);
  keys.header = make_openssl_header(salt);
  return keys;
}

OpensslKeys read_openssl_keys(const MessagePlan& plan, Bytes passphrase, ByteSource& ciphertext, Input* file,
                              const std::string& name) {
  const bool search = plan.openssl.find_digest;
  if (search && (file == nullptr || !file->remaining_bytes())) {
    throw Error(ErrorCode::usage,
                "the search for the digest looks at the end first, and " + name + " cannot seek: name a file as IN");
  }
  const std::uint64_t start = search ? file->position() : 0;
  OpensslSalt salt{};
  if (plan.openssl.salted) {
    OpensslHeader header{};
    const std::size_t size = ciphertext.read(header);
    salt = parse_openssl_header(Bytes(header).first(size));
  }
  const Bytes used_salt = plan.openssl.salted ? Bytes(salt) : Bytes();
  OpensslDerivation derivation = plan.openssl.derivation;
  std::optional<DigestChoice> found;
  if (search) {
    const CiphertextEnd end = read_ciphertext_end(*file, start, plan.openssl.base64);
    const std::size_t header_bytes = plan.openssl.salted ? openssl_header_bytes : 0;
    found = choose_digest(plan, passphrase, used_salt, last_blocks_of(end, header_bytes, plan.cipher.cipher->block_bytes));
    derivation.digest = found->digest;
  }
  OpensslKeys keys = derive(plan, derivation, passphrase, used_salt);
  if (found) keys.note = describe(*found);
  return keys;
}

}  // namespace phalanx

#include "io/openssl_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "formats/digest_search.hpp"
#include "io/base64_stream.hpp"
#include "io/file_descriptor.hpp"

namespace phalanx {
namespace {

OpensslKeys derive(const MessagePlan& plan, const OpensslDerivation& derivation, Bytes passphrase, Bytes salt) {
  OpensslKeys keys{.key = SecretBytes(key_bytes(plan.cipher)),
                   .iv = plan.job.iv,
                   .header = {},
                   .found = {},
                   .digest = derivation.digest,
                   .note = {}};
  WipedArray<largest_block_bytes> iv;
  const MutableBytes derived_iv = MutableBytes(iv.bytes).first(plan.job.iv.size);
  derive_key_and_iv(derivation, passphrase, salt, keys.key, derived_iv);
  if (!plan.iv_given) std::copy(derived_iv.begin(), derived_iv.end(), keys.iv.bytes.begin());
  return keys;
}

// The last two blocks of the ciphertext after the header, or the only one: by going to the end of a file, or through all of
// a base64 text. The input stands where it stood before.
std::vector<std::uint8_t> read_last_blocks(const MessagePlan& plan, Input& input, std::uint64_t start) {
  const std::size_t wanted = 2 * plan.cipher.cipher->block_bytes;
  const std::uint64_t before = input.position();
  const std::size_t header_bytes = plan.openssl.salted ? openssl_header_bytes : 0;
  std::vector<std::uint8_t> last(wanted);
  std::uint64_t size = 0;
  input.seek(start);
  if (plan.openssl.base64) {
    Base64Source ciphertext(input);
    std::vector<std::uint8_t> buffer(default_piece_bytes);
    ciphertext.read(MutableBytes(buffer).first(header_bytes));
    while (const std::size_t got = ciphertext.read(buffer)) {
      size += got;
      last.insert(last.end(), buffer.begin() + static_cast<std::ptrdiff_t>(got - std::min(got, wanted)),
                  buffer.begin() + static_cast<std::ptrdiff_t>(got));
      last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(wanted));
    }
  } else {
    const std::uint64_t total = input.remaining_bytes().value_or(0);
    size = total - std::min<std::uint64_t>(total, header_bytes);
    const std::size_t available = static_cast<std::size_t>(std::min<std::uint64_t>(size, wanted));
    read_at(input.descriptor(), MutableBytes(last).last(available), start + total - available, input.name());
  }
  input.seek(before);
  const std::size_t block = plan.cipher.cipher->block_bytes;
  if (size == 0 || size % block != 0) {
    throw Error(ErrorCode::truncated,
                "the ciphertext is truncated: it must be whole blocks of " + std::to_string(block) + " bytes");
  }
  if (size < wanted) last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(size));
  return last;
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
  constexpr std::string_view salted = "Salted__";
  const std::uint64_t before = input.position();
  std::array<std::uint8_t, salted.size()> beginning{};
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
  if (size < salted.size() || !std::equal(salted.begin(), salted.end(), beginning.begin())) return;
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
    const std::vector<std::uint8_t> last_blocks = read_last_blocks(plan, *file, start);
    found = choose_digest(plan, passphrase, used_salt, last_blocks);
    derivation.digest = found->digest;
  }
  OpensslKeys keys = derive(plan, derivation, passphrase, used_salt);
  if (found) keys.note = describe(*found);
  keys.found = std::move(found);
  return keys;
}

}  // namespace phalanx

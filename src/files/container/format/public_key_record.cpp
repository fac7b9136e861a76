#include "files/container/format/public_key_record.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/host/host.hpp"
#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/format/key_wrap.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr std::string_view label = "age";
constexpr std::size_t digest_bytes = 64;

// Returns the input key of the message.
SecretBytes input_key_of(const FixedPart& fixed_part, Bytes file_key, Bytes salt, Bytes labels_and_stanzas) {
  std::vector<std::uint8_t> info = labelled_fixed_part(fixed_part, label);
  info.resize(info.size() + digest_bytes);
  compute_sha512(labels_and_stanzas, MutableBytes(info).last(digest_bytes));
  SecretBytes key(fixed_part.suite->key_bytes);
  derive_hkdf_sha512(file_key, salt, info, key);
  return key;
}

bool is_label(std::string_view text) { return is_age_argument(text) && text.size() <= most_label_bytes; }

bool are_in_order(const std::vector<std::string>& labels) {
  return std::ranges::adjacent_find(labels, std::greater_equal<>()) == labels.end();
}

// Takes the bytes that it reads from the beginning of `rest`, and returns false where they are malformed.
bool take_labels(Bytes& rest, std::vector<std::string>& labels) {
  if (rest.empty()) return false;
  std::size_t left = rest[0];
  for (rest = rest.subspan(1); left != 0; --left) {
    if (rest.empty() || rest.size() - 1 < rest[0]) return false;
    labels.emplace_back(characters_of(rest.subspan(1, rest[0])));
    if (!is_label(labels.back())) return false;
    rest = rest.subspan(1 + labels.back().size());
  }
  return are_in_order(labels);
}

bool take_stanzas(Bytes& rest, std::vector<std::string>& stanzas) {
  if (rest.empty() || rest[0] == 0 || rest[0] > most_stanzas) return false;
  std::size_t left = rest[0];
  std::string_view text = characters_of(rest.subspan(1));
  for (; left != 0; --left) {
    const std::optional<std::size_t> size = first_stanza_bytes(text);
    if (!size || *size > most_stanza_bytes) return false;
    stanzas.emplace_back(text.substr(0, *size));
    try {
      std::string_view stanza = stanzas.back();
      static_cast<void>(read_age_stanza(stanza));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::format) throw;
      return false;
    }
    text.remove_prefix(*size);
  }
  rest = rest.last(text.size());
  return true;
}

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::usage, what); }

void check_stanzas(const std::vector<std::string>& stanzas) {
  if (stanzas.empty() || stanzas.size() > most_stanzas) {
    fail("a public key makes " + std::to_string(stanzas.size()) + " stanzas: a container takes 1 to " +
         std::to_string(most_stanzas) + " of each recipient");
  }
  for (const std::string& text : stanzas) {
    if (text.size() > most_stanza_bytes) {
      fail("a public key makes a stanza of " + std::to_string(text.size()) + " bytes: a container takes " +
           std::to_string(most_stanza_bytes) + " at most");
    }
    std::string_view rest = text;
    try {
      check_native_stanza(read_age_stanza(rest));
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, std::string("what a public key makes is no stanza of age: ") + error.what());
    }
    if (!rest.empty()) fail("what a public key makes is no stanza of age: more follows it");
  }
}

WrappedFileKey wrap_for(const Recipient& recipient, MutableBytes file_key) {
  if (recipient.wrap == nullptr) {
    return {{wrap_file_key(read_native_recipient(characters_of(recipient.secret)), file_key)}, {}};
  }
  WrappedFileKey wrapped = recipient.wrap(file_key);
  check_stanzas(wrapped.stanzas);
  std::ranges::sort(wrapped.labels);
  if (wrapped.labels.size() > most_label_bytes || !std::ranges::all_of(wrapped.labels, is_label) ||
      !are_in_order(wrapped.labels)) {
    fail("the labels of a public key are 255 different words at most, of 255 visible characters of ASCII");
  }
  return wrapped;
}

void append(std::vector<std::uint8_t>& data, std::string_view text) { data.insert(data.end(), text.begin(), text.end()); }

// Returns true if the file key was found.
bool unwrap(const PublicKeyRecord& record, const Identity& identity, MutableBytes file_key) {
  if (identity.unwrap != nullptr) return identity.unwrap(record.stanzas, file_key);
  const SecretBytes secret = read_native_identity(characters_of(identity.secret));
  for (const std::string& text : record.stanzas) {
    std::string_view rest = text;
    const std::optional<SecretBytes> found = unwrap_file_key(secret, read_age_stanza(rest));
    if (!found) continue;
    std::ranges::copy(*found, file_key.begin());
    return true;
  }
  return false;
}

std::string words_of(const std::vector<std::string>& labels) {
  if (labels.empty()) return "none";
  std::string words;
  for (const std::string& text : labels) words += (words.empty() ? "" : ", ") + text;
  return words;
}

}  // namespace

std::optional<PublicKeyRecord> read_public_key_record(const Suite& suite, Bytes data) {
  if (data.size() < public_key_salt_bytes) return std::nullopt;
  PublicKeyRecord record;
  record.salt = data.first(public_key_salt_bytes);
  const Bytes behind_salt = data.subspan(public_key_salt_bytes);
  Bytes rest = behind_salt;
  if (!take_labels(rest, record.labels) || !take_stanzas(rest, record.stanzas)) return std::nullopt;
  if (rest.size() != key_wrap_bytes(suite)) return std::nullopt;
  record.labels_and_stanzas = behind_salt.first(behind_salt.size() - rest.size());
  record.message = rest;
  return record;
}

std::vector<std::string> stanza_types_of(const PublicKeyRecord& record) {
  std::vector<std::string> types;
  for (const std::string& text : record.stanzas) {
    std::string_view rest = text;
    std::string type = read_age_stanza(rest).arguments.front();
    if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
  }
  return types;
}

std::size_t native_record_bytes(const Suite& suite) {
  return public_key_salt_bytes + 2 + native_stanza_bytes + key_wrap_bytes(suite);
}

void check_public_key(const Recipient& recipient) {
  if (recipient.wrap == nullptr) static_cast<void>(read_native_recipient(characters_of(recipient.secret)));
}

std::vector<std::uint8_t> make_public_key_record(const FixedPart& fixed_part, const Recipient& recipient, Bytes data_key) {
  SecretBytes file_key(age_file_key_bytes);
  fill_random(file_key);
  const WrappedFileKey wrapped = wrap_for(recipient, file_key);
  std::vector<std::uint8_t> data(public_key_salt_bytes);
  fill_random(data);
  data.push_back(static_cast<std::uint8_t>(wrapped.labels.size()));
  for (const std::string& text : wrapped.labels) {
    data.push_back(static_cast<std::uint8_t>(text.size()));
    append(data, text);
  }
  data.push_back(static_cast<std::uint8_t>(wrapped.stanzas.size()));
  for (const std::string& text : wrapped.stanzas) append(data, text);
  const Bytes salt = Bytes(data).first(public_key_salt_bytes);
  const SecretBytes input_key = input_key_of(fixed_part, file_key, salt, Bytes(data).subspan(public_key_salt_bytes));
  append_key_wrap(fixed_part, label, input_key, data_key, data);
  return data;
}

std::optional<SecretBytes> open_public_key_record(const FixedPart& fixed_part, Bytes data, const Identity& identity) {
  const std::optional<PublicKeyRecord> record = read_public_key_record(*fixed_part.suite, data);
  if (!record) return std::nullopt;
  SecretBytes file_key(age_file_key_bytes);
  if (!unwrap(*record, identity, file_key)) return std::nullopt;
  const SecretBytes input_key = input_key_of(fixed_part, file_key, record->salt, record->labels_and_stanzas);
  std::optional<SecretBytes> data_key = open_key_wrap(fixed_part, label, input_key, record->message);
  if (data_key) return data_key;
  throw Error(ErrorCode::authentication, "the header is not authentic: a stanza opens, and what it wraps does not fit");
}

bool is_held_by(const Recipient& recipient, const Identity& identity) {
  const bool are_public_keys = recipient.kind == KeyKind::public_key && identity.kind == KeyKind::public_key;
  if (!are_public_keys || recipient.wrap != nullptr || identity.unwrap != nullptr) return false;
  const X25519PublicKey own = x25519_public_key(read_native_identity(characters_of(identity.secret)));
  return own == read_native_recipient(characters_of(recipient.secret));
}

void check_label_sets(std::span<const LabelSet> recipients) {
  const bool any_other = std::ranges::any_of(recipients, [](const LabelSet& labels) { return !labels; });
  const LabelSet* first = nullptr;
  for (const LabelSet& labels : recipients) {
    if (!labels) continue;
    if (first == nullptr) first = &labels;
    if (*labels != **first) {
      throw Error(ErrorCode::policy, "the recipients do not want to stand together: the labels of one are " +
                                         words_of(**first) + ", of another " + words_of(*labels) +
                                         "; seal for them apart, or allow that they are mixed");
    }
  }
  if (first == nullptr || !any_other) return;
  if ((*first)->empty() || **first == std::vector<std::string>{"postquantum"}) return;
  throw Error(ErrorCode::policy, "a public key with the labels " + words_of(**first) +
                                     " does not want to stand beside a key or passphrase: seal for them apart, or allow "
                                     "that they are mixed");
}

}  // namespace phalanx

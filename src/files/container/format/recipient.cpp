#include "files/container/format/recipient.hpp"

#include <algorithm>
#include <string>

#include "files/container/format/key_wrap.hpp"
#include "files/container/format/passphrase_keys.hpp"
#include "files/container/format/public_key_record.hpp"

namespace phalanx {
namespace {

// A passphrase's record has salt, log2(N), r, p, and then the wrap.
constexpr std::size_t cost_offset = scrypt_salt_bytes;
constexpr std::size_t wrap_offset = scrypt_salt_bytes + 3;

bool is_defined(const ScryptCost& cost) {
  return cost.log2_n >= 1 && cost.log2_n <= 63 && cost.r >= 1 && cost.p >= 1 && cost.log2_n < 16 * cost.r;
}

std::string text_of(const ScryptCost& cost) {
  return "N = 2^" + std::to_string(cost.log2_n) + ", r = " + std::to_string(cost.r) + ", p = " + std::to_string(cost.p);
}

void check_key_size(const Suite& suite, Bytes key) {
  if (key.size() != suite.key_bytes) {
    throw Error(ErrorCode::usage, "a key for " + std::string(suite.name) + " is " + std::to_string(suite.key_bytes) +
                                      " bytes, and " + std::to_string(key.size()) + " were given");
  }
}

// Reads what the record of a passphrase asks scrypt for.
ScryptRequest request_of(const FixedPart& fixed_part, const WrappedKey& wrapped) {
  ScryptRequest request{.fixed_part = fixed_part, .cost = scrypt_cost_of(wrapped)};
  std::copy_n(wrapped.data.begin(), request.salt.size(), request.salt.begin());
  return request;
}

constexpr std::string_view key_label = "key", passphrase_label = "passphrase";

}  // namespace

std::string mebibytes_of(std::uint64_t num_bytes) {
  return num_bytes == max_scrypt_bytes ? "1 GiB" : std::to_string(num_bytes >> 20) + " MiB";
}

std::size_t wrapped_key_bytes(const Suite& suite, KeyKind kind) {
  if (kind == KeyKind::public_key) return native_record_bytes(suite);
  return key_wrap_bytes(suite) + (kind == KeyKind::passphrase ? wrap_offset : 0);
}

std::vector<Identity> identities_of(std::span<const Recipient> recipients) {
  std::vector<Identity> identities;
  for (const Recipient& recipient : recipients) {
    if (recipient.kind != KeyKind::public_key) identities.push_back(identity_of(recipient));
  }
  return identities;
}

std::uint64_t scrypt_bytes(const ScryptCost& cost) {
  if (cost.log2_n >= 32) return ~std::uint64_t{0};
  return (std::uint64_t{128} << cost.log2_n) * cost.r * cost.p;
}

void check_new_scrypt_cost(const ScryptCost& cost) {
  if (!is_defined(cost) || scrypt_bytes(cost) < min_scrypt_bytes || scrypt_bytes(cost) > max_scrypt_bytes) {
    throw Error(ErrorCode::policy, "scrypt with " + text_of(cost) +
                                       " is refused: 128 * N * r * p must be from 1 MiB to 1 GiB; usual is N = 2^17, r = 8, "
                                       "p = 1");
  }
}

void check_wrapped_key(const Suite& suite, const WrappedKey& wrapped) {
  const bool is_passphrase = wrapped.is(KeyKind::passphrase);
  if (!is_passphrase && !wrapped.is(KeyKind::key)) return;
  const std::size_t expected = wrapped_key_bytes(suite, static_cast<KeyKind>(wrapped.kind));
  if (wrapped.data.size() != expected) {
    throw Error(ErrorCode::format, "the header is malformed: a wrapped key of kind " + std::to_string(wrapped.kind) +
                                       " has " + std::to_string(wrapped.data.size()) + " bytes instead of " +
                                       std::to_string(expected));
  }
  if (is_passphrase && !is_defined(scrypt_cost_of(wrapped))) {
    throw Error(ErrorCode::format, "the header is malformed: scrypt has no such cost, " + text_of(scrypt_cost_of(wrapped)));
  }
}

ScryptCost scrypt_cost_of(const WrappedKey& wrapped) {
  return {wrapped.data.at(cost_offset), wrapped.data.at(cost_offset + 1), wrapped.data.at(cost_offset + 2)};
}

std::string scrypt_request_id(const FixedPart& fixed_part, const WrappedKey& wrapped) {
  return id_of(request_of(fixed_part, wrapped));
}

void check_recipient(const Suite& suite, const Recipient& recipient) {
  switch (recipient.kind) {  // without `default` here and below, the compiler warns of a kind that was forgotten
    case KeyKind::key:
      return check_key_size(suite, recipient.secret);
    case KeyKind::public_key:
      return check_public_key(recipient);
    case KeyKind::passphrase:
      break;
  }
  if (recipient.secret.empty()) throw Error(ErrorCode::usage, "the passphrase is empty: give one that is hard to guess");
  check_new_scrypt_cost(recipient.cost);
}

WrappedKey wrap_data_key(const FixedPart& fixed_part, const Recipient& recipient, Bytes data_key) {
  check_recipient(*fixed_part.suite, recipient);
  WrappedKey wrapped{static_cast<std::uint8_t>(recipient.kind), {}};
  switch (recipient.kind) {
    case KeyKind::key:
      append_key_wrap(fixed_part, key_label, recipient.secret, data_key, wrapped.data);
      return wrapped;
    case KeyKind::public_key:
      wrapped.data = make_public_key_record(fixed_part, recipient, data_key);
      return wrapped;
    case KeyKind::passphrase:
      break;
  }
  const SealingKey sealing = sealing_key(recipient.secret, fixed_part, recipient.cost);
  wrapped.data.assign(sealing.salt.begin(), sealing.salt.end());
  wrapped.data.insert(wrapped.data.end(), {recipient.cost.log2_n, recipient.cost.r, recipient.cost.p});
  append_key_wrap(fixed_part, passphrase_label, *sealing.key, data_key, wrapped.data);
  return wrapped;
}

std::optional<SecretBytes> unwrap_data_key(const FixedPart& fixed_part, const WrappedKey& wrapped, const Identity& identity,
                                           std::uint64_t most_scrypt_bytes) {
  if (!wrapped.is(identity.kind)) return std::nullopt;
  check_wrapped_key(*fixed_part.suite, wrapped);
  const Bytes data = wrapped.data;
  switch (identity.kind) {
    case KeyKind::key:
      check_key_size(*fixed_part.suite, identity.secret);
      return open_key_wrap(fixed_part, key_label, identity.secret, data);
    case KeyKind::public_key:
      return open_public_key_record(fixed_part, data, identity);
    case KeyKind::passphrase:
      break;
  }
  const ScryptCost cost = scrypt_cost_of(wrapped);
  if (scrypt_bytes(cost) > most_scrypt_bytes) {
    throw Error(ErrorCode::policy, "the container asks for scrypt with " + text_of(cost) + ", which costs more than " +
                                       mebibytes_of(most_scrypt_bytes) + ": refused; open it with a key if it has one");
  }
  const DerivedKey key = opening_key(identity.secret, request_of(fixed_part, wrapped));
  return open_key_wrap(fixed_part, passphrase_label, *key, data.subspan(wrap_offset));
}

void trust_salt_of(const FixedPart& fixed_part, const WrappedKey& wrapped, const Identity& identity) {
  if (identity.kind == KeyKind::passphrase) trust_salt(identity.secret, request_of(fixed_part, wrapped));
}

std::vector<WrappedKey> wrap_for_all(const FixedPart& fixed_part, std::span<const Recipient> recipients, Bytes data_key) {
  std::vector<WrappedKey> wrapped_keys;
  for (const Recipient& recipient : recipients) wrapped_keys.push_back(wrap_data_key(fixed_part, recipient, data_key));
  check_labels_of(*fixed_part.suite, wrapped_keys, recipients);
  return wrapped_keys;
}

void check_labels_of(const Suite& suite, std::span<const WrappedKey> wrapped_keys, std::span<const Recipient> added) {
  if (std::ranges::any_of(added, &Recipient::may_be_mixed)) return;
  std::vector<LabelSet> label_sets;
  for (const WrappedKey& wrapped : wrapped_keys) {
    if (wrapped.is(KeyKind::public_key)) {
      std::optional<PublicKeyRecord> record = read_public_key_record(suite, wrapped.data);
      if (record) label_sets.emplace_back(std::move(record->labels));
    } else if (wrapped.is(KeyKind::key) || wrapped.is(KeyKind::passphrase)) {
      label_sets.emplace_back();
    }
  }
  check_label_sets(label_sets);
}

bool is_opened_by(const FixedPart& fixed_part, const WrappedKey& wrapped, const Identity& identity,
                  const CostLimits& limits) {
  try {
    return unwrap_data_key(fixed_part, wrapped, identity, limits.one_passphrase).has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace phalanx

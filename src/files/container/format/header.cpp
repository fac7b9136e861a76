#include "files/container/format/header.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <string>

#include "engine/host/host.hpp"
#include "files/libcrypto/hkdf.hpp"

namespace phalanx {
namespace {

constexpr std::size_t record_start_bytes = 3;  // kind, size

using HeaderMac = std::array<std::uint8_t, header_mac_bytes>;

[[noreturn]] void fail_malformed(const std::string& what, ErrorCode code = ErrorCode::format) {
  throw Error(code, "the header is malformed: " + what);
}

[[noreturn]] void fail_truncated(std::size_t num_bytes) {
  throw Error(ErrorCode::truncated,
              "the container ends after " + std::to_string(num_bytes) + " bytes, within its header: it is cut short");
}

std::size_t load_size(Bytes bytes) { return static_cast<std::size_t>(bytes[0]) << 8 | bytes[1]; }

void append_size(std::vector<std::uint8_t>& bytes, std::size_t size) {
  bytes.push_back(static_cast<std::uint8_t>(size >> 8));
  bytes.push_back(static_cast<std::uint8_t>(size));
}

std::size_t records_end(Bytes header) { return header.size() - header_mac_bytes; }

HeaderMac mac_of(const FixedPart& fixed_part, Bytes authenticated, Bytes data_key) {
  SecretBytes key(header_mac_bytes);
  expand_hkdf_sha512(data_key, labelled_fixed_part(fixed_part, "header"), key);
  HeaderMac mac;
  compute_hmac_sha512(key, authenticated, mac);
  return mac;
}

// Reads one record after another.
class RecordParser {
 public:
  explicit RecordParser(Bytes records) : records_(records) {}

  [[nodiscard]] bool at_end() const { return records_.empty(); }

  WrappedKey next() {
    if (records_.size() < record_start_bytes) fail_malformed("it ends within a record");
    const std::size_t size = load_size(records_.subspan(1));
    const Bytes data = records_.subspan(record_start_bytes);
    if (data.size() < size) fail_malformed("a record is longer than the header");
    WrappedKey record{records_[0], {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)}};
    records_ = data.subspan(size);
    return record;
  }

 private:
  Bytes records_;
};

// In version 1 a record of this kind is unknown, and is skipped as any other.
BindingRecord parse_binding(std::uint8_t version, RecordParser& records) {
  if (version == unbound_version) return {};
  const WrappedKey first = records.next();
  if (first.kind != binding_kind) fail_malformed("it is of version 2, and does not say what it is bound to");
  return parse_binding_record(first.data);
}

std::vector<WrappedKey> parse_wrapped_keys(const FixedPart& fixed_part, RecordParser& records) {
  std::vector<WrappedKey> wrapped_keys;
  while (!records.at_end()) {
    wrapped_keys.push_back(records.next());
    if (fixed_part.version != unbound_version && wrapped_keys.back().kind == binding_kind) {
      fail_malformed("it says twice what it is bound to");
    }
    check_wrapped_key(*fixed_part.suite, wrapped_keys.back());
  }
  return wrapped_keys;
}

void append_record(std::vector<std::uint8_t>& bytes, std::uint8_t kind, Bytes data) {
  bytes.push_back(kind);
  append_size(bytes, data.size());
  bytes.insert(bytes.end(), data.begin(), data.end());
}

// A header that is read fails with format, and one that is made fails with usage.
[[noreturn]] void fail_no_recipient() {
  throw Error(ErrorCode::usage, "no recipient is given: a container needs at least one key or passphrase that opens it");
}

void check_number_of_keys(const std::vector<WrappedKey>& wrapped_keys, ErrorCode code) {
  if (wrapped_keys.empty() && code == ErrorCode::usage) fail_no_recipient();
  if (wrapped_keys.empty()) fail_malformed("it names no recipient", code);
  const auto num_passphrases =
      std::ranges::count_if(wrapped_keys, [](const WrappedKey& wrapped) { return wrapped.is(KeyKind::passphrase); });
  if (static_cast<std::size_t>(num_passphrases) > max_passphrases) {
    fail_malformed(
        "it has " + std::to_string(num_passphrases) + " passphrases, more than " + std::to_string(max_passphrases), code);
  }
}

// This is an identity to be tried on a record.
struct Trial {
  std::size_t wrapped_key;
  std::size_t identity;
  std::uint64_t scrypt_bytes;  // 0 for a key
};

std::vector<Trial> trials_of(KeyKind kind, const ContainerHeader& header, std::span<const Identity> identities) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    for (std::size_t j = 0; j < header.wrapped_keys.size(); ++j) {
      const WrappedKey& wrapped = header.wrapped_keys[j];
      if (identities[i].kind != kind || !wrapped.is(kind)) continue;
      trials.push_back({j, i, kind == KeyKind::passphrase ? scrypt_bytes(scrypt_cost_of(wrapped)) : 0});
    }
  }
  return trials;
}

std::optional<OpenedHeader> open_by(const std::vector<Trial>& trials, const ContainerHeader& header,
                                    std::span<const Identity> identities) {
  for (const Trial& trial : trials) {
    const WrappedKey& wrapped = header.wrapped_keys[trial.wrapped_key];
    std::optional<SecretBytes> key =
        unwrap_data_key(header.fixed_part(), wrapped, identities[trial.identity], trial.scrypt_bytes);
    if (key) return OpenedHeader{std::move(*key), trial.wrapped_key, trial.identity};
  }
  return std::nullopt;
}

// Keys that the library knows itself are tried first, since a call of the caller may ask a user. If one fails, or another
// recipient's stanza is malformed, another identity or record may still open.
std::optional<OpenedHeader> open_by_public_key(const ContainerHeader& header, std::span<const Identity> identities,
                                               std::optional<Error>& failure) {
  const std::vector<Trial> trials = trials_of(KeyKind::public_key, header, identities);
  for (const bool by_call : {false, true}) {
    for (const Trial& trial : trials) {
      if ((identities[trial.identity].unwrap != nullptr) != by_call) continue;
      try {
        if (auto opened = open_by({trial}, header, identities)) return opened;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::authentication || (!by_call && error.code() != ErrorCode::format)) throw;
        if (!failure) failure.emplace(error);
      }
    }
  }
  return std::nullopt;
}

// Leaves the cheapest trials that are within the limits together, cheapest first, and remembers why others were taken out.
void keep_within(const CostLimits& limits, std::vector<Trial>& trials, std::optional<Error>& refusal) {
  std::ranges::stable_sort(trials, {}, &Trial::scrypt_bytes);
  std::uint64_t left = limits.all_passphrases;
  const auto first_out = std::ranges::find_if(trials, [&left, &limits](const Trial& trial) {
    if (trial.scrypt_bytes > limits.one_passphrase || trial.scrypt_bytes > left) return true;
    left -= trial.scrypt_bytes;
    return false;
  });
  if (first_out == trials.end()) return;
  if (first_out->scrypt_bytes > limits.one_passphrase) {
    refusal.emplace(ErrorCode::policy, "the container asks for a scrypt that costs more than " +
                                           mebibytes_of(limits.one_passphrase) +
                                           ": refused; open it with a key if it has one");
  } else {
    refusal.emplace(ErrorCode::policy, "to try all of the container's passphrases costs more scrypt than the " +
                                           std::to_string(limits.all_passphrases >> 20) +
                                           " MiB allowed: refused; open it with a key if it has one, or allow more");
  }
  trials.erase(first_out, trials.end());
}

}  // namespace

std::size_t header_bytes(Bytes beginning) {
  static_cast<void>(parse_fixed_part(beginning));
  if (beginning.size() < header_start_bytes) fail_truncated(beginning.size());
  const std::size_t records_bytes = load_size(beginning.subspan(fixed_part_bytes));
  if (records_bytes == 0) fail_malformed("it names no recipient");
  return header_start_bytes + records_bytes + header_mac_bytes;
}

ContainerHeader parse_header(Bytes beginning) {
  const std::size_t size = header_bytes(beginning);
  if (beginning.size() < size) fail_truncated(beginning.size());
  const Bytes bytes = beginning.first(size);
  const FixedPart fixed_part = parse_fixed_part(bytes);
  ContainerHeader header{fixed_part.version, fixed_part.suite, {}, {}, {}};
  RecordParser records(bytes.subspan(header_start_bytes, records_end(bytes) - header_start_bytes));
  header.binding = parse_binding(header.version, records);
  header.wrapped_keys = parse_wrapped_keys(fixed_part, records);
  check_number_of_keys(header.wrapped_keys, ErrorCode::format);
  header.bytes.assign(bytes.begin(), bytes.end());
  return header;
}

ContainerHeader make_header(const FixedPart& fixed_part, std::vector<WrappedKey> wrapped_keys, Bytes data_key,
                            const BindingRecord& binding) {
  check_number_of_keys(wrapped_keys, ErrorCode::usage);
  std::vector<std::uint8_t> records;
  if (binding.flags != 0) append_record(records, binding_kind, binding.data());
  for (const WrappedKey& wrapped : wrapped_keys) append_record(records, wrapped.kind, wrapped.data);
  if (records.size() > 0xffff) {
    throw Error(ErrorCode::usage, "a container has room for 65535 bytes of wrapped keys, and " +
                                      std::to_string(wrapped_keys.size()) + " recipients need " +
                                      std::to_string(records.size()) + ": give fewer");
  }
  ContainerHeader header{fixed_part.version, fixed_part.suite, binding, {}, labelled_fixed_part(fixed_part, "")};
  append_size(header.bytes, records.size());
  header.bytes.insert(header.bytes.end(), records.begin(), records.end());
  const HeaderMac mac = mac_of(fixed_part, header.bytes, data_key);
  header.bytes.insert(header.bytes.end(), mac.begin(), mac.end());
  header.wrapped_keys = std::move(wrapped_keys);
  return header;
}

SecretBytes random_data_key(const Suite& suite) {
  SecretBytes key(suite.key_bytes);
  fill_random(key);
  return key;
}

NewHeader make_new_header(const Suite& suite, std::span<const Recipient> recipients, const Binding& binding) {
  const FixedPart fixed_part = fixed_part_of(suite, binding);
  SecretBytes data_key = random_data_key(suite);
  const BindingRecord record = make_binding_record(fixed_part, binding, data_key);
  ContainerHeader header = make_header(fixed_part, wrap_for_all(fixed_part, recipients, data_key), data_key, record);
  return {std::move(header), std::move(data_key)};
}

std::size_t new_header_bytes(const Suite& suite, std::span<const Recipient> recipients, const Binding& binding) {
  std::size_t size = header_start_bytes + header_mac_bytes;
  if (recipients.empty()) fail_no_recipient();
  if (binding_flags_of(binding) != 0) size += record_start_bytes + binding_data_bytes(binding);
  for (const Recipient& recipient : recipients) {
    if (recipient.wrap != nullptr) {
      throw Error(ErrorCode::usage, "the size of a container is not known beforehand where a call wraps for a public key");
    }
    check_recipient(suite, recipient);
    size += record_start_bytes + wrapped_key_bytes(suite, recipient.kind);
  }
  return size;
}

void require_mac(const ContainerHeader& header, Bytes data_key) {
  const Bytes bytes = header.bytes;
  const HeaderMac mac = mac_of(header.fixed_part(), bytes.first(records_end(bytes)), data_key);
  if (CRYPTO_memcmp(mac.data(), bytes.data() + records_end(bytes), mac.size()) != 0) {
    throw Error(ErrorCode::authentication, "the header is not authentic: it was changed, or put together from others");
  }
}

ChunkedCipher begin_body(const ContainerHeader& header, Bytes data_key, Bytes context, const EngineOptions& options) {
  return {*header.suite, data_key, random_chunk_salt(), body_context(header.fixed_part(), header.binding, context), options};
}

ChunkedCipher open_body(const ContainerHeader& header, Bytes data_key, const MessagePrefix& prefix, Bytes context,
                        const EngineOptions& options) {
  try {
    return {*header.suite, data_key, prefix, body_context(header.fixed_part(), header.binding, context), options};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key || !header.binding.needs_context()) throw;
    throw Error(error, "wrong context, or changed: the commitment before the chunks is not that of this context");
  }
}

OpenedHeader open_header(const ContainerHeader& header, std::span<const Identity> identities, const CostLimits& limits,
                         const Binding& binding, const BindingNames& names) {
  require_fitting(header.binding, binding, names);
  std::optional<OpenedHeader> opened = open_by(trials_of(KeyKind::key, header, identities), header, identities);
  std::optional<Error> refusal;
  if (!opened) opened = open_by_public_key(header, identities, refusal);
  if (!opened) {
    std::vector<Trial> trials = trials_of(KeyKind::passphrase, header, identities);
    keep_within(limits, trials, refusal);
    opened = open_by(trials, header, identities);
  }
  if (!opened && refusal) throw Error(*refusal);
  if (!opened) {
    throw Error(ErrorCode::wrong_key, "wrong key or passphrase: none that was given opens this container");
  }
  require_mac(header, opened->data_key);
  trust_salt_of(header.fixed_part(), header.wrapped_keys[opened->wrapped_key], identities[opened->identity]);
  require_same_name(header.fixed_part(), header.binding, opened->data_key, binding, names);
  return std::move(*opened);
}

}  // namespace phalanx

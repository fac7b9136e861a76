#include "container/format/header.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <string>

#include "container/format/chunked_encryption.hpp"
#include "libcrypto/hkdf.hpp"
#include "libcrypto/random_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {'P', 'H', 'A', 'L', 'A', 'N', 'X', 0};
constexpr std::size_t version_offset = 8;
constexpr std::size_t suite_offset = 9;
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

HeaderMac mac_of(const Suite& suite, Bytes authenticated, Bytes data_key) {
  SecretBytes key(header_mac_bytes);
  expand_hkdf_sha512(data_key, labelled_fixed_part(suite, "header"), key);
  HeaderMac mac;
  compute_hmac_sha512(key, authenticated, mac);
  return mac;
}

std::vector<WrappedKey> parse_records(const Suite& suite, Bytes records) {
  std::vector<WrappedKey> wrapped_keys;
  while (!records.empty()) {
    if (records.size() < record_start_bytes) fail_malformed("it ends within a record");
    const std::size_t size = load_size(records.subspan(1));
    const Bytes data = records.subspan(record_start_bytes);
    if (data.size() < size) fail_malformed("a record is longer than the header");
    wrapped_keys.push_back({records[0], {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)}});
    check_wrapped_key(suite, wrapped_keys.back());
    records = data.subspan(size);
  }
  return wrapped_keys;
}

// Of a header that is read, format; of one that is made, usage.
void check_number_of_keys(const std::vector<WrappedKey>& wrapped_keys, ErrorCode code) {
  if (wrapped_keys.empty()) fail_malformed("it names no recipient", code);
  const auto num_passphrases =
      std::ranges::count_if(wrapped_keys, [](const WrappedKey& wrapped) { return wrapped.is(KeyKind::passphrase); });
  if (static_cast<std::size_t>(num_passphrases) > max_passphrases) {
    fail_malformed(
        "it has " + std::to_string(num_passphrases) + " passphrases, more than " + std::to_string(max_passphrases), code);
  }
}

// An identity to be tried on a record.
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
    std::optional<SecretBytes> key = unwrap_data_key(*header.suite, wrapped, identities[trial.identity], trial.scrypt_bytes);
    if (key) return OpenedHeader{std::move(*key), trial.wrapped_key, trial.identity};
  }
  return std::nullopt;
}

// Leaves the cheapest trials that are within the limits together, cheapest first; remembers why others were taken out.
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

std::vector<std::uint8_t> labelled_fixed_part(const Suite& suite, std::string_view label) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  bytes.push_back(container_version);
  bytes.push_back(suite.id);
  bytes.insert(bytes.end(), label.begin(), label.end());
  return bytes;
}

std::vector<std::uint8_t> body_context(const Suite& suite) { return labelled_fixed_part(suite, "body"); }

bool is_container(Bytes beginning) {
  return beginning.size() >= magic.size() && std::equal(magic.begin(), magic.end(), beginning.begin());
}

std::size_t header_bytes(Bytes beginning) {
  if (beginning.empty()) throw Error(ErrorCode::truncated, "the input is empty; a container begins with 'PHALANX'");
  const std::size_t num_magic = std::min(beginning.size(), magic.size());
  if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(num_magic), beginning.begin())) {
    throw Error(
        ErrorCode::format,
        "the input is no Phalanx container: it does not begin with 'PHALANX'; is it a bare message, without a header?");
  }
  if (beginning.size() > version_offset && beginning[version_offset] != container_version) {
    throw Error(ErrorCode::format, "the container is of version " + std::to_string(beginning[version_offset]) +
                                       ", and only version 1 is known here: use a newer Phalanx");
  }
  if (beginning.size() > suite_offset) static_cast<void>(suite_of_id(beginning[suite_offset]));
  if (beginning.size() < header_start_bytes) fail_truncated(beginning.size());
  const std::size_t records_bytes = load_size(beginning.subspan(fixed_part_bytes));
  if (records_bytes == 0) fail_malformed("it names no recipient");
  return header_start_bytes + records_bytes + header_mac_bytes;
}

ContainerHeader parse_header(Bytes beginning) {
  const std::size_t size = header_bytes(beginning);
  if (beginning.size() < size) fail_truncated(beginning.size());
  const Bytes bytes = beginning.first(size);
  ContainerHeader header;
  header.suite = &suite_of_id(bytes[suite_offset]);
  header.wrapped_keys =
      parse_records(*header.suite, bytes.subspan(header_start_bytes, records_end(bytes) - header_start_bytes));
  check_number_of_keys(header.wrapped_keys, ErrorCode::format);
  header.bytes.assign(bytes.begin(), bytes.end());
  return header;
}

ContainerHeader make_header(const Suite& suite, std::vector<WrappedKey> wrapped_keys, Bytes data_key) {
  check_number_of_keys(wrapped_keys, ErrorCode::usage);
  std::size_t records_bytes = 0;
  for (const WrappedKey& wrapped : wrapped_keys) records_bytes += record_start_bytes + wrapped.data.size();
  if (records_bytes > 0xffff) {
    throw Error(ErrorCode::usage, "a container has room for 65535 bytes of wrapped keys, and " +
                                      std::to_string(wrapped_keys.size()) + " recipients need " +
                                      std::to_string(records_bytes) + ": give fewer");
  }
  ContainerHeader header{&suite, {}, labelled_fixed_part(suite, "")};
  append_size(header.bytes, records_bytes);
  for (const WrappedKey& wrapped : wrapped_keys) {
    header.bytes.push_back(wrapped.kind);
    append_size(header.bytes, wrapped.data.size());
    header.bytes.insert(header.bytes.end(), wrapped.data.begin(), wrapped.data.end());
  }
  const HeaderMac mac = mac_of(suite, header.bytes, data_key);
  header.bytes.insert(header.bytes.end(), mac.begin(), mac.end());
  header.wrapped_keys = std::move(wrapped_keys);
  return header;
}

SecretBytes random_data_key(const Suite& suite) {
  SecretBytes key(suite.key_bytes);
  fill_random(key);
  return key;
}

NewHeader make_new_header(const Suite& suite, std::span<const Recipient> recipients) {
  SecretBytes data_key = random_data_key(suite);
  std::vector<WrappedKey> wrapped_keys;
  for (const Recipient& recipient : recipients) wrapped_keys.push_back(wrap_data_key(suite, recipient, data_key));
  ContainerHeader header = make_header(suite, std::move(wrapped_keys), data_key);
  return {std::move(header), std::move(data_key)};
}

std::size_t new_header_bytes(const Suite& suite, std::span<const Recipient> recipients) {
  std::size_t size = header_start_bytes + header_mac_bytes;
  for (const Recipient& recipient : recipients) size += record_start_bytes + wrapped_key_bytes(suite, recipient.kind);
  return size;
}

OpenedHeader open_header(const ContainerHeader& header, std::span<const Identity> identities, const CostLimits& limits) {
  std::optional<OpenedHeader> opened = open_by(trials_of(KeyKind::key, header, identities), header, identities);
  std::optional<Error> refusal;
  if (!opened) {
    std::vector<Trial> trials = trials_of(KeyKind::passphrase, header, identities);
    keep_within(limits, trials, refusal);
    opened = open_by(trials, header, identities);
  }
  if (!opened && refusal) throw Error(*refusal);
  if (!opened) {
    throw Error(ErrorCode::wrong_key, "wrong key or passphrase: none that was given opens this container");
  }
  const Bytes bytes = header.bytes;
  const HeaderMac mac = mac_of(*header.suite, bytes.first(records_end(bytes)), opened->data_key);
  if (CRYPTO_memcmp(mac.data(), bytes.data() + records_end(bytes), mac.size()) != 0) {
    throw Error(ErrorCode::authentication, "the header is not authentic: it was changed, or put together from others");
  }
  return std::move(*opened);
}

}  // namespace phalanx

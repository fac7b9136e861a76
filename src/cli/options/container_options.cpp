#include "cli/options/container_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "container/file/stream_reader.hpp"
#include "files/file_descriptor.hpp"
#include "foreign/openssl_enc.hpp"

namespace phalanx {
namespace {

constexpr int largest_scrypt_log_n = 30;

// Keeps what a stream began with, for the message about a file that is no container.
class RememberingSource : public ByteSource {
 public:
  explicit RememberingSource(ByteSource& source) : source_(source) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t got = source_.read(out);
    if (beginning_.empty()) beginning_.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    return got;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& beginning() const { return beginning_; }

 private:
  ByteSource& source_;
  std::vector<std::uint8_t> beginning_;
};

ContainerHeader read_header_or_explain(ByteSource& source) {
  RememberingSource remembering(source);
  try {
    return read_header(remembering);
  } catch (const Error& error) {
    const OpensslEncoding encoding = openssl_encoding_of(remembering.beginning());
    if (encoding == OpensslEncoding::none || is_container(remembering.beginning())) throw;
    const bool base64 = encoding == OpensslEncoding::base64;
    throw Error(error, fmt::format("this is a file of `openssl enc`{}, and no container: phalanx migrate "
                                   "--from-openssl{} makes one of it, phalanx raw decrypt --openssl{} reads it",
                                   base64 ? " in base64" : "", base64 ? " --from-base64" : "", base64 ? " -a" : ""));
  }
}

bool has_kind(const ContainerHeader& header, KeyKind kind) {
  return std::ranges::any_of(header.wrapped_keys, [&](const WrappedKey& wrapped) { return wrapped.is(kind); });
}

// Where only keys are given and only passphrases open it, or the other way round, that is what is wrong.
void require_fitting_kind(const ContainerHeader& header, const SecretSources& sources) {
  const bool for_keys = has_kind(header, KeyKind::key), for_passphrases = has_kind(header, KeyKind::passphrase);
  const bool may_fit = (sources.names_key() && for_keys) || (sources.names_passphrase() && for_passphrases);
  if (sources.named.empty() || may_fit || for_keys == for_passphrases) return;
  throw Error(ErrorCode::wrong_key,
              for_keys ? "this container opens with a key only, and a passphrase is given: give " + key_options(sources)
                       : "this container opens with a passphrase only, and a key is given: give " +
                             passphrase_options(sources) + ", or neither to be asked");
}

}  // namespace

void add_suite_option(CLI::App& command, std::string& cipher, const std::string& description) {
  command.add_option("--cipher", cipher, description)->type_name("NAME");
}

void add_resume_option(CLI::App& command, bool& resume) {
  command.add_flag("--resume", resume, "go on with the OUT.phalanx-partial of a killed run; keep it if this one ends early");
}

void add_scrypt_option(CLI::App& command, ScryptCost& cost) {
  const auto set = [&cost](const std::string& text) { cost.log2_n = static_cast<std::uint8_t>(std::stoi(text)); };
  command
      .add_option_function<std::string>("--scrypt-log-n", set, "a new passphrase's cost: N = 2^L, memory 2^(L-10) MiB (17)")
      ->transform(whole_number(1, largest_scrypt_log_n))
      ->type_name("L");
}

void add_scrypt_budget_option(CLI::App& command, std::uint64_t& budget_mib) {
  command
      .add_option("--scrypt-budget", budget_mib,
                  "what trying passphrases may cost in all, in MiB of scrypt: 128 N r p of each, summed (2048)")
      ->type_name("MIB")
      ->transform(whole_number(1, std::uint64_t{1} << 20));
}

void add_container_options(CLI::App& command, ContainerOptions& options, const MessageOptions& messages) {
  add_suite_option(command, options.cipher, "aes-256 (default), aes-128, serpent-256 or twofish-256");
  add_scrypt_option(command, options.cost);
  add_secret_options(command, options.secrets, messages);
}

void RecipientSecrets::add(KeyKind kind, SecretBytes secret, const ScryptCost& cost) {
  secrets.push_back(std::move(secret));  // which moves no memory that a recipient refers to
  recipients.push_back({.kind = kind, .secret = secrets.back(), .cost = cost});
}

RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost) {
  RecipientSecrets result;
  for (const SecretSource& source : sources.named) {
    const auto kind = source.is_passphrase() ? KeyKind::passphrase : KeyKind::key;
    result.add(kind, read_secret(sources, source, suite.key_bytes, SecretUse::seals), cost);
  }
  if (sources.named.empty()) result.add(KeyKind::passphrase, read_passphrase(sources, true), cost);
  return result;
}

ContainerUnlocker::ContainerUnlocker(const SecretSources& sources, std::uint64_t scrypt_budget_mib)
    : sources_(sources), scrypt_budget_mib_(scrypt_budget_mib) {
  for (const SecretSource& named : sources_.named) {
    if (named.is_passphrase()) passphrases_.add(KeyKind::passphrase, read_secret(sources_, named, 0, SecretUse::opens));
  }
}

// All at once, since a descriptor or a variable gives its key once only: of whatever suite the first container is.
void ContainerUnlocker::read_all_keys() {
  if (keys_) return;
  std::vector<std::size_t> sizes;
  for (const Suite& suite : all_suites()) {
    if (std::ranges::find(sizes, suite.key_bytes) == sizes.end()) sizes.push_back(suite.key_bytes);
  }
  std::map<std::size_t, RecipientSecrets> keys;
  for (const SecretSource& named : sources_.named) {
    if (named.is_passphrase()) continue;
    for (SizedKey& found : read_keys(sources_, named, sizes)) {
      keys[found.key_bytes].add(KeyKind::key, std::move(found.key));
      if (!found.warning.empty()) key_warnings_.emplace(found.key_bytes, found.warning);
    }
  }
  keys_ = std::move(keys);
}

void ContainerUnlocker::ask_for_passphrase(const ContainerHeader& header) {
  if (!has_kind(header, KeyKind::passphrase)) {
    throw Error(ErrorCode::usage, "this container opens with a key, and none is given: give " + key_options(sources_));
  }
  if (passphrases_.recipients.empty()) passphrases_.add(KeyKind::passphrase, read_passphrase(sources_, false));
}

// Each refers to a secret that stays where it is.
std::vector<Identity> ContainerUnlocker::identities_for(const ContainerHeader& header) {
  const std::lock_guard lock(mutex_);
  if (sources_.named.empty()) ask_for_passphrase(header);
  std::vector<Identity> identities = identities_of(passphrases_.recipients);
  read_all_keys();
  const Suite& suite = *header.suite;
  for (const Identity& key : identities_of((*keys_)[suite.key_bytes].recipients)) identities.push_back(key);
  const auto [first, last] = key_warnings_.equal_range(suite.key_bytes);
  for (auto warning = first; warning != last && sources_.warn; ++warning) sources_.warn(warning->second);
  key_warnings_.erase(first, last);
  if (!identities.empty()) return identities;
  throw Error(
      ErrorCode::usage,
      fmt::format("no key that is given has the length of one for this container: for {} that is {} bytes, or {} hex "
                  "digits and a line end",
                  suite.name, suite.key_bytes, 2 * suite.key_bytes));
}

UnlockedContainer ContainerUnlocker::unlock(ByteSource& source) {
  ContainerHeader header = read_header_or_explain(source);
  require_fitting_kind(header, sources_);
  const std::vector<Identity> identities = identities_for(header);
  SecretBytes data_key = open_header(header, identities, {.all_passphrases = scrypt_budget_mib_ << 20}).data_key;
  return {.header = std::move(header), .data_key = std::move(data_key)};
}

ChunkedCipher ContainerUnlocker::open(ByteSource& source, const Options& engine) {
  const UnlockedContainer container = unlock(source);
  const Suite& suite = *container.header.suite;
  return read_prefix(source, suite, container.data_key, body_context(suite), engine);
}

UnlockedContainer unlock_container(ByteSource& source, const SecretSources& sources, std::uint64_t scrypt_budget_mib) {
  return ContainerUnlocker(sources, scrypt_budget_mib).unlock(source);
}

namespace {

std::optional<int> descriptor_of(const std::string& path) {
  return path.empty() || path == "-" ? STDIN_FILENO : inherited_descriptor(path);
}

// The descriptor that a key is read from to its end; nothing for any other secret.
std::optional<int> emptied_descriptor(const SecretSource& source) {
  if (source.kind == SecretKind::key_fd) return std::stoi(source.place);
  return source.kind == SecretKind::key_file ? descriptor_of(source.place) : std::nullopt;
}

}  // namespace

void check_standard_input(const SecretSources& sources, const std::string& in, const std::string& what) {
  const std::optional<int> number = descriptor_of(in);
  if (!number) return;
  for (const SecretSource& source : sources.named) {
    if (emptied_descriptor(source) != number) continue;
    const std::string both = *number == STDIN_FILENO ? "standard input" : "descriptor " + std::to_string(*number);
    throw Error(ErrorCode::usage, "the key and " + what + " cannot both be " + both + ": name a file for one");
  }
}

}  // namespace phalanx

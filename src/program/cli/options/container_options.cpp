#include "program/cli/options/container_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "files/container/file/stream_reader.hpp"
#include "files/container/format/public_key_record.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/recognition/recognise.hpp"
#include "files/system/recording_source.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/options/binding_options.hpp"
#include "program/cli/options/file_kinds.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

constexpr int largest_scrypt_log_n = 30;
constexpr const char* identity_option = "--identity";

// Reads on behind the bytes that were seen, and recognises the whole. A file is read as far as kinds are recognised from. A
// pipe is read a little, since its writer may be slow.
RecognisedFile recognise_beginning(std::vector<std::uint8_t> beginning, ByteSource& source) {
  constexpr std::size_t of_pipe_bytes = 4096;
  const auto* const input = dynamic_cast<const Input*>(&source);
  const std::size_t most_bytes = input != nullptr && !input->remaining_bytes() ? of_pipe_bytes : recognised_from_bytes;
  const std::size_t seen_bytes = beginning.size();
  beginning.resize(std::max(seen_bytes, most_bytes));
  beginning.resize(seen_bytes + source.read(MutableBytes(beginning).subspan(seen_bytes)));
  const bool is_whole = beginning.size() < most_bytes;
  return recognise({.beginning = beginning,
                    .end = is_whole ? Bytes(beginning) : Bytes(),
                    .num_bytes = is_whole ? beginning.size() : unknown_size});
}

// Says of a file that is no container what it is, and what opens it.
std::string explain_no_container(const std::string& name, const RecognisedFile& file) {
  const bool is_of_openssl = file.kind == FileKind::openssl_enc && (file.form.empty() || file.form == "base64");
  if (is_of_openssl) {
    const bool base64 = !file.form.empty();
    return fmt::format(
        "{} is a file of `openssl enc`{}, and no container: phalanx migrate --from-openssl{} makes one of "
        "it, phalanx raw decrypt --openssl{} reads it",
        name, base64 ? " in base64" : "", base64 ? " --from-base64" : "", base64 ? " -a" : "");
  }
  return name + " is no Phalanx container: it " +
         (is_named(file) ? words_of(with_command(file))
                         : "does not begin with 'PHALANX'; what `phalanx encrypt --bare` wrote opens with --bare");
}

// Reads a header. A file of another version or suite is still a container.
ContainerHeader read_header_or_explain(ByteSource& source, const std::string& name) {
  RecordingSource recording(source);
  try {
    return read_header(recording);
  } catch (const Error& error) {
    const bool is_other =
        error.code() == ErrorCode::format || openssl_encoding_of(recording.seen()) != OpensslEncoding::none;
    if (error.code() == ErrorCode::truncated && recording.seen().empty())
      throw Error(error, name + " is empty; a container begins with 'PHALANX'");
    if (is_container(recording.seen()) || !is_other) throw;
    throw Error(error, explain_no_container(name, recognise_beginning(recording.seen(), source)));
  }
}

// Returns nothing where the file cannot be read: opening it says why.
std::vector<StanzaSet> stanzas_of(const std::string& path) {
  std::vector<StanzaSet> sets;
  try {
    Input input(path);
    const ContainerHeader header = read_header(input);
    for (const WrappedKey& wrapped : header.wrapped_keys) {
      if (!wrapped.is(KeyKind::public_key)) continue;
      if (auto record = read_public_key_record(*header.suite, wrapped.data)) sets.push_back(std::move(record->stanzas));
    }
  } catch (const Error&) {
    sets.clear();
  }
  return sets;
}

bool has_kind(const ContainerHeader& header, KeyKind kind) {
  return std::ranges::any_of(header.wrapped_keys, [&](const WrappedKey& wrapped) { return wrapped.is(kind); });
}

// Throws where the given secrets cannot fit, and an identity is given or wanted.
void require_identities(bool for_keys, bool for_passphrases, bool for_identities, const SecretSources& sources) {
  std::string wanted, options;
  const auto add = [&](bool is_wanted, const char* what, const std::string& by) {
    if (!is_wanted) return;
    wanted += (wanted.empty() ? "" : " or ") + std::string(what);
    options += (options.empty() ? "" : ", ") + by;
  };
  add(for_keys, "a key", key_options(sources));
  add(for_passphrases, "a passphrase", passphrase_options(sources));
  add(for_identities, "an identity of age", identity_option);
  if (wanted.empty()) return;
  throw Error(ErrorCode::wrong_key,
              fmt::format("this container opens with {} only, and none is given: give {}", wanted, options));
}

// Throws where only keys are given and only passphrases open it, or the other way round.
void require_fitting_kind(const ContainerHeader& header, const SecretSources& sources) {
  const bool for_keys = has_kind(header, KeyKind::key), for_passphrases = has_kind(header, KeyKind::passphrase);
  const bool for_identities = has_kind(header, KeyKind::public_key);
  const bool may_fit = (sources.names_key() && for_keys) || (sources.names_passphrase() && for_passphrases) ||
                       (sources.names_identity() && for_identities);
  if (sources.named.empty() || may_fit) return;
  if (for_identities || sources.names_identity()) require_identities(for_keys, for_passphrases, for_identities, sources);
  if (for_keys == for_passphrases || sources.names_identity()) return;
  throw Error(ErrorCode::wrong_key,
              for_keys ? "this container opens with a key only, and a passphrase is given: give " + key_options(sources)
                       : "this container opens with a passphrase only, and a key is given: give " +
                             passphrase_options(sources) + ", or neither to be asked");
}

}  // namespace

std::string suite_choices() {
  const std::span<const Suite> suites = all_suites();
  std::string choices = std::string(suites.front().name) + " (default)";
  for (const Suite& suite : suites.subspan(1))
    choices += (&suite == &suites.back() ? " or " : ", ") + std::string(suite.name);
  return choices;
}

void add_suite_option(CLI::App& command, std::string& cipher, const std::string& description) {
  command.add_option("--cipher", cipher, description)->type_name("NAME");
}

void add_resume_option(CLI::App& command, bool& resume) {
  mark_common(command.add_flag("--resume", resume, "go on with the OUT.phalanx-partial of a killed run"));
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
                  "the most that trying passphrases may cost in all, in MiB of scrypt: 128 N r p of each, summed (2048)")
      ->type_name("MIB")
      ->transform(whole_number(1, std::uint64_t{1} << 20));
}

void add_container_options(CLI::App& command, ContainerOptions& options, const MessageOptions& messages) {
  add_suite_option(command, options.cipher, suite_choices());
  add_scrypt_option(command, options.cost);
  add_secret_options(command, options.secrets, messages);
  add_public_key_options(command, options.secrets);
  add_identity_option(command, options.secrets);
  mark_rare(command.get_option("--identity"));  // sealing needs none
}

void RecipientSecrets::add(KeyKind kind, SecretBytes secret, const ScryptCost& cost) {
  secrets.push_back(std::move(secret));  // recipients refer to the secrets' memory, which does not move
  recipients.push_back({.kind = kind, .secret = secrets.back(), .cost = cost});
}

RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost, bool many) {
  RecipientSecrets result;
  for (const SecretSource& source : sources.named) {
    if (source.is_identity()) {
      result.identities.add(sources, source);
    } else if (source.is_public()) {
      for (const Recipient& recipient : result.public_keys.add(sources, source, many))
        result.recipients.push_back(recipient);
    } else {
      result.add(source.key_kind(), read_secret(sources, source, suite.key_bytes, SecretUse::seals), cost);
    }
    result.names.resize(result.recipients.size(), name_of(sources, source));
  }
  if (result.recipients.empty() && !sources.named.empty()) {
    throw Error(ErrorCode::usage, "an identity opens, and nothing is sealed for it: give its public key with --recipient");
  }
  if (sources.named.empty()) result.add(KeyKind::passphrase, read_passphrase(sources, true), cost);
  return result;
}

void refuse_unopened(const SecretSources& sources, bool is_given, const std::string& option) {
  if (!is_given || sources.named.empty()) return;
  if (!std::ranges::all_of(sources.named, &SecretSource::is_public)) return;
  throw Error(ErrorCode::usage, option + " opens what is there, which a run for public keys alone cannot: give " +
                                    identity_option + " too, or a key file");
}

ContainerUnlocker::ContainerUnlocker(const SecretSources& sources, std::uint64_t scrypt_budget_mib, const Binding& binding)
    : sources_(sources), scrypt_budget_mib_(scrypt_budget_mib), binding_(binding) {
  for (const SecretSource& named : sources_.named) {
    if (named.is_passphrase()) passphrases_.add(KeyKind::passphrase, read_secret(sources_, named, 0, SecretUse::opens));
    if (named.is_identity()) identities_.add(sources_, named);
  }
}

void ContainerUnlocker::expect(std::vector<std::string> paths) {
  if (!passphrases_.recipients.empty()) scrypt_sum_.expect(paths, passphrases_.recipients.size(), limits(), sources_.warn);
  std::ranges::reverse(paths);
  // Each plugin has a copy of the list.
  identities_.ask_ahead([left = std::move(paths)]() mutable -> std::vector<StanzaSet> {
    while (!left.empty()) {
      const std::string path = std::move(left.back());
      left.pop_back();
      std::vector<StanzaSet> sets = stanzas_of(path);
      if (!sets.empty()) return sets;
    }
    return {};
  });
}

// Reads all keys at once, whatever suite the first container is of, since a descriptor or a variable gives its key once
// only.
void ContainerUnlocker::read_all_keys() {
  if (keys_) return;
  std::vector<std::size_t> sizes;
  for (const Suite& suite : all_suites()) {
    if (std::ranges::find(sizes, suite.key_bytes) == sizes.end()) sizes.push_back(suite.key_bytes);
  }
  std::map<std::size_t, RecipientSecrets> keys;
  for (const SecretSource& named : sources_.named) {
    if (!named.is_key()) continue;
    for (SizedKey& found : read_keys(sources_, named, sizes)) {
      keys[found.key_bytes].add(named.key_kind(), std::move(found.key));
      if (!found.warning.empty()) key_warnings_.emplace(found.key_bytes, found.warning);
    }
  }
  keys_ = std::move(keys);
}

void ContainerUnlocker::ask_for_passphrase(const ContainerHeader& header) {
  if (!has_kind(header, KeyKind::passphrase) && has_kind(header, KeyKind::public_key)) {
    const std::string or_key = has_kind(header, KeyKind::key) ? ", " + key_options(sources_) : "";
    throw Error(ErrorCode::usage, "this container opens with an identity of age" +
                                      std::string(or_key.empty() ? "" : " or a key") + ", and none is given: give " +
                                      identity_option + or_key);
  }
  if (!has_kind(header, KeyKind::passphrase)) {
    throw Error(ErrorCode::usage, "this container opens with a key, and none is given: give " + key_options(sources_));
  }
  if (passphrases_.recipients.empty()) passphrases_.add(KeyKind::passphrase, read_passphrase(sources_, false));
}

// Each identity refers to a secret that stays where it is.
std::vector<Identity> ContainerUnlocker::identities_for(const ContainerHeader& header) {
  const std::lock_guard lock(mutex_);
  if (sources_.named.empty()) ask_for_passphrase(header);
  std::vector<Identity> identities = identities_of(passphrases_.recipients);
  for (const Identity& identity : identities_.list()) identities.push_back(identity);
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

HeaderOpening ContainerUnlocker::opening(const std::string& name) {
  const auto open = [this, binding = placed_at(binding_, name)](const ContainerHeader& header) {
    require_fitting(header.binding, binding, binding_option_names);
    require_fitting_kind(header, sources_);
    const std::vector<Identity> identities = identities_for(header);
    scrypt_sum_.add(header);
    return open_header(header, identities, limits(), binding, binding_option_names).data_key;
  };
  const auto read = [this](ByteSource& source) { return read_header_or_explain(source, input_name_); };
  return {.read = read, .open = open, .context = binding_.context};
}

ChunkedCipher ContainerUnlocker::open(Input& input, const std::string& name, const EngineOptions& engine,
                                      bool has_no_rewrite) {
  HeaderOpening how = opening(name);
  how.has_no_rewrite = has_no_rewrite;
  const UnlockedContainer container = unlock_input(input, how);
  return read_body_prefix(input, container.header, container.data_key, binding_.context, engine);
}

}  // namespace phalanx

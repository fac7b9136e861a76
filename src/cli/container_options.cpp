#include "cli/container_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "io/container_reading.hpp"
#include "io/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr int largest_scrypt_log_n = 30;

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

void add_container_options(CLI::App& command, ContainerOptions& options) {
  add_suite_option(command, options.cipher, "aes-256 (default), aes-128, serpent-256 or twofish-256");
  add_scrypt_option(command, options.cost);
  add_secret_options(command, options.secrets);
}

void RecipientSecrets::add(KeyKind kind, SecretBytes secret, const ScryptCost& cost) {
  secrets.push_back(std::move(secret));  // which moves no memory that a recipient refers to
  recipients.push_back({.kind = kind, .secret = secrets.back(), .cost = cost});
}

RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost) {
  RecipientSecrets result;
  for (const SecretSource& source : sources.named) {
    const auto kind = source.is_passphrase() ? KeyKind::passphrase : KeyKind::key;
    result.add(kind, read_secret(sources, source, suite.key_bytes), cost);
  }
  if (sources.named.empty()) result.add(KeyKind::passphrase, read_passphrase(sources, true), cost);
  return result;
}

UnlockedContainer unlock_container(ByteSource& source, const SecretSources& sources, std::uint64_t scrypt_budget_mib) {
  RecipientSecrets given;
  for (const SecretSource& named : sources.named) {
    if (named.is_passphrase()) given.add(KeyKind::passphrase, read_secret(sources, named, 0));
  }
  ContainerHeader header = read_header(source);
  for (const SecretSource& named : sources.named) {
    if (!named.is_passphrase()) given.add(KeyKind::key, read_secret(sources, named, header.suite->key_bytes));
  }
  if (sources.named.empty()) {
    const auto is_passphrase = [](const WrappedKey& wrapped) { return wrapped.is(KeyKind::passphrase); };
    if (std::ranges::none_of(header.wrapped_keys, is_passphrase)) {
      throw Error(ErrorCode::usage, "this container opens with a key, and none is given: give " +
                                        sources.option("key-file") + ", " + sources.option("key-fd") + " or " +
                                        sources.option("key-env"));
    }
    given.add(KeyKind::passphrase, read_passphrase(sources, false));
  }
  SecretBytes data_key =
      open_header(header, identities_of(given.recipients), {.all_passphrases = scrypt_budget_mib << 20}).data_key;
  return {.header = std::move(header), .data_key = std::move(data_key)};
}

void check_standard_input(const SecretSources& sources, const std::string& in) {
  const bool in_is_standard = in.empty() || in == "-" || inherited_descriptor(in) == 0;
  if (!in_is_standard || !sources.empties_standard_input()) return;
  throw Error(ErrorCode::usage, "the key and IN cannot both be standard input: name a file for one");
}

}  // namespace phalanx

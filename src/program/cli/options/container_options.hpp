// The options that make a container: its suite, and who may open it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/container/file/header_rewrite.hpp"
#include "files/container/format/header.hpp"
#include "files/system/byte_stream.hpp"
#include "files/system/input.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/options/scrypt_sum.hpp"
#include "program/cli/plugins/age_keys.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

inline constexpr std::uint64_t default_scrypt_budget_mib = CostLimits{}.all_passphrases >> 20;

/// As given, for what writes a container.
struct ContainerOptions {
  std::string cipher = "aes-256";
  SecretSources secrets;
  ScryptCost cost;
};

/// --cipher, the secrets and --scrypt-log-n. `messages` stay the caller's.
void add_container_options(CLI::App& command, ContainerOptions& options, const MessageOptions& messages);

/// "aes-256 (default), aes-128, serpent-256 or twofish-256": what --cipher of a container may say.
[[nodiscard]] std::string suite_choices();

void add_suite_option(CLI::App& command, std::string& cipher, const std::string& description);
void add_scrypt_option(CLI::App& command, ScryptCost& cost);
/// --scrypt-budget, for what opens containers; in MiB.
void add_scrypt_budget_option(CLI::App& command, std::uint64_t& budget_mib);
/// --resume, for what reads or writes a container.
void add_resume_option(CLI::App& command, bool& resume);

/// Recipients, and the memory and the functions that they refer to.
struct RecipientSecrets {
  std::vector<SecretBytes> secrets;
  std::vector<Recipient> recipients;
  AgeRecipients public_keys;       ///< what those among them refer to
  std::vector<std::string> names;  ///< of each recipient, for messages
  AgeIdentities identities;        ///< who opens what is sealed, besides them

  void add(KeyKind kind, SecretBytes secret, const ScryptCost& cost = {});
};

/// The recipients of a new container: all that are named, in their order, or a passphrase that is asked for twice. Throws
/// Error: as read_secret does, and usage for an empty passphrase, or where only identities are named. `many`: they are for
/// many containers, so that plugins are started seldom.
[[nodiscard]] RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost,
                                                   bool many = false);

/// Throws Error (usage) if `is_given` and a run that seals for those who are named could not open it: for public keys alone,
/// without an identity. `option` is what it is called, and opens what is there.
void refuse_unopened(const SecretSources& sources, bool is_given, const std::string& option);

/// What a run says that has read back what it cannot open: by the data key.
inline constexpr const char* untried_recipients =
    "note: the body is read back, and the recipients are not tried: this run holds no identity of theirs";

/// Opens any number of containers, by any number of threads, with the secrets that are named, or a passphrase that is asked
/// for where a header has one and none is named. Each secret is read once: passphrases at first, keys when a header says how
/// long they are.
class ContainerUnlocker {
 public:
  /// Reads the named passphrases. `sources` and `binding` stay the caller's. Throws as read_secret does.
  ContainerUnlocker(const SecretSources& sources, std::uint64_t scrypt_budget_mib, const Binding& binding);

  /// What messages call the one container that is opened. Of many, who tells of each names it.
  void name_input(std::string name) { input_name_ = std::move(name); }

  /// Containers that are to be opened, in their order: identities of plugins unwrap many at once, and what passphrases cost
  /// over all of them is told. Not while it opens some.
  void expect(std::vector<std::string> paths);

  /// How it reads the header of what is called `name`, "" for none, and opens it: throws as read_secret, read_header and
  /// open_header do, and before a secret is asked for as require_fitting. Refers to this object.
  [[nodiscard]] HeaderOpening opening(const std::string& name);
  /// Reads the header at the beginning of IN, opens it, and reads what stands before the chunks, which come next.
  /// `has_no_rewrite` is as HeaderOpening has it. Throws as opening(), unlock_input and read_body_prefix do.
  [[nodiscard]] ChunkedCipher open(Input& input, const std::string& name, const EngineOptions& engine,
                                   bool has_no_rewrite = false);

  /// All that is given and may open a container with this header. They refer to this object. Throws as read_secret does.
  [[nodiscard]] std::vector<Identity> identities_for(const ContainerHeader& header);

 private:
  void read_all_keys();
  void ask_for_passphrase(const ContainerHeader& header);
  [[nodiscard]] CostLimits limits() const { return {.all_passphrases = scrypt_budget_mib_ << 20}; }

  const SecretSources& sources_;
  std::uint64_t scrypt_budget_mib_;
  const Binding& binding_;
  std::string input_name_ = "the input";
  std::mutex mutex_;
  RecipientSecrets passphrases_;
  ScryptSum scrypt_sum_;
  AgeIdentities identities_;
  std::optional<std::map<std::size_t, RecipientSecrets>> keys_;  // by their length, once they are read
  std::multimap<std::size_t, std::string> key_warnings_;         // by that length, until they are given
};

}  // namespace phalanx

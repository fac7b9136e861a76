// These options make a container: its suite, and who may open it.
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

/// Holds the options as given, for what writes a container.
struct ContainerOptions {
  std::string cipher = "aes-256";
  SecretSources secrets;
  ScryptCost cost;
};

/// Adds --cipher, the secrets and --scrypt-log-n. `messages` stay the caller's.
void add_container_options(CLI::App& command, ContainerOptions& options, const MessageOptions& messages);

/// Returns the choices of --cipher of a container: "aes-256 (default), aes-128, serpent-256 or twofish-256".
[[nodiscard]] std::string suite_choices();

void add_suite_option(CLI::App& command, std::string& cipher, const std::string& description);
void add_scrypt_option(CLI::App& command, ScryptCost& cost);
/// Adds --scrypt-budget, in MiB, for what opens containers.
void add_scrypt_budget_option(CLI::App& command, std::uint64_t& budget_mib);
/// Adds --resume, for what reads or writes a container.
void add_resume_option(CLI::App& command, bool& resume);

/// Holds recipients, and the memory and the functions that they refer to.
struct RecipientSecrets {
  std::vector<SecretBytes> secrets;
  std::vector<Recipient> recipients;
  AgeRecipients public_keys;       ///< the public keys among them refer to these
  std::vector<std::string> names;  ///< of each recipient, for messages
  AgeIdentities identities;        ///< what opens the result, besides the recipients' secrets

  void add(KeyKind kind, SecretBytes secret, const ScryptCost& cost = {});
};

/// Returns the recipients of a new container: all that are named, in their order, or a passphrase that is asked for twice.
/// `many`: they are for many containers, so that plugins are started seldom. Throws Error: as read_secret does, and usage
/// where only identities are named.
[[nodiscard]] RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost,
                                                   bool many = false);

/// Throws Error (usage) if `is_given`, and the run names nothing but public keys, so that it could not open its own result.
/// `option` is the name of the option, which opens what is there.
void refuse_unopened(const SecretSources& sources, bool is_given, const std::string& option);

/// A run says this that has read back by the data key what it cannot open.
inline constexpr const char* untried_recipients =
    "note: the body is read back, and the recipients are not tried: this run holds no identity of theirs";

/// Opens any number of containers, by any number of threads, with the secrets that are named. Where none is named and a
/// header has a passphrase, it is asked for. Each secret is read once: passphrases at first, keys with the first header.
class ContainerUnlocker {
 public:
  /// Reads the named passphrases. `sources` and `binding` stay the caller's. Throws as read_secret does.
  ContainerUnlocker(const SecretSources& sources, std::uint64_t scrypt_budget_mib, const Binding& binding);

  /// Sets the name of the one container that is opened, for messages. A run over many names each itself.
  void name_input(std::string name) { input_name_ = std::move(name); }

  /// Takes the containers that are to be opened, in their order. Identities of plugins unwrap many at once, and the caller's
  /// `warn` is told what passphrases cost over all of them. It is not called while containers are opened.
  void expect(std::vector<std::string> paths);

  /// Returns how the header of a container called `name`, "" for none, is read and opened. That throws as read_secret,
  /// read_header and open_header do, and as require_fitting before a secret is asked for. It refers to this object.
  [[nodiscard]] HeaderOpening opening(const std::string& name);
  /// Reads the header at the beginning of IN, opens it, and reads what stands before the chunks, which come next.
  /// `has_no_rewrite` is as HeaderOpening has it. Throws as opening(), unlock_input and read_body_prefix do.
  [[nodiscard]] ChunkedCipher open(Input& input, const std::string& name, const EngineOptions& engine,
                                   bool has_no_rewrite = false);

  /// Returns all that is given and may open a container with this header. The identities refer to this object. Throws as
  /// read_secret does.
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
  std::optional<std::map<std::size_t, RecipientSecrets>> keys_;  // by their lengths, once they are read
  std::multimap<std::size_t, std::string> key_warnings_;         // by the keys' lengths, until they are given
};

}  // namespace phalanx

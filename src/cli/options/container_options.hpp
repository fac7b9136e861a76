// The options that make a container: its suite, and who may open it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/console/command_line_library.hpp"
#include "cli/options/general_options.hpp"
#include "cli/secrets/secret_source.hpp"
#include "container/format/chunked_encryption.hpp"
#include "container/format/header.hpp"
#include "files/byte_stream.hpp"
#include "secrets/secret_bytes.hpp"

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

void add_suite_option(CLI::App& command, std::string& cipher, const std::string& description);
void add_scrypt_option(CLI::App& command, ScryptCost& cost);
/// --scrypt-budget, for what opens containers; in MiB.
void add_scrypt_budget_option(CLI::App& command, std::uint64_t& budget_mib);
/// --resume, for what reads or writes a container.
void add_resume_option(CLI::App& command, bool& resume);

/// Recipients and the memory that they refer to.
struct RecipientSecrets {
  std::vector<SecretBytes> secrets;
  std::vector<Recipient> recipients;

  void add(KeyKind kind, SecretBytes secret, const ScryptCost& cost = {});
};

/// The recipients of a new container: all that are named, in their order, or a passphrase that is asked for twice. Throws
/// Error: as read_secret does, and usage for an empty passphrase.
[[nodiscard]] RecipientSecrets read_new_recipients(const SecretSources& sources, const Suite& suite, const ScryptCost& cost);

/// Opens any number of containers, by any number of threads, with the secrets that are named, or a passphrase that is asked
/// for where a header has one and none is named. Each secret is read once: passphrases at first, keys when a header says how
/// long they are.
class ContainerUnlocker {
 public:
  /// Reads the named passphrases. `sources` stay the caller's. Throws as read_secret does.
  ContainerUnlocker(const SecretSources& sources, std::uint64_t scrypt_budget_mib);

  /// Reads the header at the beginning of a stream, and opens it. Throws as read_secret, read_header and open_header do.
  [[nodiscard]] UnlockedContainer unlock(ByteSource& source);
  /// The same, and reads what stands before the chunks, which come next. Throws as unlock and read_prefix do.
  [[nodiscard]] ChunkedCipher open(ByteSource& source, const Options& engine);

 private:
  [[nodiscard]] std::vector<Identity> identities_for(const ContainerHeader& header);
  void read_all_keys();
  void ask_for_passphrase(const ContainerHeader& header);

  const SecretSources& sources_;
  std::uint64_t scrypt_budget_mib_;
  std::mutex mutex_;
  RecipientSecrets passphrases_;
  std::optional<std::map<std::size_t, RecipientSecrets>> keys_;  // by their length, once they are read
  std::multimap<std::size_t, std::string> key_warnings_;         // by that length, until they are given
};

/// Reads the header at the beginning of a stream, and opens it with all secrets that are named, or a passphrase that is
/// asked for if the header has one. All derivations that are tried cost no more than the budget. Named passphrases are read
/// before the stream, which may follow them on standard input. Throws as read_secret, read_header and open_header do.
[[nodiscard]] UnlockedContainer unlock_container(ByteSource& source, const SecretSources& sources,
                                                 std::uint64_t scrypt_budget_mib);

/// Throws Error (usage) where a key takes all of standard input, or of another descriptor, and `in`, which messages call
/// `what`, is that too: it would be empty.
void check_standard_input(const SecretSources& sources, const std::string& in, const std::string& what = "IN");

}  // namespace phalanx

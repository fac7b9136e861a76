// Where keys and passphrases come from: never from arguments.
#pragma once

#include <functional>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "files/protected_files.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

enum class SecretKind : unsigned char { key_file, key_fd, key_env, passphrase_file, passphrase_fd };

/// One place that the user named.
struct SecretSource {
  SecretKind kind;
  std::string place;  ///< the file, the descriptor's number or the variable

  [[nodiscard]] bool is_passphrase() const {
    return kind == SecretKind::passphrase_file || kind == SecretKind::passphrase_fd;
  }
  /// Whether it takes all that standard input holds; a passphrase leaves what follows its line.
  [[nodiscard]] bool empties_standard_input() const;
};

/// All that the user named. Messages name the options: "--" PREFIX "key-file"; the prefix is "from-" for the old key of
/// `migrate`, "add-" for new `recipients`.
struct SecretSources {
  std::string prefix;
  std::vector<SecretSource> named;                         ///< in the order of the arguments
  bool raw_key = false;                                    ///< a key that is nothing but hex digits is meant as it is
  std::string how_to_take_raw{};                           ///< what to give for that; "": the option
  std::function<void(const std::string& warning)> warn{};  ///< hears of what is taken and may not be meant

  [[nodiscard]] std::string option(const std::string& name) const { return "--" + prefix + name; }
  [[nodiscard]] bool names_key() const;
  [[nodiscard]] bool names_passphrase() const;
  [[nodiscard]] bool empties_standard_input() const;
};

/// "--key-file, --key-fd or --key-env", and the same of passphrases, for messages.
[[nodiscard]] std::string key_options(const SecretSources& sources);
[[nodiscard]] std::string passphrase_options(const SecretSources& sources);

/// Adds the files that the secrets come from.
void add_secret_files(const SecretSources& sources, ProtectedFiles& needed);

/// A warning for each file named that holds a secret and that the group or others may read.
void warn_of_readable_secrets(const SecretSources& sources, bool quiet);

/// Where one secret is wanted: throws Error (usage) if more than one source is named.
void check_sources(const SecretSources& sources);

/// What a secret is wanted for. A key of as many hex digits as it should have bytes, without a line end, is hardly a random
/// one, but the first half of the digits of one, or digits of a shorter key: nothing is sealed under it unless that is meant
/// (raw_key), and where something is opened with it, `warn` hears of it.
enum class SecretUse : unsigned char { seals, opens };

/// The key of exactly key_bytes from the only source named, or asked for on the terminal as hex digits, twice if it seals. A
/// source holds the bytes themselves or their hex digits and a line end. Throws Error: usage for a key that does not
/// fit or is hardly meant, runtime for a source that cannot be read; no message repeats any of it.
[[nodiscard]] SecretBytes read_key(const SecretSources& sources, std::size_t key_bytes, SecretUse use);

/// The passphrase from the only source named, or asked for on the terminal, twice if `twice`: the first line without its end
/// (LF or CRLF). From a descriptor no byte beyond that line is read.
[[nodiscard]] SecretBytes read_passphrase(const SecretSources& sources, bool twice);

/// The key or passphrase of one source among several.
[[nodiscard]] SecretBytes read_secret(const SecretSources& sources, const SecretSource& source, std::size_t key_bytes,
                                      SecretUse use);

/// The keys that one source may hold, of each of the sizes that fits: 64 hex digits are a key of 32 bytes, and one of 64.
struct SizedKey {
  std::size_t key_bytes = 0;
  SecretBytes key;
  std::string warning{};  ///< for whoever opens something with it, where it is hardly meant; else ""
};

/// All that `source` may hold, of several sizes; never none. Warns of nothing itself. Throws Error as read_secret does,
/// usage where no size fits.
[[nodiscard]] std::vector<SizedKey> read_keys(const SecretSources& sources, const SecretSource& source,
                                              const std::vector<std::size_t>& sizes);

/// A line, without its LF.
struct FirstLine {
  SecretBytes bytes;
  bool ends_with_crlf = false;  ///< of which the CR is the last of the bytes

  /// Without the CR.
  [[nodiscard]] Bytes without_end() const { return Bytes(bytes).first(bytes.size() - (ends_with_crlf ? 1 : 0)); }
};

/// Of the only passphrase source named.
[[nodiscard]] FirstLine read_passphrase_line(const SecretSources& sources);

/// The bytes of a descriptor up to the first LF or the end, without LF or CRLF, read one by one so that what follows stays
/// there. Throws Error (usage) if the line is longer than 4096 bytes.
[[nodiscard]] SecretBytes read_first_line(int descriptor, const std::string& name);

/// InOrderGate off core dumps, and reading of this process's memory by others of the same user, for the rest of the run.
void protect_process_memory();

}  // namespace phalanx

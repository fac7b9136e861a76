// This reads keys and passphrases from where they are kept, and never from arguments.
#pragma once

#include <functional>
#include <optional>
#include <phalanx/files/container.hpp>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "program/cli/secrets/first_line.hpp"
#include "program/cli/secrets/taken_variables.hpp"

namespace phalanx {

/// The last kinds, from `recipient` on, are no secrets, but stand among them in the order of the arguments.
enum class SecretKind : unsigned char {
  key_file,
  key_fd,
  key_env,
  passphrase_file,
  passphrase_fd,
  identity_file,
  private_key_file,  ///< of a message of CMS
  private_key_fd,
  session_key_file,  ///< of a message of OpenPGP
  session_key_fd,
  signing_key_file,  ///< of an index
  recipient,
  recipients_file,
  public_key_file,  ///< of an index
  certificate_file  ///< of a message of CMS
};

/// Returns whether the place of a secret of this kind is a descriptor's number.
[[nodiscard]] constexpr bool is_descriptor(SecretKind kind) {
  return kind == SecretKind::key_fd || kind == SecretKind::passphrase_fd || kind == SecretKind::private_key_fd ||
         kind == SecretKind::session_key_fd;
}

/// Holds one place that the user named.
struct SecretSource {
  SecretSource(SecretKind of_kind, std::string at_place);

  SecretKind kind;
  std::string place;              ///< the file, the descriptor's number or the variable; of a recipient its text.
                                  ///< By mistake it may be a secret: messages say what source_names.hpp makes of it
  std::optional<int> descriptor;  ///< the place as a descriptor of this process; nothing for other files and variables
  TakenVariable variable;         ///< what a variable held, which is taken out of the environment here; or nothing

  [[nodiscard]] bool is_passphrase() const {
    return kind == SecretKind::passphrase_file || kind == SecretKind::passphrase_fd;
  }
  /// Returns how a container is opened with it. An identity, and what is public, have no such kind.
  [[nodiscard]] KeyKind key_kind() const { return is_passphrase() ? KeyKind::passphrase : KeyKind::key; }
  [[nodiscard]] bool is_identity() const { return kind == SecretKind::identity_file; }
  [[nodiscard]] bool is_public() const { return kind >= SecretKind::recipient; }
  [[nodiscard]] bool is_private_key() const {
    return kind == SecretKind::private_key_file || kind == SecretKind::private_key_fd;
  }
  [[nodiscard]] bool is_session_key() const {
    return kind == SecretKind::session_key_file || kind == SecretKind::session_key_fd;
  }
  [[nodiscard]] bool is_key() const {
    return !is_passphrase() && !is_identity() && !is_private_key() && !is_session_key() && !is_public();
  }
};

/// Holds all that the user named. Messages name the options: "--" PREFIX "key-file". The prefix is "from-" for the old key
/// of `migrate`, and "add-" for new `recipients`.
struct SecretSources {
  std::string prefix;
  std::vector<SecretSource> named;                         ///< in the order of the arguments
  bool allow_mixed_recipients = false;                     ///< public keys may have labels that differ
  bool raw_key = false;                                    ///< a key that is nothing but hex digits is meant as it is
  bool is_asked_for = true;                                ///< where none is named, the terminal is asked
  std::string how_to_take_raw{};                           ///< what to give for that; "": the option
  std::string hint_of_size{};                              ///< what else to say of a key of a wrong length; "": nothing
  std::function<void(const std::string& warning)> warn{};  ///< of doubtful secrets, and of files that others may read

  [[nodiscard]] std::string option(const std::string& name) const { return "--" + prefix + name; }
  [[nodiscard]] bool names_key() const;
  [[nodiscard]] bool names_passphrase() const;
  [[nodiscard]] bool names_identity() const;
  [[nodiscard]] bool names_public_key() const;
};

/// Return options for messages, such as "--key-file, --key-fd or --key-env".
[[nodiscard]] std::string key_options(const SecretSources& sources);
[[nodiscard]] std::string passphrase_options(const SecretSources& sources);

/// Throws Error (usage) if more than one source is named, where one secret is wanted.
void check_sources(const SecretSources& sources);

/// Says what a secret is wanted for. A key of as many hex digits as it should have bytes, without a line end, is hardly a
/// random one. It may be the first half of the digits of one, or digits of a shorter key. Nothing is sealed under it unless
/// that is meant (raw_key), and where it opens something, `warn` is told of it.
enum class SecretUse : unsigned char { seals, opens };

/// Reads the key of exactly key_bytes from the only source named, or asks for its hex digits on the terminal, twice if it
/// seals. A source holds the bytes themselves or their hex digits and a line end. A variable holds digits. No message
/// repeats any of it. Throws Error: usage for a key that does not fit or is hardly meant, runtime for a source that cannot
/// be read.
[[nodiscard]] SecretBytes read_key(const SecretSources& sources, std::size_t key_bytes, SecretUse use);

/// Reads the passphrase from the only source named, or asks for it on the terminal, twice if `twice`. It is the first line
/// without its end (LF or CRLF). From a descriptor no byte beyond that line is read.
[[nodiscard]] SecretBytes read_passphrase(const SecretSources& sources, bool twice);

/// Reads the key or passphrase of one source among several.
[[nodiscard]] SecretBytes read_secret(const SecretSources& sources, const SecretSource& source, std::size_t key_bytes,
                                      SecretUse use);

/// Holds a key that one source may hold. 64 hex digits are a key of 32 bytes, and one of 64.
struct SizedKey {
  std::size_t key_bytes = 0;
  SecretBytes key;
  std::string warning{};  ///< for a caller that opens something with it, where it is hardly meant; else ""
};

/// Returns all keys that `source` may hold, of several sizes; never none. It warns of nothing itself. Throws Error as
/// read_secret does, usage where no size fits.
[[nodiscard]] std::vector<SizedKey> read_keys(const SecretSources& sources, const SecretSource& source,
                                              const std::vector<std::size_t>& sizes);

/// Reads all of a file of text, such as one of identities or recipients, or of a private key or certificate. Throws Error
/// (usage) for one of more than 1 MiB.
[[nodiscard]] SecretBytes read_text_file(const SecretSources& sources, const SecretSource& source);

/// Reads all bytes that the source of a key holds, whatever they are, and 8 MiB at most: to LUKS a key file is a passphrase.
[[nodiscard]] SecretBytes read_whole_key(const SecretSources& sources, const SecretSource& source);

/// Reads the line of the only passphrase source named.
[[nodiscard]] FirstLine read_passphrase_line(const SecretSources& sources, SecretUse use);

}  // namespace phalanx

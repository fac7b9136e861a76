// Where keys and passphrases come from: never from arguments.
#pragma once

#include <optional>
#include <string>

#include "engines/secret_bytes.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// What the user named. `prefix` and the options' names make the messages: "--key-file".
struct SecretSources {
  std::optional<std::string> key_file;
  std::optional<int> key_fd;
  std::optional<std::string> key_env;
  std::optional<std::string> passphrase_file;
  std::optional<int> passphrase_fd;

  [[nodiscard]] bool names_key() const { return key_file || key_fd || key_env; }
  [[nodiscard]] bool names_passphrase() const { return passphrase_file || passphrase_fd; }
};

/// Throws Error (usage) if more than one source is named.
void check_sources(const SecretSources& sources);

/// The key of exactly key_bytes from the source named, or asked for on the terminal as hex digits, twice if `twice`. A
/// source holds the bytes themselves or their hex digits and a line end. Throws Error: usage for a key that does not
/// fit, runtime for a source that cannot be read; no message repeats any of it.
[[nodiscard]] SecretBytes read_key(const SecretSources& sources, std::size_t key_bytes, bool twice);

/// The passphrase from the source named, or asked for on the terminal, twice if `twice`: the first line without its end
/// (LF or CRLF). From a descriptor no byte beyond that line is read.
[[nodiscard]] SecretBytes read_passphrase(const SecretSources& sources, bool twice);

/// The bytes of a descriptor up to the first LF or the end, without LF or CRLF, read one by one so that what follows stays
/// there. Throws Error (usage) if the line is longer than 4096 bytes.
[[nodiscard]] SecretBytes read_first_line(int descriptor, const std::string& name);

/// Turns off core dumps, and reading of this process's memory by others of the same user, for the rest of the run.
void protect_process_memory();

}  // namespace phalanx

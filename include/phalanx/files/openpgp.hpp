// This header reads encrypted messages of OpenPGP (RFC 4880, RFC 9580, and GnuPG's packet for OCB). phalanx.hpp has the
// conventions.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/files/foreign.hpp>
#include <phalanx/options.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Describes what opens a message, as it shows without a key.
struct OpenPgpRecipientFacts {
  std::string kind{};       ///< "passphrase" or "public key"
  std::string key_id{};     ///< of a public key, in hex as gpg shows it; "" where it is hidden
  std::string algorithm{};  ///< "RSA"; of a passphrase what derives its key, such as "iterated sha256, 65011712 bytes"
};

/// Describes an encrypted message, as it shows without a key. None of it is authentic.
struct OpenPgpFacts {
  std::string protection{};  ///< "MDC", "AEAD" or "none"; "" where nothing is known
  std::string cipher{};      ///< such as "aes-256-ocb"; "" where only the session key shows it
  std::vector<OpenPgpRecipientFacts> recipients{};
  std::string problem{};  ///< why nothing is known of a message that is recognised; "" where all is
};

/// Holds what opens a message: a passphrase or its session key. The spans are the caller's memory, and only the constructor
/// of OpenPgpReader reads them.
struct OpenPgpSecrets {
  Bytes passphrase{};                ///< as its bytes are, in UTF-8 as a rule
  bool passphrase_is_empty = false;  ///< the passphrase is the empty one: there is nothing else
  Bytes session_key{};               ///< as `gpg --show-session-key -d` prints it: the cipher's number, ":", hex digits
  /// Reads a message of old PGP too, which has no modification detection code. Nothing shows whether it was changed.
  bool allow_unauthenticated = false;
};

/// Decrypts an encrypted message of any size, binary or armored, and gives its content: what `gpg -d` writes. The content is
/// decompressed where it is compressed. A signature is passed over, and nobody checks it. One thread at a time may use it.
///
/// Nothing is given out that was not authenticated. A message with a modification detection code is read twice for that.
/// Each chunk of one with chunks (OCB, EAX, GCM) is checked before it is given, and only the end shows whether it is whole.
class OpenPgpReader {
 public:
  /// Reads the front of the message and gets its session key; where there is a modification detection code it reads all.
  /// A stream is kept in memory or in a temporary file meanwhile, as ciphertext. Throws Error: usage for secrets that are
  /// missing, or that do not fit; format for what is no such message, or has unknown algorithms; truncated; policy where
  /// nothing authenticates it. All that fails under a secret is wrong_key, in one message.
  OpenPgpReader(ReadNext read_next, const OpenPgpSecrets& secrets, const EngineOptions& options = {});
  /// Reads a file. If the file changes while it is read, reading its end throws Error (runtime).
  OpenPgpReader(const std::string& path, const OpenPgpSecrets& secrets, const EngineOptions& options = {});
  ~OpenPgpReader();
  OpenPgpReader(OpenPgpReader&&) noexcept;
  OpenPgpReader& operator=(OpenPgpReader&&) noexcept;

  /// Reads the next bytes of the content and returns how many: fewer than out.size() only at the end. Throws Error: format;
  /// truncated; wrong_key, where a chunk does not verify; and what read_next throws. After a call that threw, each later
  /// call throws the same again.
  [[nodiscard]] std::size_t read(MutableBytes out);

  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs the cipher
  [[nodiscard]] const std::string& cipher() const;  ///< such as "aes-256-cfb" or "aes-256-ocb"
  [[nodiscard]] bool is_authenticated() const;      ///< false for a message of old PGP
  [[nodiscard]] bool is_signed() const;             ///< whether there was a signature; known at the end

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

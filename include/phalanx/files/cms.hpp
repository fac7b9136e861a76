// This header reads encrypted messages of CMS and S/MIME (RFC 5652, RFC 5083, RFC 8551). phalanx.hpp has the conventions.
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

/// Describes a recipient of a message, as it shows without a key.
struct CmsRecipientFacts {
  std::string kind{};       ///< "key transport" (RSA), "key agreement" (curves), "key", "passphrase" or "other"
  std::string issuer{};     ///< of the certificate, as RFC 2253 writes names; "" where the recipient is named by its key
  std::string serial{};     ///< of the certificate, in hex; or ""
  std::string key_id{};     ///< the key's identifier, in hex; or ""
  std::string algorithm{};  ///< of the encryption of the content's key, such as "rsaEncryption"
};

/// Describes an encrypted message, as it shows without a key. None of it is authentic.
struct CmsFacts {
  std::string type{};    ///< "EnvelopedData", "AuthEnvelopedData" or "EncryptedData"; "" where nothing is known
  std::string cipher{};  ///< of the content, such as "aes-256-cbc"
  std::vector<CmsRecipientFacts> recipients{};
  std::string problem{};  ///< why nothing is known of a message that is recognised; "" where all is
};

/// Holds what a recipient opens a message with: a private key, a key or a passphrase. The spans are the caller's memory, and
/// only the constructor of CmsReader reads them.
struct CmsRecipientKeys {
  Bytes private_key{};             ///< the content of a file in PEM, DER or PKCS #12
  Bytes private_key_passphrase{};  ///< for a private key that has one
  /// The content of a file in PEM or DER: the certificate of the private key, which tells its recipient. PKCS #12 may have
  /// it. Empty: every recipient that the key may be is tried.
  Bytes certificate{};
  Bytes key{};                       ///< a key that wraps the content's key; of an EncryptedData that one itself
  Bytes passphrase{};                ///< of a recipient by passphrase
  bool passphrase_is_empty = false;  ///< the passphrase is the empty one: there is nothing else
};

/// Decrypts an encrypted message of any size: EnvelopedData, AuthEnvelopedData or EncryptedData, as BER, DER, PEM or a mail.
/// It gives the content as it was encrypted: what is signed within stays so. One thread at a time may use it.
///
/// A content in CBC is given as it is decrypted, and nothing authenticates it: of a message that was changed it is garbage,
/// and only its padding may show that. A content in GCM is given once its tag was verified.
class CmsReader {
 public:
  /// Reads the front of the message and gets the content's key. In GCM it reads all of the message. Throws Error:
  /// usage for keys that are missing or several; format for what is no such message, or has unknown algorithms; truncated;
  /// policy for a passphrase that takes too long. All that fails under a key is wrong_key, in one message.
  CmsReader(ReadNext read_next, const CmsRecipientKeys& keys, const EngineOptions& options = {});
  /// Reads a file. If the file changes while it is read, reading its end throws Error (runtime).
  CmsReader(const std::string& path, const CmsRecipientKeys& keys, const EngineOptions& options = {});
  ~CmsReader();
  CmsReader(CmsReader&&) noexcept;
  CmsReader& operator=(CmsReader&&) noexcept;

  /// Reads the next bytes of the content and returns how many: fewer than out.size() only at the end. Throws Error: format;
  /// truncated; wrong_key, in that one message, if the padding does not check; and what read_next throws. After a call that
  /// threw, each later call throws the same again.
  [[nodiscard]] std::size_t read(MutableBytes out);

  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs the content's cipher
  [[nodiscard]] const std::string& cipher() const;  ///< the content's cipher, such as "aes-256-cbc"
  [[nodiscard]] bool is_authenticated() const;      ///< the content has a tag, which was verified

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// This opens a foreign message, and leads to its plaintext.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "files/foreign/base64_stream.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"

namespace phalanx {

class ForeignMessage {
 public:
  /// Reads what stands before the ciphertext: "Salted__" and the salt, or an iv. `secret` is a key or a passphrase, and the
  /// plan names its digest. `derived` is what the derivation gives, where it is known (openssl_keys.hpp). Plan and input
  /// stay the caller's. Throws Error: format for a beginning that is another's, truncated; and as make_decryptor does.
  ForeignMessage(const MessagePlan& plan, Bytes secret, Input& input, Bytes derived = {});
  /// Opens a message from a source that cannot seek. `name` is for messages.
  ForeignMessage(const MessagePlan& plan, Bytes secret, ByteSource& source, const std::string& name);

  /// Returns the reader of the ciphertext. A watch over the input, which stays the caller's, settles where a file ends.
  /// Base64 is read as a stream, without it.
  [[nodiscard]] std::unique_ptr<PieceReader> reader(std::size_t piece_bytes, InputWatch* watch = nullptr);
  [[nodiscard]] MessageDecryptor& decryption() { return *decryptor_; }

  /// Returns how many bytes of ciphertext are left; nullopt for base64, and for an input that cannot seek.
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const;

  [[nodiscard]] const std::string& engine() const { return decryptor_->engine(); }
  [[nodiscard]] const std::string& digest() const { return digest_; }  ///< of the passphrase, or ""

  [[nodiscard]] const ChainValue& iv() const { return job_.iv; }  ///< given, read or derived; none in ECB

  /// Returns how many bytes of padding were checked, once all is decrypted; 0 where nothing is checked.
  [[nodiscard]] std::size_t checked_padding_bytes() const { return decryptor_->checked_padding_bytes(); }

 private:
  ForeignMessage(const MessagePlan& plan, Bytes secret, Bytes derived, ByteSource& source, Input* file,
                 const std::string& name);
  void read_keys(SecretBytes& key, Bytes derived, const std::string& name);

  const MessagePlan& plan_;
  CryptJob job_;
  Input* file_;  // the source if it can seek; else nullptr
  Base64Source decoded_;
  ByteSource& source_;
  std::unique_ptr<MessageDecryptor> decryptor_;
  std::string digest_;
};

/// Returns the message of an error, with what else may be wrong under a passphrase. For a file that is cut short, that is
/// the size of its salt. For a wrong key where the digest was named, it is the derivation.
[[nodiscard]] std::string explain_foreign(const Error& error, const MessagePlan& plan);

}  // namespace phalanx

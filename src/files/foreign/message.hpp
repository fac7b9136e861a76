// A foreign message, up to its plaintext.
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
  /// plan names its digest; `derived` is what that gives, where it is known (openssl_keys.hpp). Plan and input stay the
  /// caller's. Throws Error: format for a beginning that is another's, truncated.
  ForeignMessage(const MessagePlan& plan, Bytes secret, Input& input, Bytes derived = {});
  /// The same for a source that cannot seek. `name` is for messages.
  ForeignMessage(const MessagePlan& plan, Bytes secret, ByteSource& source, const std::string& name);

  /// Where the ciphertext comes from. With a watch over the input, which stays the caller's: as far as that says.
  [[nodiscard]] std::unique_ptr<PieceReader> reader(std::size_t piece_bytes, InputWatch* watch = nullptr);
  [[nodiscard]] MessageDecryptor& decryption() { return *decryptor_; }

  /// How much of a file is left; nullopt where that does not say how much ciphertext is.
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const;

  [[nodiscard]] const std::string& engine() const { return decryptor_->engine(); }
  [[nodiscard]] const std::string& digest() const { return digest_; }  ///< of the passphrase, or ""

  [[nodiscard]] const ChainValue& iv() const { return job_.iv; }  ///< given, read or derived; none in ECB

  /// How many bytes of padding were checked, once all is decrypted; 0 where nothing is checked.
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

/// The message of an error, and for a wrong key from a passphrase whose digest was named: what else may be wrong.
[[nodiscard]] std::string explain_foreign(const Error& error, const MessagePlan& plan);

}  // namespace phalanx

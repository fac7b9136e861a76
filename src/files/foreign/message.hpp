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

/// An old message of any format that is open, and gives its plaintext piece by piece.
class OldMessage {
 public:
  OldMessage() = default;
  virtual ~OldMessage() = default;
  OldMessage(const OldMessage&) = delete;
  OldMessage& operator=(const OldMessage&) = delete;

  /// Returns the reader of the ciphertext. A watch over the input, which stays the caller's, settles where a file ends.
  [[nodiscard]] virtual std::unique_ptr<PieceReader> reader(std::size_t piece_bytes, InputWatch* watch = nullptr) = 0;
  [[nodiscard]] virtual MessageDecryptor& decryption() = 0;
  [[nodiscard]] virtual const MessageDecryptor& decryption() const = 0;

  /// Returns how many bytes of ciphertext are left; nullopt for base64, and for an input that cannot seek.
  [[nodiscard]] virtual std::optional<std::uint64_t> remaining_bytes() const = 0;
  [[nodiscard]] virtual const std::string& digest() const = 0;  ///< of the passphrase, or ""
  [[nodiscard]] virtual const ChainValue& iv() const = 0;       ///< given, read or derived; none in ECB

  [[nodiscard]] const std::string& engine() const { return decryption().engine(); }
  /// Returns how many bytes of padding were checked, once all is decrypted; 0 where nothing is checked.
  [[nodiscard]] std::size_t checked_padding_bytes() const { return decryption().checked_padding_bytes(); }
};

class ForeignMessage : public OldMessage {
 public:
  /// Reads what stands before the ciphertext: "Salted__" and the salt, or an iv. `secret` is a key or a passphrase, and the
  /// plan names its digest. `derived` is what the derivation gives, where it is known (openssl_keys.hpp). Plan and input
  /// stay the caller's. Throws Error: format for a beginning that is another's, truncated; and as make_decryptor does.
  ForeignMessage(const MessagePlan& plan, Bytes secret, Input& input, Bytes derived = {});
  /// Opens a message from a source that cannot seek. `name` is for messages.
  ForeignMessage(const MessagePlan& plan, Bytes secret, ByteSource& source, const std::string& name);

  [[nodiscard]] std::unique_ptr<PieceReader> reader(std::size_t piece_bytes, InputWatch* watch = nullptr) override;
  [[nodiscard]] MessageDecryptor& decryption() override { return *decryptor_; }
  [[nodiscard]] const MessageDecryptor& decryption() const override { return *decryptor_; }
  [[nodiscard]] std::optional<std::uint64_t> remaining_bytes() const override;
  [[nodiscard]] const std::string& digest() const override { return digest_; }
  [[nodiscard]] const ChainValue& iv() const override { return job_.iv; }

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

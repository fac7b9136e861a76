// This opens an encrypted message of OpenPGP, up to its content.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/foreign/message_decryptor.hpp"
#include "files/foreign/openpgp/message_front.hpp"
#include "files/foreign/openpgp/modification_detection.hpp"
#include "files/foreign/openpgp/packets/message_source.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/input.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Holds what opens a message: a passphrase or its session key.
struct OpenPgpKeys {
  std::optional<SecretBytes> passphrase{};
  std::optional<SessionKey> session_key{};
  bool allows_unauthenticated = false;                 ///< messages that nothing authenticates are read, too
  std::string allowing = "set allow_unauthenticated";  ///< how the caller allows that, for messages
  std::string session_key_words = "its session key";   ///< what to give for one, for messages
};

/// Messages with chunks are checked chunk by chunk as they are decrypted. A modification detection code is known at the end:
/// `verify` reads all before anything is given out, and `finish` tells it where a caller can hold back what it has.
class OpenPgpMessage {
 public:
  /// Reads what stands before the ciphertext. The input, or the source, stays the caller's. Throws as MessageSource and
  /// read_openpgp_front do.
  explicit OpenPgpMessage(Input& input);
  OpenPgpMessage(ByteSource& source, const std::string& name);

  [[nodiscard]] const OpenPgpFront& front() const { return front_; }
  [[nodiscard]] bool is_armored() const { return source_->is_armored(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Throws Error as `open` does where no session key is given, and no passphrase opens the message.
  void require_passphrase_recipient(const OpenPgpKeys& keys) const;

  /// Gets the session key. Throws Error: wrong_key, where no recipient is meant; format, for algorithms that are not read;
  /// usage, where a message has no recipient by passphrase; truncated. Throws Error (policy) where nothing authenticates the
  /// message and the keys do not allow that.
  void open(const OpenPgpKeys& keys, const RunOptions& options);

  /// Checks the modification detection code of an open message, so that afterwards it is read once more. A ciphertext that
  /// cannot be read twice is kept meanwhile (spool.hpp). Does nothing where there is no such code. Throws Error (wrong_key).
  void verify(Progress& progress);

  /// Returns the threads of a reading.
  [[nodiscard]] PieceThreads threads() const;

  /// Returns where the ciphertext of an open message comes from. Its end is checked by `finish`, not by the reader.
  [[nodiscard]] std::unique_ptr<PieceReader> reader();
  /// Returns what decrypts it, and what hashes it where there is a modification detection code; else nullptr. The latter is
  /// new for each reading.
  [[nodiscard]] MessageDecryptor& decryption() { return *decryptor_; }
  [[nodiscard]] PipelineStage* detection() { return detection_ ? &*detection_ : nullptr; }
  /// Reads to the end of the message, once the reader gave all. Throws Error: wrong_key, where the modification detection
  /// code is wrong.
  void finish();

  /// Returns what stands before the packets among the decrypted bytes, and behind them.
  [[nodiscard]] std::size_t prefix_bytes() const;
  [[nodiscard]] std::size_t tail_bytes() const { return has_code() ? ModificationDetection::packet_bytes : 0; }

  /// Returns the bytes of ciphertext; nothing where only their end shows that.
  [[nodiscard]] std::optional<std::uint64_t> ciphertext_bytes() const;
  [[nodiscard]] bool is_authenticated() const { return front_.protection != OpenPgpProtection::none; }
  /// Returns the cipher of an open message: "aes-256-cfb", "aes-256-ocb".
  [[nodiscard]] const std::string& cipher() const { return cipher_; }
  [[nodiscard]] const std::string& engine() const { return decryptor_->engine(); }

 private:
  // The ciphertext as a source, whose beginning can be looked at.
  class Body : public ByteSource {
   public:
    explicit Body(ByteSource& source) : source_(source) {}
    [[nodiscard]] Bytes look_at(std::size_t num_bytes);
    std::size_t read(MutableBytes out) override;

   private:
    ByteSource& source_;
    std::vector<std::uint8_t> ahead_;
  };

  [[nodiscard]] bool has_code() const { return front_.protection == OpenPgpProtection::modification_detection; }
  void begin_reading(ByteSource& source);
  void find_extent();
  void begin_again();
  [[nodiscard]] std::vector<SessionKey> session_keys_of(const OpenPgpKeys& keys) const;
  [[nodiscard]] std::vector<SessionKey> keys_of_passphrase(Bytes passphrase) const;
  [[nodiscard]] SessionKey choose(std::vector<SessionKey> keys);
  [[nodiscard]] bool may_be_key(const SessionKey& key);
  [[nodiscard]] bool opens_first_chunk(const SessionKey& key);
  [[nodiscard]] std::vector<std::uint8_t> look_at_beginning(std::size_t num_bytes);
  void make_stages();
  void keep_ciphertext();
  void require_end();

  std::string name_;
  Input* file_ = nullptr;  // the input if it can seek
  std::uint64_t start_ = 0, end_ = 0;
  std::unique_ptr<MessageSource> source_;
  std::unique_ptr<PacketStream> packets_;
  std::unique_ptr<Body> body_;
  OpenPgpFront front_;
  std::optional<FilePieces::Part> extent_;  // the ciphertext, where it is in one piece of a file
  std::optional<Input> spooled_;
  bool is_read_ = false;
  SessionKey key_;
  RunOptions options_;
  std::string cipher_;
  std::size_t block_bytes_ = 0, piece_bytes_ = 0;
  ChainValue first_iv_;
  std::vector<std::uint8_t> resync_;  // what stands before CFB begins once more, where nothing authenticates
  std::unique_ptr<MessageDecryptor> decryptor_;
  std::optional<ModificationDetection> detection_;
};

}  // namespace phalanx

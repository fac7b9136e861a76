// This opens an encrypted message of CMS, up to its plaintext.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/foreign/aead/aead_readings.hpp"
#include "files/foreign/cms/key_recovery.hpp"
#include "files/foreign/cms/message_reading.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/message_decryptor.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/input.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// A content in CBC is decrypted as it comes, and nothing authenticates it. A content in GCM is read twice: nothing is given
/// out before its tag was verified. An input that cannot seek is kept as ciphertext meanwhile (spool.hpp).
class CmsMessage {
 public:
  /// Reads what stands before the content. A content that stands in the file as it is must be there whole. The input, or the
  /// source, stays the caller's. Throws as MessageReading does, and Error (truncated).
  explicit CmsMessage(Input& input);
  CmsMessage(ByteSource& source, const std::string& name);

  [[nodiscard]] const CmsFront& front() const { return front_; }
  /// Returns "" for bytes; else "PEM", "mail" or "base64".
  [[nodiscard]] const std::string& form() const { return reading_->form(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Gets the content's key, and in GCM verifies the tag: `progress` hears of all bytes once for each key that is tried.
  /// Pieces have piece_bytes, or as many as suit the engine where that is 0. Throws as recover_content_keys does, and Error:
  /// wrong_key, in the words of refuse_to_open, where the tag does not verify; truncated, where the ciphertext is no whole
  /// blocks.
  void open(const CmsKeys& keys, const RunOptions& options, Progress& progress, std::size_t piece_bytes = 0);

  /// Return where the ciphertext of an open message comes from, and what decrypts it. The reader also reads what stands
  /// behind the content, and then throws Error (truncated, format) where that is not as it should be.
  [[nodiscard]] std::unique_ptr<PieceReader> reader();
  [[nodiscard]] MessageDecryptor& decryption() { return *decryptor_; }
  [[nodiscard]] const MessageDecryptor& decryption() const { return *decryptor_; }

  /// Returns how many bytes of ciphertext there are; nothing where only their end shows that.
  [[nodiscard]] std::optional<std::uint64_t> content_bytes() const;
  [[nodiscard]] bool is_authenticated() const { return front().content.is_gcm; }
  [[nodiscard]] const std::string& engine() const { return decryptor_->engine(); }

 private:
  class ContentPieces;
  class GatheredPieces;
  class ExtentPieces;

  void find_extent();
  void begin_again();
  void keep_content();
  void take_tail(std::uint64_t num_bytes);
  [[nodiscard]] std::unique_ptr<PieceReader> new_reader(std::size_t block_bytes);
  [[nodiscard]] std::uint64_t most_bytes() const;
  void open_cbc(const std::vector<SecretBytes>& keys, const RunOptions& options);
  [[nodiscard]] std::size_t choose_by_padding(const std::vector<SecretBytes>& keys, const RunOptions& options);
  [[nodiscard]] std::vector<std::uint8_t> read_last(std::size_t num_bytes);
  void open_gcm(const std::vector<SecretBytes>& keys, const RunOptions& options, Progress& progress);
  [[nodiscard]] bool verify(Bytes key, const RunOptions& options, Progress& progress);

  std::string name_;
  Input* file_ = nullptr;  // the input if it can seek
  std::uint64_t start_ = 0, end_ = 0;
  std::unique_ptr<MessageReading> reading_;  // the latest
  CmsFront front_;                           // of the first
  bool is_content_read_ = false;             // of that reading
  std::optional<Input> spooled_;             // the content of what cannot seek
  std::optional<FilePieces::Part> extent_;   // the content, where it is in one piece
  CmsTail tail_;                             // once the content was read or passed over
  std::size_t piece_bytes_ = 0;
  std::optional<AeadReadings> readings_;  // of GCM
  std::unique_ptr<MessageDecryptor> decryptor_;
};

}  // namespace phalanx

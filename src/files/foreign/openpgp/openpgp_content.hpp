// This gives the content of a message from its beginning to its end, for a caller that reads it.
#pragma once

#include <memory>
#include <optional>

#include "files/foreign/openpgp/openpgp_message.hpp"
#include "files/foreign/openpgp/packets/all_but_tail.hpp"
#include "files/foreign/openpgp/packets/content_packets.hpp"
#include "files/pipeline/staged_source.hpp"

namespace phalanx {

/// Takes decrypted bytes, and gives the content on: without the prefix and the code of a message that has them.
class ContentOfMessage : public ByteSink {
 public:
  /// The message is open, and stays the caller's, like the sink.
  ContentOfMessage(const OpenPgpMessage& message, ByteSink& content);

  /// They throw no Error of the content: `require_content` does, once the message was checked.
  void write(Bytes in) override;
  void finish() override;

  /// Throws Error, once all was read: format, where what was authenticated holds no message that is read; wrong_key, where
  /// nothing authenticates it.
  void require_content() const;
  [[nodiscard]] bool is_signed() const { return packets_.is_signed(); }

 private:
  template <class Take>
  void take(const Take& take_bytes);

  const OpenPgpMessage& message_;
  ContentPackets packets_;
  AllButTail before_tail_;
  std::size_t num_passed_ = 0;  // bytes of the prefix
  std::exception_ptr failure_;  // of the content
};

class OpenPgpContent : public ByteSource {
 public:
  /// The message is open, and verified where it has a code. It stays the caller's.
  explicit OpenPgpContent(OpenPgpMessage& message);

  /// At the end it throws as OpenPgpMessage::finish and ContentOfMessage::require_content do.
  std::size_t read(MutableBytes out) override;
  [[nodiscard]] bool is_signed() const { return content_.is_signed(); }

 private:
  // Decrypts a piece, and hashes it.
  class Stages : public PipelineStage {
   public:
    explicit Stages(OpenPgpMessage& message) : message_(message) {}
    void process(Piece& piece) override;

   private:
    OpenPgpMessage& message_;
  };
  // Holds content that was not read yet.
  class Pending : public ByteSink {
   public:
    void write(Bytes in) override;
    std::size_t give(MutableBytes out);
    [[nodiscard]] bool is_empty() const { return num_given_ == num_bytes_; }

   private:
    SecretBytes bytes_;
    std::size_t num_bytes_ = 0, num_given_ = 0;
  };

  void read_on();

  OpenPgpMessage& message_;
  std::unique_ptr<PieceReader> reader_;
  Stages stages_;
  StagedSource decrypted_;
  Pending pending_;
  ContentOfMessage content_;
  bool is_at_end_ = false;
};

}  // namespace phalanx

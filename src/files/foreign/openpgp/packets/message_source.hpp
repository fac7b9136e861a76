// This takes a message of OpenPGP out of its file, where it is in bytes or in armor (RFC 9580, section 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/foreign/base64_stream.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Gives the bytes of the packets. Text before the armor, and all behind it, is passed over. The armor's checksum is not
/// looked at, as section 6.1 wants it.
class MessageSource : public ByteSource {
 public:
  /// Reads the beginning, which shows the form. The source stays the caller's; `name` is for messages. Throws Error:
  /// truncated where it is empty, format where it holds no such message.
  MessageSource(ByteSource& source, const std::string& name);

  std::size_t read(MutableBytes out) override;

  [[nodiscard]] bool is_armored() const { return is_armored_; }

 private:
  // Gives bytes from memory that is filled by long reads, since lengths of packets are short ones.
  class Buffered : public ByteSource {
   public:
    explicit Buffered(ByteSource& source) : source_(source) {}
    std::size_t read(MutableBytes out) override;
    void fill();

    std::vector<std::uint8_t> bytes{};
    std::size_t num_taken = 0;

   private:
    ByteSource& source_;
    bool has_ended_ = false;
  };
  // Gives the text of an armor, up to its checksum or its last line.
  class ArmorBody : public ByteSource {
   public:
    explicit ArmorBody(ByteSource& source) : source_(source) {}
    std::size_t read(MutableBytes out) override;

   private:
    ByteSource& source_;
    bool is_line_beginning_ = true;
    bool has_ended_ = false;
  };

  void find_armor(const std::string& name);

  Buffered buffered_;
  ArmorBody body_;
  Base64Source decoded_;
  bool is_armored_ = false;
};

}  // namespace phalanx

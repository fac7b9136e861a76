// This reads a message once, from its beginning to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "files/foreign/asn1/octet_string_source.hpp"
#include "files/foreign/cms/cms_front.hpp"
#include "files/foreign/cms/cms_source.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Reads a file from a position on, and leaves the input's own position as it is. The input stays the caller's.
class InputPart : public SkippingSource {
 public:
  InputPart(const Input& input, std::uint64_t position) : input_(input), position_(position) {}
  std::size_t read(MutableBytes out) override;
  void skip(std::uint64_t num_bytes) override { position_ += num_bytes; }

 private:
  const Input& input_;
  std::uint64_t position_;
};

class MessageReading {
 public:
  /// Reads the front of a file that can seek, from `position` on, or of any source; both stay the caller's. Throws as
  /// read_cms_front and CmsSource do.
  MessageReading(const Input& input, std::uint64_t position);
  MessageReading(ByteSource& source, const std::string& name);

  [[nodiscard]] const CmsFront& front() const { return front_; }
  [[nodiscard]] const std::string& form() const { return source_.form(); }
  /// Gives the octets of the content.
  [[nodiscard]] OctetStringSource& content() { return content_; }
  /// Returns how many bytes were read or passed over, with those before the structure. Base64 counts by what it stands for.
  [[nodiscard]] std::uint64_t position() const { return source_.offset() + stream_.position(); }

  /// Returns whether the content stands in the file as it is, in one piece.
  [[nodiscard]] bool is_content_in_one_piece() const { return source_.can_skip() && content_.num_bytes().has_value(); }

  /// Returns whether it stands there in many.
  [[nodiscard]] bool is_content_in_pieces() const { return source_.can_skip() && !content_.num_bytes(); }
  /// Returns where those may end at most, in bytes as `position` has them, and whether they have an end mark.
  [[nodiscard]] std::uint64_t content_end() const;
  [[nodiscard]] bool has_end_mark() const { return !stream_.is_definite(); }

  /// Reads what stands behind the content, all of which was read or passed over. Throws as read_cms_tail does.
  [[nodiscard]] CmsTail finish() { return read_cms_tail(stream_, front_); }

 private:
  std::optional<InputPart> part_;
  CmsSource source_;
  BerStream stream_;
  CmsFront front_;
  OctetStringSource content_;
};

}  // namespace phalanx

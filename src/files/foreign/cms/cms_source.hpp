// This takes a message out of its file, where it is in bytes or in base64: alone, in PEM or in a mail.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/base64_stream.hpp"

namespace phalanx {

/// Gives the bytes of the structure. Passes over the headers of a mail (RFC 8551, section 3.2) and the lines of PEM (RFC
/// 7468). Nothing behind a base64 text is given.
class CmsSource : public SkippingSource {
 public:
  /// Reads the beginning, which shows the form. The source stays the caller's, and `skipping` is the same source where it
  /// can pass over its bytes; `name` is for messages. Throws Error: truncated where it is empty,
  /// format where it holds no such message.
  CmsSource(ByteSource& source, const std::string& name, SkippingSource* skipping = nullptr);

  std::size_t read(MutableBytes out) override;

  /// Returns whether `skip` may be called.
  [[nodiscard]] bool can_skip() const { return skipping_ != nullptr && !is_base64_; }
  void skip(std::uint64_t num_bytes) override;

  /// Returns how many bytes stand before the structure, or before its base64.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// Returns "" for bytes; else "PEM", "mail" or "base64".
  [[nodiscard]] const std::string& form() const { return form_; }

 private:
  // Gives the beginning, which was read to decide, and then the rest.
  class Rest : public ByteSource {
   public:
    explicit Rest(ByteSource& source) : source_(source) {}
    std::size_t read(MutableBytes out) override;

    std::vector<std::uint8_t> beginning{};
    std::size_t num_taken = 0;

   private:
    ByteSource& source_;
  };
  // Gives a text up to its first "-", with which a line of PEM and a mail's boundary begin: base64 has none.
  class TextBody : public ByteSource {
   public:
    explicit TextBody(ByteSource& source) : source_(source) {}
    std::size_t read(MutableBytes out) override;

   private:
    ByteSource& source_;
    bool has_ended_ = false;
  };

  void decide(const std::string& name);

  SkippingSource* skipping_;
  Rest rest_;
  TextBody body_;
  Base64Source decoded_;
  std::string form_;
  std::uint64_t offset_ = 0;
  bool is_base64_ = false;
};

}  // namespace phalanx

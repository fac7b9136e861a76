// This takes the content out of decrypted packets: a literal packet, compressed or not, with signatures or without (RFC
// 9580, sections 5.6, 5.9 and 10.3).
#pragma once

#include <cstdint>
#include <memory>

#include "files/foreign/openpgp/packets/decompression.hpp"
#include "files/foreign/openpgp/packets/packet_header.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Takes the bytes of the packets, in parts of any size, and gives the content on as it comes. Signatures are passed over.
class ContentPackets : public ByteSink {
 public:
  /// The sink stays the caller's, and is not finished here.
  explicit ContentPackets(ByteSink& content, bool is_compressed = false);
  ~ContentPackets() override;
  ContentPackets(const ContentPackets&) = delete;
  ContentPackets& operator=(const ContentPackets&) = delete;

  /// Throws Error (format) for what is not a message, or holds one that is not read; and as the sink and Decompression do.
  void write(Bytes in) override;
  /// Throws Error (format) where the packets end too early, or none of them was literal.
  void finish() override;

  /// Returns whether there was a signature, which nobody checks here.
  [[nodiscard]] bool is_signed() const;

 private:
  void begin_body();
  void end_body();
  void take_body(Bytes part);
  void take_literal(Bytes part);
  void take_text(Bytes part);
  void take_compressed(Bytes part);

  ByteSink& content_;
  bool is_compressed_;
  PacketHeader header_;
  bool is_in_body_ = false;
  std::uint64_t num_left_ = 0;  // of the body, or of its part
  bool has_literal_ = false, is_signed_ = false;

  // of a literal packet
  std::uint64_t num_taken_ = 0;
  std::uint64_t name_bytes_ = 0;
  bool is_text_ = false;

  // of a compressed one
  std::unique_ptr<Decompression> decompression_;
  std::unique_ptr<ContentPackets> compressed_;
};

}  // namespace phalanx

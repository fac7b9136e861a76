// This decrypts the chunks of a message (RFC 9580, section 5.13.2; GnuPG's packet is of draft-koch-openpgp-2015-rfc4880bis,
// section 5.16).
#pragma once

#include <array>
#include <memory>
#include <string>

#include "files/foreign/message_decryptor.hpp"
#include "files/foreign/openpgp/chunk_aead.hpp"
#include "files/foreign/openpgp/message_front.hpp"

namespace phalanx {

/// Opens the chunks of a piece in place, in pieces of any order. A piece begins with a chunk, and only the last one may end
/// otherwise.
class ChunksDecryptor : public MessageDecryptor {
 public:
  /// The session key has the cipher's size; `name` is the message's. Throws Error (format) for a cipher that is not read.
  ChunksDecryptor(const OpenPgpFront& front, const SessionKey& session_key, const std::string& name,
                  const RunOptions& options);

  [[nodiscard]] const std::string& engine() const override { return aead_->engine(); }
  void check_length(std::uint64_t /*message_bytes*/) const override {}

  /// Throws Error (wrong_key) where a tag is wrong.
  void process(Piece& piece) override;

  /// Returns the bytes of a chunk with its tag.
  [[nodiscard]] std::size_t sealed_bytes() const { return chunk_bytes_ + ChunkAead::tag_bytes; }
  /// Returns the size of pieces that have whole chunks.
  [[nodiscard]] std::size_t piece_bytes() const;

 private:
  [[nodiscard]] std::array<std::uint8_t, 16> nonce_of(std::uint64_t chunk) const;
  [[nodiscard]] bool open(std::uint64_t chunk, MutableBytes text, Bytes tag) const;
  [[nodiscard]] bool is_last_tag(std::uint64_t num_chunks, std::uint64_t text_bytes, Bytes tag) const;

  const std::string& name_;
  bool is_of_gnupg_;
  std::size_t chunk_bytes_, nonce_bytes_;
  std::vector<std::uint8_t> described_;
  std::array<std::uint8_t, 16> first_nonce_{};
  std::unique_ptr<ChunkAead> aead_;
};

}  // namespace phalanx

// ECB and CBC: whole blocks, padded or not (PKCS #7, RFC 5652 section 6.3), and CBC of TLS records.
#pragma once

#include "bare_context.hpp"

namespace phalanx {

class BlockContext final : public BareContext {
 public:
  using BareContext::BareContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;
  bool update(const Output& out, Bytes in) override;
  bool finish(const Output& out) override;
  bool update_together(std::span<const Piece> pieces) override;

 private:
  bool crypt_piece(Bytes in, std::uint8_t* out) override;
  [[nodiscard]] std::size_t bytes_of_update(std::size_t num_bytes) const;
  void update_blocks(Bytes in, std::uint8_t* out, std::size_t num_out);
  std::size_t fill_first_block(Bytes in, std::uint8_t* out);
  void keep(Bytes rest);
  [[nodiscard]] bool reaches_into_input(const Output& out, Bytes in, std::size_t num_out) const;
  bool finish_encryption(const Output& out);
  bool finish_decryption(const Output& out);
  bool update_record(const Output& out, Bytes in);
  bool open_record(const Output& out, std::uint8_t* record, std::size_t num_bytes);
};

}  // namespace phalanx

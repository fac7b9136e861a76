// CTR, CFB and OFB (SP 800-38A sections 6.3 to 6.5): every byte comes out as it goes in.
#pragma once

#include "bare_context.hpp"

namespace phalanx {

/// What all manners have in common that take any number of bytes and keep none.
class UnpaddedContext : public BareContext {
 public:
  using BareContext::BareContext;

  bool update(const Output& out, Bytes in) override;
  bool finish(const Output& out) override;
};

class KeyStreamContext final : public UnpaddedContext {
 public:
  using UnpaddedContext::UnpaddedContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;

 private:
  bool crypt_piece(Bytes in, std::uint8_t* out) override;
  void begin_block();
  void crypt_in_block(Bytes in, std::uint8_t* out);
};

/// CFB with segments of 8 bits.
class ByteFeedbackContext final : public UnpaddedContext {
 public:
  using UnpaddedContext::UnpaddedContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;

 private:
  bool crypt_piece(Bytes in, std::uint8_t* out) override;
  void encrypt_bytes(Bytes in, std::uint8_t* out);
  void decrypt_bytes(Bytes in, std::uint8_t* out);
};

}  // namespace phalanx

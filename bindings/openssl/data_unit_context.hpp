// XTS (IEEE 1619, SP 800-38E): each update is a data unit, under the tweak that the context was begun with.
#pragma once

#include "bare_context.hpp"

namespace phalanx {

class DataUnitContext final : public BareContext {
 public:
  using BareContext::BareContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;
  bool update(const Output& out, Bytes in) override;
  bool finish(const Output& out) override;
  bool crypt(const Output& out, Bytes in) override;
  bool set(const OSSL_PARAM* parameters) override;

 private:
  bool set_key(Bytes key) override;
  bool crypt_piece(Bytes in, std::uint8_t* out) override;

  std::shared_ptr<const KeyedCipher> tweak_key_;
};

}  // namespace phalanx

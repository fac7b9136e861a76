// CBC with ciphertext stealing: CS1, CS2 and CS3 of the addendum to SP 800-38A. A message is one update.
#pragma once

#include "bare_context.hpp"

namespace phalanx {

class StolenContext final : public BareContext {
 public:
  using BareContext::BareContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;
  bool start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
             std::size_t iv_bytes) override;
  bool update(const Output& out, Bytes in) override;
  bool finish(const Output& out) override;
  bool get(OSSL_PARAM* parameters) override;
  bool set(const OSSL_PARAM* parameters) override;

 private:
  /// Which of the last two blocks of ciphertext comes first.
  enum class Order : unsigned char { cs1, cs2, cs3 };

  bool crypt_piece(Bytes in, std::uint8_t* out) override;
  void crypt_cbc(const std::uint8_t* in, std::uint8_t* out, std::size_t num_bytes);
  void crypt_message(Bytes in, std::uint8_t* out);
  void encrypt_end(const std::uint8_t* in, std::uint8_t* out, std::size_t rest, bool swaps);
  void decrypt_end(const std::uint8_t* in, std::uint8_t* out, std::size_t rest, bool swaps);

  Order order_ = Order::cs1;
  bool is_over_ = false;
};

}  // namespace phalanx

// What contexts of bare ciphers share: key, iv, and the parameters of ECB, CBC, CTR, CFB, OFB and XTS.
#pragma once

#include "cipher_context.hpp"
#include "engine/engines/engine.hpp"

namespace phalanx {

class BareContext : public CipherContext {
 public:
  BareContext(const Provider& provider, const ServedCipher& served);

  bool start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
             std::size_t iv_bytes) override;
  bool crypt(const Output& out, Bytes in) override;
  bool get(OSSL_PARAM* parameters) override;
  bool set(const OSSL_PARAM* parameters) override;

 protected:
  BareContext(const BareContext&) = default;

  /// Sets what crypts under `key`.
  virtual bool set_key(Bytes key);
  /// Crypts a piece that follows what was crypted before, in place or from disjoint memory. False where the manner does not
  /// take so many bytes.
  virtual bool crypt_piece(Bytes in, std::uint8_t* out) = 0;

  [[nodiscard]] std::shared_ptr<const KeyedCipher> keyed(Bytes key) const;
  [[nodiscard]] std::size_t block_bytes() const { return served().block_bytes(); }
  bool require_key() const;
  /// crypt_piece, where `in` may lie anywhere: its bytes count as they were before the call.
  bool crypt_anywhere(Bytes in, std::uint8_t* out);
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const {
    key_->crypt_range(Mode::ecb, Direction::encrypt, nullptr, in, out, 1);
  }
  /// A record's MAC that was taken off, for libssl to compare.
  void show_mac(const std::uint8_t* mac) { tls_mac_ = mac; }
  [[nodiscard]] KeptBytes<64>& mac_memory() { return mac_memory_; }

  Direction direction_ = Direction::decrypt;
  std::shared_ptr<const KeyedCipher> key_;  // shared with copies of this context: it never changes
  KeptBytes<16> iv_;                        // the chaining state
  KeptBytes<16> first_iv_;                  // as it was given
  bool has_iv_ = false;
  KeptBytes<16> block_;    // of a block that is not full: the input that waits, or CTR's key stream
  std::size_t kept_ = 0;   // bytes of input that wait in it
  unsigned num_used_ = 0;  // bytes of the block's key stream that are used: OpenSSL's "num"
  bool pads_ = true;
  unsigned tls_version_ = 0;  // of a record to each update; 0: no records
  std::size_t tls_mac_bytes_ = 0;

 private:
  bool write_random_key(const OSSL_PARAM& parameter) const;

  const std::uint8_t* tls_mac_ = nullptr;
  KeptBytes<64> mac_memory_;
};

}  // namespace phalanx

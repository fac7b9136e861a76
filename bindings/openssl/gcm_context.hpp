// GCM (SP 800-38D) as OpenSSL has it: associated data and text by parts of any size, a tag at the end, and TLS records (RFC
// 5288). What is decrypted comes out before the tag is compared: EVP has no other way.
#pragma once

#include <optional>

#include "cipher_context.hpp"
#include "engine/engines/composed_gcm.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

class GcmContext : public CipherContext {
 public:
  GcmContext(const Provider& provider, const ServedCipher& served);

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;
  bool start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
             std::size_t iv_bytes) override;
  bool update(const Output& out, Bytes in) override;
  bool finish(const Output& out) override;
  bool crypt(const Output& out, Bytes in) override;
  bool get(OSSL_PARAM* parameters) override;
  bool set(const OSSL_PARAM* parameters) override;

 protected:
  GcmContext(const GcmContext&) = default;

  /// Sets the key; and what crypts the message whose nonce is `nonce`, of which it returns the part that GCM takes.
  virtual void set_key(Bytes key);
  virtual Bytes begin_nonce(Bytes nonce);
  [[nodiscard]] virtual bool takes_iv_bytes(std::size_t num_bytes) const {
    return num_bytes != 0 && num_bytes <= most_iv_bytes;
  }
  [[nodiscard]] virtual bool takes_tag_bytes(std::size_t num_bytes) const { return num_bytes != 0 && num_bytes <= 16; }

  void take_key(std::unique_ptr<const KeyedAead> gcm) {
    gcm_ = std::move(gcm);
    parts_ = gcm_->in_parts();
  }

  bool has_key_ = false;

 private:
  static constexpr std::size_t most_iv_bytes = 128;

  enum class IvState : unsigned char { missing, given, in_use, spent };

  bool set_iv_length(const OSSL_PARAM& given);
  bool set_tag(const OSSL_PARAM& given);
  bool answer_one(OSSL_PARAM& asked);
  bool get_iv(OSSL_PARAM& asked) const;
  bool get_tag(OSSL_PARAM& asked) const;

  // A message.
  bool require_message();
  void begin_message();
  bool add_associated_data(Bytes in);
  bool crypt_text(Bytes in, std::uint8_t* out);
  void crypt_parts(Bytes in, std::uint8_t* out);
  void crypt_in_block(Bytes in, std::uint8_t* out);
  void hash_waiting();
  bool end_message();

  // tls_records.cpp
  bool get_generated_iv(OSSL_PARAM& asked);
  bool write_generated_iv(MutableBytes out);
  void count_iv();
  bool place_received_iv(Bytes iv);
  bool set_received_iv(Bytes iv);
  bool set_fixed_iv(const OSSL_PARAM& given);
  bool set_record_header(const OSSL_PARAM& given);
  bool crypt_record(const Output& out, Bytes in);
  bool crypt_record_text(const std::uint8_t* nonce, std::uint8_t* text, std::size_t num_bytes);

  std::shared_ptr<const KeyedAead> gcm_;  // shared with copies of this context: it never changes
  const ComposedGcm* parts_ = nullptr;    // the same, of messages in parts
  Direction direction_ = Direction::decrypt;
  KeptBytes<most_iv_bytes> iv_;
  std::size_t iv_bytes_;
  IvState iv_state_ = IvState::missing;
  KeptBytes<16> tag_;
  std::optional<std::size_t> tag_bytes_;

  KeptBytes<16> first_counter_;  // J_0
  std::size_t nonce_bytes_ = 0;
  KeptBytes<16> y_;          // the hash so far
  KeptBytes<16> waiting_;    // associated data, or ciphertext, of a block that is not full
  KeptBytes<16> keystream_;  // of the text's block that is not full
  std::uint64_t associated_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;

  bool has_random_iv_ = false;  // none was given, and one was drawn
  bool makes_ivs_ = false;
  bool has_header_ = false;  // the next update is a TLS record
  KeptBytes<13> header_;     // sequence number, type, version, length of the text: what a record authenticates
  std::size_t record_growth_ = 0;
  std::uint64_t num_records_ = 0;
};

/// XAES-256-GCM (c2sp.org/XAES-256-GCM): nonces of 24 bytes, tags of 16, no TLS.
class XaesContext final : public GcmContext {
 public:
  using GcmContext::GcmContext;

  [[nodiscard]] std::unique_ptr<CipherContext> copy() const override;

 private:
  void set_key(Bytes key) override;
  Bytes begin_nonce(Bytes nonce) override;
  [[nodiscard]] bool takes_iv_bytes(std::size_t num_bytes) const override { return num_bytes == served().iv_bytes; }
  [[nodiscard]] bool takes_tag_bytes(std::size_t num_bytes) const override { return num_bytes == 16; }

  std::shared_ptr<const SecretBytes> key_;
};

}  // namespace phalanx

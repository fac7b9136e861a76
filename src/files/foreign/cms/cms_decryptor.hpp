// This decrypts the content of a message. Every failure that depends on a key has the same words.
#pragma once

#include <memory>
#include <string>

#include "files/foreign/aead/aead_readings.hpp"
#include "files/foreign/message_decryptor.hpp"

namespace phalanx {

/// Decrypts CBC by another decryptor, and refuses wrong padding by refuse_to_open.
class CbcContentDecryptor : public MessageDecryptor {
 public:
  CbcContentDecryptor(std::unique_ptr<MessageDecryptor> decryptor, std::string name)
      : decryptor_(std::move(decryptor)), name_(std::move(name)) {}

  [[nodiscard]] bool in_order() const override { return decryptor_->in_order(); }
  void process(Piece& piece) override;
  [[nodiscard]] const std::string& engine() const override { return decryptor_->engine(); }
  void check_length(std::uint64_t message_bytes) const override { decryptor_->check_length(message_bytes); }
  [[nodiscard]] std::size_t checked_padding_bytes() const override { return decryptor_->checked_padding_bytes(); }

 private:
  std::unique_ptr<MessageDecryptor> decryptor_;
  std::string name_;
};

/// Decrypts GCM of which the first reading has verified the tag. The readings stay the caller's.
class GcmContentDecryptor : public MessageDecryptor {
 public:
  GcmContentDecryptor(std::unique_ptr<AeadInParts> message, AeadReadings& readings, const std::string& name)
      : message_(std::move(message)), opening_(*message_, readings.hashes(), name) {}

  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override {
    return opening_.lock_pages(memory);
  }
  void process(Piece& piece) override { opening_.process(piece); }
  [[nodiscard]] const std::string& engine() const override { return message_->engine(); }
  void check_length(std::uint64_t /*message_bytes*/) const override {}

 private:
  std::unique_ptr<AeadInParts> message_;
  AeadOpening opening_;
};

}  // namespace phalanx

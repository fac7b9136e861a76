// This is EAX (M. Bellare, P. Rogaway, D. Wagner, "The EAX Mode of Operation", 2004) with tags of 16 bytes, over the
// engine's CTR and CBC, to open messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "files/foreign/openpgp/chunk_aead.hpp"
#include "files/foreign/raw_cipher.hpp"

namespace phalanx {

class Eax : public ChunkAead {
 public:
  /// `cipher` is of 128-bit blocks: "aes-256".
  Eax(const std::string& cipher, Bytes key, const RunOptions& options);
  ~Eax() override;
  Eax(const Eax&) = delete;
  Eax& operator=(const Eax&) = delete;

  [[nodiscard]] bool open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const override;
  [[nodiscard]] const std::string& engine() const override { return counter_mode_.engine(); }

 private:
  using Block = std::array<std::uint8_t, 16>;

  [[nodiscard]] Block omac(std::uint8_t tweak, Bytes message) const;

  RawCipher counter_mode_, chained_;
  Block whole_mask_{}, short_mask_{};
};

}  // namespace phalanx

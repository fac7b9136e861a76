// This is a cipher over the sectors of a volume, by dm-crypt's name: "aes-xts-plain64" or "serpent-cbc-essiv:sha256"
// (Documentation/admin-guide/device-mapper/dm-crypt.rst in Linux).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/options.hpp>
#include <string>

#include "engine/library/keyed_mode.hpp"
#include "files/foreign/luks/luks_header.hpp"

namespace phalanx {

/// Says why sectors in such a cipher, under a key of so many bytes, are not read here; "" where they are.
[[nodiscard]] std::string refuse_luks_cipher(const std::string& encryption, std::size_t key_bytes);

/// Decrypts sectors under one key. Any number of threads may use it at once.
class LuksCipher {
 public:
  /// `sector_bytes` is a multiple of 512. Throws Error: format with refuse_luks_cipher's reason; usage as Cipher does for
  /// the engine.
  LuksCipher(const std::string& encryption, Bytes key, std::size_t sector_bytes, const EngineOptions& options);

  /// Decrypts whole sectors in place. The iv of the first sector is made of `iv_sector`. The next ivs count on in units of
  /// 512 bytes, however long the sectors are.
  void decrypt(std::uint64_t iv_sector, MutableBytes text) const;

  /// Returns the engine that runs it, e.g. "cpu:avx512".
  [[nodiscard]] const std::string& engine() const { return data_.engine_name; }

 private:
  enum class Iv : unsigned char { plain, plain64, essiv };
  struct Named {
    NamedCipher cipher;
    Iv iv;
    std::string refusal;
  };

  friend std::string refuse_luks_cipher(const std::string& encryption, std::size_t key_bytes);
  [[nodiscard]] static Named named(const std::string& encryption, std::size_t key_bytes);
  LuksCipher(const Named& named, Bytes key, std::size_t sector_bytes, const EngineOptions& options);

  [[nodiscard]] std::uint64_t step() const { return sector_bytes_ / luks_sector_bytes; }
  void decrypt_xts(std::uint64_t iv_sector, MutableBytes text) const;
  void decrypt_cbc(std::uint64_t iv_sector, MutableBytes text) const;

  Iv iv_;
  std::size_t sector_bytes_;
  KeyedMode data_;
  std::unique_ptr<const KeyedMode> essiv_;
};

}  // namespace phalanx

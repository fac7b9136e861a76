// This reads the data of a volume whose key is known.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/options.hpp>
#include <vector>

#include "files/foreign/luks/luks_cipher.hpp"
#include "files/foreign/luks/luks_header.hpp"
#include "files/foreign/luks/volume_bytes.hpp"

namespace phalanx {

/// Throws Error (format) where a volume is not read here, whatever its key: the header's refusal, or its ciphers'.
void require_readable(const LuksHeader& header, const VolumeBytes& bytes);

/// Returns how many bytes the volume has, by the size of what has its data. Throws Error: truncated where they are not all
/// there, format where the numbers of the segments do not fit.
[[nodiscard]] std::uint64_t volume_bytes_of(const LuksHeader& header, const VolumeBytes& data);

/// Any number of threads may read at once.
class LuksVolume {
 public:
  /// `data` has the data, and stays the caller's. Throws as require_readable and volume_bytes_of do, and Error (usage) as
  /// Cipher does for the engine.
  LuksVolume(const LuksHeader& header, Bytes volume_key, const VolumeBytes& data, const EngineOptions& options);

  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }
  /// Returns the size of the longest sector. Every segment begins at a multiple of it in the volume, and so does each part
  /// that is decrypted.
  [[nodiscard]] std::size_t unit_bytes() const { return unit_bytes_; }
  [[nodiscard]] const std::string& engine() const { return segments_.front().cipher->engine(); }

  /// Reads the ciphertext of a part of the volume, which lies within it. Throws as VolumeBytes does.
  void read_ciphertext(std::uint64_t offset, MutableBytes out) const;
  /// Decrypts in place what read_ciphertext has read. The offset is a multiple of unit_bytes(), and the size too but at the
  /// volume's end.
  void decrypt(std::uint64_t offset, MutableBytes text) const;

  /// Reads any part of the plaintext, which lies within the volume.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct Segment {
    std::uint64_t begin = 0, num_bytes = 0;  // in the volume
    std::uint64_t data_offset = 0;
    std::uint64_t first_iv_sector = 0;
    std::unique_ptr<const LuksCipher> cipher{};
  };
  void read_within_unit(std::uint64_t offset, MutableBytes out) const;
  template <class Visit>
  void for_each_segment(std::uint64_t offset, MutableBytes part, const Visit& visit) const;

  const VolumeBytes& data_;
  std::vector<Segment> segments_;
  std::uint64_t num_bytes_ = 0;
  std::size_t unit_bytes_ = luks_sector_bytes;
};

}  // namespace phalanx

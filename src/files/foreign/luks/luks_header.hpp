// This is the header of a volume of LUKS, as both of its versions have it (LUKS1 On-Disk Format Specification 1.2.3, LUKS2
// On-Disk Format Specification 1.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "files/foreign/luks/volume_bytes.hpp"

namespace phalanx {

/// LUKS1, key slots and the numbers that ivs are made of count in sectors of this size.
inline constexpr std::size_t luks_sector_bytes = 512;

/// Says how a slot's key comes from the passphrase.
struct LuksDerivation {
  enum class Kind : unsigned char { pbkdf2, argon2i, argon2id };

  Kind kind = Kind::pbkdf2;
  std::string hash{};                ///< of PBKDF2
  std::uint32_t num_iterations = 0;  ///< of PBKDF2; of Argon2 its passes
  std::uint32_t memory_kib = 0;      ///< of Argon2
  std::uint32_t num_lanes = 0;       ///< of Argon2
  std::vector<std::uint8_t> salt{};
};

/// Returns "PBKDF2 with sha256, 1000 iterations" or "argon2id, 4 passes over 1048576 KiB, 4 lanes".
[[nodiscard]] std::string describe(const LuksDerivation& derivation);

/// Describes a place that holds a copy of the volume key under a passphrase.
struct LuksSlot {
  enum class Priority : unsigned char { only_by_number, normal, preferred };

  unsigned number = 0;
  std::string problem{};  ///< why it cannot be tried; "" where it can
  Priority priority = Priority::normal;
  LuksDerivation derivation{};
  std::size_t volume_key_bytes = 0;
  std::string encryption{};  ///< of its area: "aes-xts-plain64"
  std::size_t area_key_bytes = 0;
  std::uint64_t area_offset = 0;  ///< from the header's beginning
  std::uint64_t area_bytes = 0;
  std::uint32_t num_stripes = 0;
  std::string stripes_hash{};
};

/// Shows whether a key is the volume's.
struct LuksDigest {
  std::string hash{};
  std::uint32_t num_iterations = 0;
  std::vector<std::uint8_t> salt{};
  std::vector<std::uint8_t> digest{};
  std::vector<unsigned> slots{};
  std::vector<unsigned> segments{};
};

/// Describes a part of the volume's data.
struct LuksSegment {
  unsigned number = 0;
  std::uint64_t offset = 0;                  ///< in the file that has the data
  std::optional<std::uint64_t> num_bytes{};  ///< nullopt: to the end of that
  std::uint64_t first_iv_sector = 0;         ///< the number that the first iv is made of
  std::string encryption{};                  ///< "aes-xts-plain64"
  std::size_t sector_bytes = luks_sector_bytes;
};

/// Holds what the header says, and nothing has shown that it is right.
struct LuksHeader {
  int version = 0;
  std::string uuid{};
  std::string label{};
  std::vector<LuksSlot> slots{};      ///< those in use, by their numbers
  std::vector<LuksDigest> digests{};  ///< of kinds that are known
  std::vector<LuksSegment> segments{};
  std::string refusal{};  ///< why the volume cannot be read, in words that follow its name; "" where it can
  std::string note{};     ///< what became of the other copy of the header; "" where both are there
};

/// Returns whether these bytes begin a volume's header, or have the second header of a file whose first one is lost.
[[nodiscard]] bool is_luks(Bytes beginning);

/// Reads the header that begins the bytes, or the second one of LUKS2 where that is newer or alone. Throws Error: format
/// where it is of no version of LUKS or is damaged, truncated where its bytes end within it, runtime where reading fails.
[[nodiscard]] LuksHeader read_luks_header(const VolumeBytes& bytes);

/// Returns a text of a field that is filled with zeros, with '?' for what is not printable ASCII.
[[nodiscard]] std::string text_of_field(Bytes field);

/// Throws Error (format): the header of NAME is damaged, and how.
[[noreturn]] void throw_damaged_luks(const VolumeBytes& bytes, const std::string& how);

}  // namespace phalanx

// Volumes of LUKS, written by tests.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

namespace phalanx {

inline constexpr const char* written_passphrase = "correct horse";
inline constexpr std::size_t written_data_offset = std::size_t{64} << 10;  // where the data begin

/// A volume of LUKS1 in aes-xts-plain64, whose slot 2 has a key of 64 bytes in `num_stripes` stripes.
[[nodiscard]] std::vector<std::uint8_t> write_luks1(Bytes plain, std::uint32_t num_stripes = 40);

/// One of the headers of LUKS2, as it stands at the offset, with its checksum.
[[nodiscard]] std::vector<std::uint8_t> write_luks2_header(const std::string& json, std::uint64_t offset,
                                                           std::uint64_t sequence = 1);

}  // namespace phalanx

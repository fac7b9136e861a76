// The volume key is spread over the stripes of a slot, so that all of them are needed (LUKS1 On-Disk Format Specification
// 1.2.3, section 2.4).
#pragma once

#include <phalanx/bytes.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Puts a key together again (AFmerge). The material begins with num_stripes times key_bytes bytes, and num_stripes is at
/// least 1. Throws Error (usage) for a digest that libcrypto does not have.
[[nodiscard]] SecretBytes merge_stripes(Bytes material, std::size_t key_bytes, std::size_t num_stripes,
                                        const std::string& hash);

}  // namespace phalanx

// The modes of operation: SP 800-38A (ECB, CBC, CFB, OFB, CTR), SP 800-38E and IEEE 1619 (XTS), SP 800-38D (GCM).
#pragma once

namespace phalanx {

enum class Mode : unsigned char { ecb, cbc, ctr, cfb, ofb, xts, gcm };

/// The modes that a kernel runs over a range of blocks; GCM is CTR and GHASH put together above the kernels.
inline constexpr unsigned num_range_modes = 6;

}  // namespace phalanx

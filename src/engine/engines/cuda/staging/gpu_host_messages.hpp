// Messages of GCM in the host's memory, many at a time through a GPU's staging buffers: sealed and opened there, tags
// and all.
#pragma once

#include "engine/engines/cuda/message_feed.hpp"
#include "engine/engines/cuda/staging/gpu_transfer.hpp"
#include "engine/engines/keyed_aead.hpp"

namespace phalanx {

/// Whether a message can go so: its nonce has 12 bytes, it brings no key, and it is no longer than a staging buffer.
[[nodiscard]] bool fits_gpu_staging(const AeadMessage& message);

/// What KeyedAead::crypt says, of the messages that the feed gives, which must fit, on the current device; `crypt` is under
/// their key, in this direction. Texts in locked pages (page_locks.hpp) do not go through the staging buffers.
/// num_threads: of copies in the host's memory, 0: all. Throws Error (runtime) if the GPU fails: `out` then has nothing but
/// what was sealed, or is authentic.
void crypt_host_messages(GpuDevice& device, const CryptArrays& crypt, Direction direction, Unverified unverified,
                         MessageFeed& feed, int num_threads);

}  // namespace phalanx

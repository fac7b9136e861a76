// XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM with a nonce of 24 bytes, of which one half makes a key for the message
// and the other is its nonce.
#pragma once

#include <memory>

#include "engine/engines/engine.hpp"

namespace phalanx {

inline constexpr std::size_t xaes_nonce_bytes = 24, xaes_tag_bytes = 16;

/// Sets a key of 32 bytes. The messages of the KeyedAead, including those with keys of their own, are XAES-256-GCM's.
/// Its seal and open throw Error (usage) for a nonce or a tag of another size, before any message is touched.
std::unique_ptr<KeyedAead> set_xaes_key(const Engine& engine, Bytes key, int num_threads);

/// AES-256-GCM under the key that one message of XAES-256-GCM has, whose nonce of 24 bytes this is. In AES-256-GCM the
/// message has the nonce's second half.
std::unique_ptr<KeyedAead> set_xaes_message_key(const Engine& engine, Bytes key, Bytes nonce, int num_threads);

}  // namespace phalanx

// What the end of a padded message says about a key: nothing else in old ciphertext does.
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/bytes.hpp>
#include <phalanx/files/padding.hpp>
#include <phalanx/options.hpp>
#include <span>
#include <vector>

#include "engine/modes/named_cipher.hpp"
#include "files/foreign/foreign_cipher.hpp"

namespace phalanx {

/// The end of a message. The span stays the caller's.
struct MessageEnd {
  ForeignCipher cipher{};  ///< in ECB or CBC
  Padding padding = Padding::pkcs7;
  Bytes last_blocks;  ///< the last two blocks of ciphertext, or the only one
};

/// Whether a wrong key shows at the end of messages: ECB or CBC, with padding that can be checked.
[[nodiscard]] constexpr bool shows_wrong_key(Mode mode, Padding padding) {
  return takes_padding(mode) && can_check(padding);
}

/// How many bytes of padding the message has under a key: 0 if it is not valid. `iv` counts where there is one block only.
[[nodiscard]] std::size_t padding_under_key(const MessageEnd& end, Bytes key, Bytes iv, const EngineOptions& options);

/// Of keys that were tried on one message, by their number.
struct KeyRanking {
  std::size_t best = 0;
  std::vector<std::size_t> equal;    ///< others that give padding of the same length: a doubt to warn of
  std::vector<std::size_t> shorter;  ///< others that give shorter valid padding, most likely by chance
};

/// A wrong key gives valid padding about once in 256 times, nearly always of one byte. So the longest is taken, of equally
/// long ones the first; nothing if none is valid. `padding_bytes` has one number for each key.
[[nodiscard]] std::optional<KeyRanking> rank_by_padding(std::span<const std::size_t> padding_bytes);

}  // namespace phalanx

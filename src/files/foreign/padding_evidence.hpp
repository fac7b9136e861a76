// This judges keys by the padding at the end of a message, since nothing authenticates old ciphertext.
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

/// Holds the end of a message. The span stays the caller's.
struct MessageEnd {
  ForeignCipher cipher{};  ///< in ECB or CBC
  Padding padding = Padding::pkcs7;
  Bytes last_blocks;  ///< the last two blocks of ciphertext, or the only one
};

/// Says whether a wrong key shows at the end of messages: in ECB or CBC, with padding that can be checked.
[[nodiscard]] constexpr bool shows_wrong_key(Mode mode, Padding padding) {
  return takes_padding(mode) && can_check(padding);
}

/// Returns how many bytes of padding the message has under a key, or 0 if its padding is not valid. `iv` counts only in CBC,
/// where there is one block.
[[nodiscard]] std::size_t padding_under_key(const MessageEnd& end, Bytes key, Bytes iv, const EngineOptions& options);

/// Ranks the keys that were tried on one message, by their number.
struct KeyRanking {
  std::size_t best = 0;
  std::vector<std::size_t> equal;    ///< others that give padding of the same length: a doubt to warn of
  std::vector<std::size_t> shorter;  ///< others that give shorter valid padding, most likely by chance
};

/// Ranks keys by their padding. A wrong key gives valid padding about once in 256 times, nearly always of one byte. So the
/// longest is taken, and the first of equally long ones. Returns nothing if none is valid. `padding_bytes` has one number
/// for each key.
[[nodiscard]] std::optional<KeyRanking> rank_by_padding(std::span<const std::size_t> padding_bytes);

}  // namespace phalanx

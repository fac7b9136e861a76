// These facts are true of each mode, whatever the cipher. Its step is in mode.hpp.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "engine/modes/mode.hpp"

namespace phalanx {

enum class IvLength : unsigned char { none, block, nonce };
inline constexpr std::size_t gcm_nonce_bytes = 12;  // SP 800-38D section 5.2.1.1 recommends it; any_nonce_size takes others

/// A message may have these lengths: whole blocks; a block or more, by ciphertext stealing; any.
enum class MessageLength : unsigned char { whole_blocks, from_a_block, any };

struct ModeFacts {
  Mode mode;
  std::string_view name;
  IvLength iv;
  unsigned num_keys;
  MessageLength length;
  bool needs_16_byte_blocks;
  bool is_aead;  ///< it has a nonce and a tag: Engine::set_aead_key takes its key
};

inline constexpr ModeFacts mode_facts[] = {
    {Mode::ecb, "ecb", IvLength::none, 1, MessageLength::whole_blocks, false, false},
    {Mode::cbc, "cbc", IvLength::block, 1, MessageLength::whole_blocks, false, false},
    {Mode::ctr, "ctr", IvLength::block, 1, MessageLength::any, false, false},
    {Mode::cfb, "cfb", IvLength::block, 1, MessageLength::any, false, false},
    {Mode::ofb, "ofb", IvLength::block, 1, MessageLength::any, false, false},
    {Mode::xts, "xts", IvLength::block, 2, MessageLength::from_a_block, true, false},
    {Mode::gcm, "gcm", IvLength::nonce, 1, MessageLength::any, true, true},
};
inline constexpr std::size_t num_modes = std::size(mode_facts);

constexpr const ModeFacts& facts_of(Mode mode) { return mode_facts[static_cast<std::size_t>(mode)]; }

static_assert([] {
  for (std::size_t i = 0; i < num_modes; ++i) {
    if (mode_facts[i].mode != static_cast<Mode>(i)) return false;
  }
  return true;
}());

}  // namespace phalanx

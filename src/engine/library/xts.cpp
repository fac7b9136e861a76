// XTS (IEEE 1619, SP 800-38E): what of it is refused, and runs of sectors.
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "engine/engines/data_unit.hpp"
#include "engine/library/keyed_mode.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// FIPS 140-3 IG C.I (FIPS 140-2 IG A.9) has a module compare them before it uses the key. Encryption under such a key
// allows a chosen ciphertext attack (Rogaway, Efficient Instantiations of Tweakable Blockciphers, section 6). A text
// that is encrypted so already must still be read.
[[noreturn]] void refuse_equal_halves() {
  throw Error(ErrorCode::policy, "the two halves of the XTS key are equal: choose another key");
}

}  // namespace

bool has_equal_halves(Bytes key) {
  const std::size_t half = key.size() / 2;
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < half; ++i) difference = static_cast<std::uint8_t>(difference | (key[i] ^ key[half + i]));
  return difference == 0;
}

void KeyedMode::refuse_to_encrypt_unit(std::uint64_t unit_bytes) const {
  if (unit_bytes > most_unit_bytes) {
    throw Error(ErrorCode::policy, "a data unit of " + name() + " has at most 2^20 blocks (16 MiB), and this one has " +
                                       std::to_string(unit_bytes) + " bytes: encrypt it by sectors");
  }
  if (has_equal_halves) refuse_equal_halves();
}

void KeyedMode::refuse_to_encrypt_part(std::uint64_t offset, std::size_t num_bytes) const {
  if (mode() != Mode::xts || num_bytes == 0) return;
  const std::uint64_t most_offset = ~std::uint64_t{0} - num_bytes;  // beyond it their sum wraps
  refuse_to_encrypt_unit(std::min(offset, most_offset) + num_bytes);
}

void KeyedMode::refuse_to_encrypt_message(const Message& message) const {
  if (mode() != Mode::xts) return;
  const bool has_own_key = !message.key.empty();
  if (has_own_key && phalanx::has_equal_halves(message.key)) refuse_equal_halves();
  if (has_own_key && message.in.size() <= most_unit_bytes) return;
  const KeyedMode& keyed = message.cipher == nullptr ? *this : state_of(*message.cipher);
  keyed.refuse_to_encrypt_unit(message.in.size());
}

void KeyedMode::crypt_sectors(Direction direction, std::uint64_t first_tweak, std::uint64_t tweak_step,
                              std::size_t sector_bytes, Bytes in, MutableBytes out) const {
  check_sectors(direction, sector_bytes, in, out);
  constexpr std::size_t most_at_once = 4096;
  const std::size_t num_sectors = in.size() / sector_bytes + (in.size() % sector_bytes != 0 ? 1 : 0);
  SecretBytes tweaks(std::min(num_sectors, most_at_once) * 16);
  std::vector<BlockMessage> whole_messages;
  for (std::size_t start = 0; start < num_sectors; start += most_at_once) {
    const std::size_t count = std::min(most_at_once, num_sectors - start);
    std::memset(tweaks.data(), 0, count * 16);
    for (std::size_t i = 0; i < count; ++i) store_u64(tweaks.data() + i * 16, first_tweak + (start + i) * tweak_step);
    tweak_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, tweaks.data(), tweaks.data(), count);
    whole_messages.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = (start + i) * sector_bytes;
      const std::size_t size = std::min(sector_bytes, in.size() - place);
      if (size % 16 != 0) {
        crypt_data_unit(*data_key, direction, tweaks.data() + i * 16, in.subspan(place), out.subspan(place));
      } else {
        whole_messages.push_back({{}, tweaks.data() + i * 16, in.data() + place, out.data() + place, size / 16});
      }
    }
    data_key->crypt_batch(Mode::xts, direction, whole_messages);
  }
}

}  // namespace phalanx

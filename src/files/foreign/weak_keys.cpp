#include "files/foreign/weak_keys.hpp"

#include <cstddef>
#include <cstdint>

#include "engine/library/argument_checks.hpp"

namespace phalanx {
namespace {

constexpr std::size_t des_key_bytes = 8;
constexpr std::uint64_t no_parity = 0xfefefefefefefefe;  // the last bit of each byte is its parity

// The four weak keys make encryption its own inverse. The semi-weak ones are six pairs, and each key of a pair undoes the
// other.
constexpr std::uint64_t weak_des_keys[] = {
    0x0101010101010101, 0xfefefefefefefefe, 0xe0e0e0e0f1f1f1f1, 0x1f1f1f1f0e0e0e0e,  // weak
    0x01fe01fe01fe01fe, 0xfe01fe01fe01fe01, 0x1fe01fe00ef10ef1, 0xe01fe01ff10ef10e,  // semi-weak
    0x01e001e001f101f1, 0xe001e001f101f101, 0x1ffe1ffe0efe0efe, 0xfe1ffe1ffe0efe0e,
    0x011f011f010e010e, 0x1f011f010e010e01, 0xe0fee0fef1fef1fe, 0xfee0fee0fef1fef1,
};

std::uint64_t load_big_endian(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < des_key_bytes; ++i) word = word << 8 | bytes[i];
  return word;
}

// Returns 1 if the word is 0, and else 0, without a branch.
std::uint64_t is_zero(std::uint64_t word) { return 1 ^ ((word | (0 - word)) >> 63); }

std::uint64_t is_weak_des_key(std::uint64_t key) {
  std::uint64_t found = 0;
  for (const std::uint64_t weak : weak_des_keys) found |= is_zero((key ^ weak) & no_parity);
  return found;
}

std::string des_weakness(Bytes key) {
  std::uint64_t weak = 0, equal = 0;
  for (std::size_t i = 0; i < key.size(); i += des_key_bytes) {
    const std::uint64_t part = load_big_endian(&key[i]);
    weak |= is_weak_des_key(part);
    if (i > 0) equal |= is_zero((part ^ load_big_endian(&key[i - des_key_bytes])) & no_parity);
  }
  if (weak != 0) return "the key holds a weak or semi-weak DES key";
  return equal != 0 ? "two neighbouring DES keys of the key are equal" : "";
}

}  // namespace

std::string key_weakness(const NamedCipher& named, Bytes key) {
  if (named.cipher->family == CipherFamily::des) return des_weakness(key);
  return named.mode == Mode::xts && has_equal_halves(key) ? "the two halves of the XTS key are equal" : "";
}

}  // namespace phalanx

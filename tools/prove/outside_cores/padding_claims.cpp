// The check of a last block's padding, for all blocks of 8 and of 16 bytes.
//
// Here bytes, sizes and bool are recorded too: what the check answers depends on unknown bytes.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "claims.hpp"

namespace prove {

// A bool that may be unknown.
struct RecordedBool {
  RecordedBit bit;
  constexpr RecordedBool() = default;
  constexpr RecordedBool(bool known) : bit{known ? one : zero} {}  // NOLINT: as bool converts
  constexpr RecordedBool(RecordedBit unknown) : bit(unknown) {}    // NOLINT: as comparisons do
  constexpr explicit operator bool() const { return static_cast<bool>(bit); }
};

}  // namespace prove

namespace phalanx::std {
using uint8_t = ::prove::RecordedInteger<::std::uint8_t>;
using size_t = ::prove::RecordedInteger<unsigned long>;
inline string to_string(const size_t& number) { return ::std::to_string(number.known()); }
}  // namespace phalanx::std

#include <phalanx/catalog.hpp>
#define bool ::prove::RecordedBool
#include "files/foreign/padding.cpp"  // NOLINT: its functions are recorded
#undef bool

namespace prove {
namespace {

using phalanx::Padding;

Literal equals(const Signals& byte, unsigned value) {
  Literal all = one;
  for (std::size_t bit = 0; bit < 8; ++bit) {
    all = graph().and_of(all, (value >> bit & 1) != 0 ? byte[bit] : not_of(byte[bit]));
  }
  return all;
}

// Whether the last n bytes are the padding of n bytes.
Literal is_padding(Padding padding, const std::vector<Signals>& block, std::size_t n) {
  Literal all = one;
  for (std::size_t i = block.size() - n; i < block.size(); ++i) {
    const bool first = i == block.size() - n;
    const bool last = i + 1 == block.size();
    unsigned value = 0;
    if (padding == Padding::pkcs7 || (padding == Padding::x923 && last)) value = static_cast<unsigned>(n);
    if (padding == Padding::iso7816 && first) value = 0x80;
    all = graph().and_of(all, equals(block[i], value));
  }
  return all;
}

template <Padding padding, std::size_t block_bytes>
Recording check() {
  static phalanx::std::uint8_t bytes[block_bytes];
  std::vector<Signals> block;
  for (auto& byte : bytes) block.push_back(unknown_memory(&byte, 1));
  const phalanx::PaddingCheck found = phalanx::check_padding(padding, bytes);
  Recording recording{{found.valid.bit.signal}, {zero}};
  const Signals size = found.message_bytes.bits();
  recording.implementation.insert(recording.implementation.end(), size.begin(), size.end());
  // The longest that fits: only zeros may be of several lengths, of which none is one.
  Literal valid = padding == Padding::zero ? one : zero;
  Signals message(64, zero);
  if (padding == Padding::zero) {
    for (std::size_t bit = 0; bit < 64; ++bit) message[bit] = block_bytes >> bit & 1;
  }
  for (std::size_t n = 1; n <= block_bytes; ++n) {
    const Literal fits = is_padding(padding, block, n);
    valid = graph().or_of(valid, fits);
    for (std::size_t bit = 0; bit < 64; ++bit) {
      message[bit] = graph().choose(fits, (block_bytes - n) >> bit & 1, message[bit]);
    }
  }
  recording.specification = {valid};
  recording.specification.insert(recording.specification.end(), message.begin(), message.end());
  return recording;
}

template <Padding padding>
void add_claims(std::vector<Claim>& claims, const std::string& name) {
  claims.push_back({"padding." + name + ".8_bytes", check<padding, 8>});
  claims.push_back({"padding." + name + ".16_bytes", check<padding, 16>});
}

}  // namespace

std::vector<Claim> padding_claims() {
  std::vector<Claim> claims;
  add_claims<Padding::pkcs7>(claims, "pkcs7");
  add_claims<Padding::x923>(claims, "x923");
  add_claims<Padding::iso7816>(claims, "iso7816");
  add_claims<Padding::zero>(claims, "zero");
  return claims;
}

}  // namespace prove

#include <algorithm>
#include <cstdint>
#include <phalanx/files/padding.hpp>
#include <string>

namespace phalanx {
namespace {

struct NamedPadding {
  Padding padding;
  const char* name;
};

constexpr NamedPadding all_paddings[] = {
    {Padding::pkcs7, "pkcs7"},     {Padding::none, "none"}, {Padding::x923, "x923"},
    {Padding::iso7816, "iso7816"}, {Padding::zero, "zero"},
};

// A mask is all ones where its condition holds, and else zero. It is arithmetic, so that no branch depends on what is
// compared. The operands are below 2^31.
using Mask = std::uint32_t;
Mask mask_if_less(std::uint32_t left, std::uint32_t right) { return 0U - ((left - right) >> 31); }
Mask mask_if_zero(std::uint32_t value) { return mask_if_less(value, 1); }

// In pkcs7 and x923 the last byte is the length of the padding. The padding's other bytes equal it in pkcs7, and are zero in
// x923.
PaddingCheck check_counted(Bytes block, bool fill_is_count) {
  const auto size = static_cast<std::uint32_t>(block.size());
  const std::uint32_t count = block[size - 1];
  const std::uint32_t fill = fill_is_count ? count : 0;
  Mask wrong = mask_if_zero(count) | mask_if_less(size, count);
  for (std::uint32_t i = 0; i + 1 < size; ++i) {
    const Mask within_padding = mask_if_less(size - i, count + 1);
    wrong |= within_padding & ~mask_if_zero(block[i] ^ fill);
  }
  return {wrong == 0, (size - count) & ~wrong};
}

// In zero, the last byte that is not zero ends the message. In iso7816 that byte is the 0x80 behind the message.
PaddingCheck check_trailing_zeros(Bytes block, bool has_marker) {
  const auto size = static_cast<std::uint32_t>(block.size());
  std::uint32_t last_nonzero = 0;  // its value
  std::uint32_t end = 0;           // bytes up to and including it; 0 if there is none
  for (std::uint32_t i = 0; i < size; ++i) {
    const Mask nonzero = ~mask_if_zero(block[i]);
    last_nonzero = (last_nonzero & ~nonzero) | (block[i] & nonzero);
    end = (end & ~nonzero) | ((i + 1) & nonzero);
  }
  if (!has_marker) return {true, end};
  const Mask right = mask_if_zero(last_nonzero ^ 0x80U);
  return {right != 0, (end - 1) & right};
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

Padding parse_padding(std::string_view name) {
  std::string known;
  for (const NamedPadding& entry : all_paddings) {
    if (name == entry.name) return entry.padding;
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  throw Error(ErrorCode::usage, "unknown padding '" + std::string(name) + "'; choose one of " + known);
}

const char* padding_name(Padding padding) {
  const auto* const found = std::ranges::find(all_paddings, padding, &NamedPadding::padding);
  return found->name;
}

std::size_t pad_last_block(Padding padding, MutableBytes block, std::size_t used_bytes) {
  if (used_bytes == 0 && !can_check(padding)) return 0;
  const MutableBytes rest = block.subspan(used_bytes);
  const auto count = static_cast<std::uint8_t>(rest.size());
  std::ranges::fill(rest, std::uint8_t{0});
  switch (padding) {
    case Padding::pkcs7:
      std::ranges::fill(rest, count);
      break;
    case Padding::x923:
      rest.back() = count;
      break;
    case Padding::iso7816:
      rest.front() = 0x80;
      break;
    case Padding::zero:
      break;
    case Padding::none:
      throw Error(ErrorCode::usage, "the input is not whole blocks of " + std::to_string(block.size()) +
                                        " bytes (the last one holds " + std::to_string(used_bytes) +
                                        "), which padding 'none' needs; choose another padding or mode");
  }
  return block.size();
}

PaddingCheck check_padding(Padding padding, Bytes last_block) {
  switch (padding) {
    case Padding::pkcs7:
      return check_counted(last_block, true);
    case Padding::x923:
      return check_counted(last_block, false);
    case Padding::iso7816:
      return check_trailing_zeros(last_block, true);
    case Padding::zero:
      return check_trailing_zeros(last_block, false);
    case Padding::none:
      break;
  }
  return {true, last_block.size()};
}

std::size_t remove_padding(Padding padding, Bytes last_block) {
  const PaddingCheck check = check_padding(padding, last_block);
  if (!check.valid) {
    throw Error(ErrorCode::wrong_key, "padding does not check: wrong key, iv, cipher or padding, or damaged input");
  }
  return check.message_bytes;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

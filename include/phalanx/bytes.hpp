// This header has the types by which all of Phalanx takes memory of the caller.
#pragma once

#if __cplusplus < 202002L
#error "Phalanx needs C++20: compile with -std=c++20 or later"
#include <phalanx/version.h>

#include <phalanx/needs_cpp20>  // no such file exists, so that compilers say no more
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Memory that a call reads, or that it writes. It stays the caller's.
using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

/// Returns the memory of a text, without a zero byte behind it, such as a passphrase for a Recipient or an Identity. The
/// text must live as long.
[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

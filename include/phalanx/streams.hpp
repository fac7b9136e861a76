// This header has functions of the caller that take bytes in order, or give them from any place.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <functional>
#include <phalanx/bytes.hpp>

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Takes the next bytes of a container or a message, in order, and throws if it fails.
using Append = std::function<void(Bytes bytes)>;

/// Reads `out.size()` bytes at `offset` of a container or a message, and throws if it fails.
using ReadAt = std::function<void(std::uint64_t offset, MutableBytes out)>;

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

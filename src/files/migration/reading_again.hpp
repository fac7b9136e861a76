// Looking at an old file once more, after all of it was read.
#pragma once

#include <cstdint>
#include <functional>

#include "files/foreign/message_plan.hpp"
#include "files/pipeline/piece.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Decrypts what begins at `start`, a piece of 1 MiB after another, in this process alone, until there is no more or `look`
/// has seen enough and returns false. The input, which can seek, stands where it stood before. Throws as ForeignMessage and
/// its stages do.
void read_again(const MessagePlan& plan, Bytes secret, Bytes derived, Input& input, std::uint64_t start,
                const std::function<bool(Piece&)>& look);

}  // namespace phalanx

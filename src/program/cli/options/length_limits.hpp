// This warns of messages that are longer than their standard lets one key, or one data unit, be.
#pragma once

#include <cstdint>
#include <string>

#include "files/foreign/message_plan.hpp"

namespace phalanx {

/// Returns the warning about a message of so many bytes, or "" for most:
/// - more than 2^20 blocks that are encrypted under one triple-DES key (SP 800-67 revision 2, section 3.1)
/// - one data unit of XTS of more than 2^20 blocks (IEEE 1619-2018 section 5.1)
[[nodiscard]] std::string length_warning(const MessagePlan& plan, std::uint64_t message_bytes);
void warn_of_length(const MessagePlan& plan, std::uint64_t message_bytes, bool quiet);

}  // namespace phalanx

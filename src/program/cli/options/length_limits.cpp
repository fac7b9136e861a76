#include "program/cli/options/length_limits.hpp"

#include <fmt/format.h>

#include <string_view>

#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t most_triple_des_blocks = std::uint64_t{1} << 20;

// A volume may have been cut within a sector, of which ciphertext stealing takes any length (IEEE 1619, section 5.3).
std::string cut_warning(const MessagePlan& plan, std::uint64_t message_bytes) {
  const std::uint64_t sector_bytes = plan.job.sectors.sector_bytes;
  const std::uint64_t rest_bytes = sector_bytes == 0 ? 0 : message_bytes % sector_bytes;
  const std::uint64_t stolen_bytes = rest_bytes % plan.cipher.block_bytes;
  if (stolen_bytes == 0 || plan.job.direction == Direction::encrypt) return "";
  return fmt::format(
      "warning: the last sector has {} of {} bytes: if its end was cut off, the last {} bytes of the output "
      "are noise",
      rest_bytes, sector_bytes, plan.cipher.block_bytes + stolen_bytes);
}

}  // namespace

std::string length_warning(const MessagePlan& plan, std::uint64_t message_bytes) {
  const bool triple = std::string_view(plan.cipher.name).starts_with("des-ede");
  const bool encrypting = plan.job.direction == Direction::encrypt;
  if (triple && encrypting && message_bytes / plan.cipher.block_bytes > most_triple_des_blocks) {
    return "warning: more than 2^20 blocks (8 MiB) under one triple-DES key; SP 800-67 asks for a new key before that";
  }
  if (!is_long_unit(plan.job, message_bytes)) return "";
  return "warning: this is one data unit of XTS of more than 2^20 blocks (16 MiB), which IEEE 1619 and SP 800-38E forbid; " +
         std::string(encrypting ? "it was begun so, and is finished" : "it is read, and would not be written so any more");
}

void warn_of_length(const MessagePlan& plan, std::uint64_t message_bytes, bool quiet) {
  for (const std::string& warning : {length_warning(plan, message_bytes), cut_warning(plan, message_bytes)}) {
    if (!warning.empty()) print_note(warning, quiet);
  }
}

}  // namespace phalanx

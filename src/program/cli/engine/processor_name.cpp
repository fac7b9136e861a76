#include "program/cli/engine/processor_name.hpp"

#include <fmt/format.h>

#include <fstream>

namespace phalanx {
namespace {

constexpr const char* unknown = "unknown";

// Returns a field of the first processor in /proc/cpuinfo; "unknown" where it is not there.
std::string cpu_field(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || !line.starts_with(name)) continue;
    if (line.find_first_not_of(" \t", name.size()) == line.find(':')) return line.substr(colon + 2);
  }
  return unknown;
}

// Linux names Arm's processors by numbers alone (MIDR_EL1).
std::string arm_processor_name() {
  return fmt::format("Arm, implementer {} part {} variant {} revision {}", cpu_field("CPU implementer"),
                     cpu_field("CPU part"), cpu_field("CPU variant"), cpu_field("CPU revision"));
}

}  // namespace

std::string processor_name() {
  if (cpu_field("model name") == unknown && cpu_field("CPU implementer") != unknown) return arm_processor_name();
  return fmt::format("{}, family {} model {}", cpu_field("model name"), cpu_field("cpu family"), cpu_field("model"));
}

}  // namespace phalanx

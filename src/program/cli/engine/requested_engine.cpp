#include "program/cli/engine/requested_engine.hpp"

#include <cstdlib>

namespace phalanx {

std::string requested_engine(std::string_view name) {
  if (!name.empty()) return std::string(name);
  const char* from_environment = std::getenv("PHALANX_ENGINE");
  return from_environment != nullptr && *from_environment != '\0' ? from_environment : "auto";
}

}  // namespace phalanx

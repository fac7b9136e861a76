// These options say how much a command prints about its work, and how.
#pragma once

#include <string>

namespace phalanx {

struct MessageOptions {
  bool verbose = false;
  bool quiet = false;
  std::string progress = "auto";
};

}  // namespace phalanx

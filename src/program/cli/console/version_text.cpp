#include "program/cli/console/version_text.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <commit_text.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/options.hpp>

namespace phalanx {

std::string version_text() {
  std::string of_cpu;
  std::string cuda = "none";
  for (const EngineInfo& engine : engines()) {
    if (engine.name.starts_with("cuda")) {
      cuda = engine.usable ? engine.description : engine.reason;
    } else if (engine.usable) {
      of_cpu += (of_cpu.empty() ? "" : ", ") + engine.name;
    }
  }
  return fmt::format("phalanx {}\ncommit: {}\nengines: {}\nlibcrypto: {}\nCUDA: {}", version(), PHALANX_COMMIT, of_cpu,
                     OpenSSL_version(OPENSSL_VERSION), cuda);
}

}  // namespace phalanx

// This header lists what this build has: ciphers in their modes, engines, the version. Any thread may call any of it.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Says what is true of a cipher in a mode, under any key. Sizes are in bytes.
struct CipherFacts {
  std::string name;           ///< canonical: "des-ede3-cbc"
  std::string cipher;         ///< "des-ede3"; "xaes-256" for "xaes-256-gcm", which cipher_names does not have
  std::string mode;           ///< "cbc"
  std::size_t key_bytes = 0;  ///< bytes of both keys for XTS
  std::size_t block_bytes = 0;
  std::size_t iv_bytes = 0;     ///< 0 for ECB, 12 for GCM, 24 for xaes-256-gcm, else the block
  std::size_t tag_bytes = 0;    ///< 16 for GCM, else 0
  bool encrypts_parts = false;  ///< Cipher::encrypt_part can crypt any part of a message
  bool decrypts_parts = false;
};

/// Returns the facts of a cipher in a mode. The case of `name` is ignored, and "3des" is "des-ede3". The facts stay valid
/// for ever. Throws Error (usage), which lists the names, for an unknown one.
[[nodiscard]] const CipherFacts& cipher_facts(std::string_view name);
[[nodiscard]] std::span<const CipherFacts> all_cipher_facts();

/// Return the name of every cipher without a mode ("des", "2des", ..., "twofish-256"), and the name of every mode.
[[nodiscard]] std::vector<std::string> cipher_names();
[[nodiscard]] std::vector<std::string> mode_names();

/// Returns every engine that this build knows, usable here or not.
[[nodiscard]] std::vector<EngineInfo> engines();

/// Runs a known answer of every cipher and mode through the named engine. Throws Error: runtime, naming the first that
/// fails; usage, if the engine is unknown or cannot run here.
void self_test(std::string_view engine_name);

/// Returns the version of the library, "1.2.3".
[[nodiscard]] const char* version();

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// What this build has: ciphers in their modes, engines, the version. Any thread may call any of it.
#pragma once

#if __cplusplus < 202002L
#error "Phalanx needs C++20: compile with -std=c++20 or later"
#include <phalanx/needs_cpp20>  // which is not there, so that compilers say no more
#endif

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <phalanx/error.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

/// What is true of a cipher in a mode, under any key. Sizes are in bytes.
struct CipherFacts {
  std::string name;           ///< canonical: "des-ede3-cbc"
  std::string cipher;         ///< "des-ede3"; of "xaes-256-gcm" it is "xaes-256", which cipher_names does not have
  std::string mode;           ///< "cbc"
  std::size_t key_bytes = 0;  ///< of both keys for XTS
  std::size_t block_bytes = 0;
  std::size_t iv_bytes = 0;     ///< 0 for ECB, 12 for GCM, 24 for xaes-256-gcm, else the block
  std::size_t tag_bytes = 0;    ///< 16 for GCM, else 0
  bool encrypts_parts = false;  ///< Cipher::encrypt_part can crypt any part of a message
  bool decrypts_parts = false;
};

/// The case of `name` is ignored, and "3des" is "des-ede3". The facts stay valid for ever. Throws Error (usage), which lists
/// the names, for an unknown one.
[[nodiscard]] const CipherFacts& cipher_facts(std::string_view name);
[[nodiscard]] std::span<const CipherFacts> all_cipher_facts();

/// Every cipher's name without a mode ("des", "2des", ..., "twofish-256"), and every mode's.
[[nodiscard]] std::vector<std::string> cipher_names();
[[nodiscard]] std::vector<std::string> mode_names();

/// Where and how wide to run, and what is allowed that new data does not need. Nothing falls back silently: naming an
/// engine that cannot run here is an Error (usage).
struct Options {
  /// "cpu", "cpu:avx2", "cuda", ... Empty and "auto" mean the best of the CPU's: how much is to come, and so whether a GPU
  /// would be faster, no call knows.
  std::string engine{};
  int num_threads = 0;  ///< 0: all cores that this process may use
  /// Lets Cipher and DeviceCipher encrypt with DES, 2DES and 3DES in any mode, and with any cipher in ECB: without it they
  /// throw Error (policy) when they are asked to. Decrypting needs no permission. NIST has withdrawn triple DES for
  /// encryption (SP 800-131A revision 2), and ECB shows which blocks are equal.
  bool allow_legacy = false;
  /// Lets an Aead take nonces of any size from 1 byte, to seal and to open, where the other side has such. Without it a
  /// nonce has 12 bytes, as SP 800-38D section 5.2.1.1 recommends; another is an Error (usage).
  bool any_nonce_size = false;
};

/// One engine or kernel, as `phalanx engines` shows it.
struct EngineInfo {
  std::string name;         ///< what Options::engine takes
  std::string description;  ///< the instructions or the device behind it
  bool usable = false;
  std::string reason;  ///< why it is not usable here; empty if it is
};

/// Every engine that this build knows, usable here or not.
[[nodiscard]] std::vector<EngineInfo> engines();

/// Runs a known answer of every cipher and mode through the named engine. Throws Error: runtime, naming the first that
/// fails; usage, if the engine is unknown or cannot run here.
void self_test(std::string_view engine_name);

/// The version of the library, "1.2.3".
[[nodiscard]] const char* version();

}  // namespace phalanx
#pragma GCC visibility pop

namespace phalanx {

/// The memory of a text, without a zero byte behind it, such as a passphrase for a Recipient or an Identity. The text must
/// live as long.
[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace phalanx

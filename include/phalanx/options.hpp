// Engines: which one runs, how wide, and what it may do.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace phalanx {

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

}  // namespace phalanx
#pragma GCC visibility pop

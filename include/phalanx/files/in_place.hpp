// This header overwrites files with their own encryption or decryption, of the same length. Nothing authenticates them.
// phalanx.hpp has the conventions.
//
// While a run changes a file, FILE.phalanx-journal lies beside it, and a mark on the file (an extended attribute) leads
// there. If the run is killed, the same call goes on: by this library, or by `phalanx raw --in-place` with the same cipher,
// iv and key. Do not rename, copy back or change the file meanwhile: the next call sees it, and refuses. Once a call has
// returned, the same call would crypt the file a second time.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <phalanx/cipher.hpp>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/foreign.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// The spans are the caller's memory.
struct InPlaceFormat {
  std::string cipher{};    ///< "aes-256-xts", any mode but GCM; in ECB and CBC the file has whole blocks
  Bytes key{};             ///< cipher_facts(cipher).key_bytes bytes
  Bytes iv{};              ///< empty for ECB and sectors
  SectorLayout sectors{};  ///< XTS only
};

struct InPlaceOptions {
  bool allow_unmarked = false;  ///< go on where the file has no room for the mark; else that is an Error (runtime)
  bool any_device = false;      ///< go on though the file's device has another number, as after a restart of the machine
  OnProgress on_progress{};     ///< is told of the bytes that an earlier run has done, too
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  CipherPolicy policy{};
};

struct CryptedInPlace {
  std::uint64_t file_bytes = 0;
  std::uint64_t resumed_bytes = 0;  ///< of those, the bytes that an earlier run had done
  std::string warning{};            ///< why the file had no mark, and what follows; "" if it had
};

/// Crypt the regular file at `path` in place; symbolic links are followed. These errors change nothing:
/// - usage: it is no regular file, has hard links, another run is at work on it, or the mode does not take its length
/// - format: the file, or its journal, is not as the stopped run left it
/// - wrong_key: the journal is another key's
/// - policy: as for Cipher::encrypt
/// After Error (runtime), and after a cancellation, the same call goes on.
[[nodiscard]] CryptedInPlace encrypt_in_place(const std::string& path, const InPlaceFormat& format,
                                              const InPlaceOptions& options = {});
[[nodiscard]] CryptedInPlace decrypt_in_place(const std::string& path, const InPlaceFormat& format,
                                              const InPlaceOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// Files that are overwritten with their own encryption or decryption, of the same length. Nothing authenticates them.
// phalanx.hpp has the conventions.
//
// While a file is at work, FILE.phalanx-journal lies beside it, and a mark on the file (an extended attribute) leads there.
// If the run is killed, the same call goes on: by this library, or by `phalanx raw --in-place` with the same cipher, iv and
// key. Do not rename, copy back or change the file meanwhile: that is seen, and refused. Once a call has returned, the same
// call would crypt the file a second time.
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
  OnProgress on_progress{};     ///< hears of what an earlier run has done, too
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  CipherPolicy policy{};
};

struct CryptedInPlace {
  std::uint64_t file_bytes = 0;
  std::uint64_t resumed_bytes = 0;  ///< of those, what this call found done
  std::string warning{};            ///< why the file had no mark, and what follows; "" if it had
};

/// Crypts the regular file at `path` (links are followed) where it lies. Throws Error, and changes nothing: usage if it is
/// none, has hard links, is at work by another run, or has a length that the mode does not take; format if it, or its
/// journal, is not as the run that was stopped left it; wrong_key where the journal is another key's; policy as
/// Cipher::encrypt. After Error (runtime), and after a cancellation, the same call goes on.
[[nodiscard]] CryptedInPlace encrypt_in_place(const std::string& path, const InPlaceFormat& format,
                                              const InPlaceOptions& options = {});
[[nodiscard]] CryptedInPlace decrypt_in_place(const std::string& path, const InPlaceFormat& format,
                                              const InPlaceOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// From files of old ciphertext to containers. phalanx.hpp has the conventions. IN and OUT are the files' paths; links are
// followed. Any number of threads may work on different files at once.
#pragma once

#include <cstdint>
#include <phalanx/cancellation.hpp>
#include <phalanx/container.hpp>
#include <phalanx/foreign.hpp>
#include <phalanx/verification.hpp>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {

struct MigrationOptions {
  bool verify = true;    ///< read OUT back before it gets its name, and compare both plaintexts
  bool replace = false;  ///< replace a file that has OUT's name; else that is an Error (usage)
  bool resume = false;   ///< go on with the OUT.phalanx-partial of a run that was killed, and keep it if this one fails
  OnProgress on_progress{};
  Options engine{};
  const Cancellation* cancellation = nullptr;
};

struct Migrated {
  std::uint64_t source_bytes = 0;     ///< of IN
  std::uint64_t container_bytes = 0;  ///< of OUT
  std::string sha256;                 ///< of the plaintext, in hex; empty if it was not verified
  std::string digest;                 ///< as ForeignReader::digest
  /// Why the old key may be wrong and the plaintext garbage. Empty if something vouches for it: the plaintext is text
  /// wherever it is looked at, a PNG image whose sums are right, begins as a known kind does and is padded in CBC, or has
  /// enough padding. One byte is not enough: a wrong key gives it in one of 256 files. Keep the original of a doubtful file.
  std::string doubt;
};

/// Decrypts IN and seals it as OUT in one pass, and makes OUT durable. OUT appears only once it is complete; IN stays as it
/// is. Throws Error: what ForeignReader throws about IN; runtime if IN changed meanwhile or a disk fails; authentication if
/// OUT does not read back as it was written. What was begun is then removed, unless `resume` keeps it.
Migrated migrate_file(const std::string& in, const ForeignFormat& format, const std::string& out, std::string_view suite,
                      std::span<const Recipient> recipients, const MigrationOptions& options = {});

}  // namespace phalanx
#pragma GCC visibility pop

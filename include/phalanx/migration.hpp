// Files from old ciphertext into containers, and reading containers through. phalanx.hpp has the conventions. Paths are the system's;
// links in them are followed. Any number of threads may work on different files at once.
#pragma once

#include <cstdint>
#include <functional>
#include <phalanx/container.hpp>
#include <phalanx/old_data.hpp>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace phalanx {

/// Told after each piece how many bytes it had, of what is read; by any thread, one at a time.
using OnProgress = std::function<void(std::uint64_t num_bytes)>;

struct MigrationOptions {
  bool verify = true;    ///< read OUT back before it gets its name, and compare SHA-256
  bool replace = false;  ///< a file that has OUT's name. Else that is an Error (usage)
  bool resume = false;   ///< go on with the OUT.phalanx-partial of a run that was killed, and keep it if this one fails
  OnProgress on_progress{};
  Options engine{};
};

struct Migrated {
  std::uint64_t old_bytes = 0;        ///< of IN
  std::uint64_t container_bytes = 0;  ///< of OUT
  std::string sha256;                 ///< of the plaintext, in hex; empty if it was not verified
  std::string digest;                 ///< of the passphrase, as OldReader has it
  /// Why the old key may have been a wrong one, so that the plaintext is garbage; empty where it is vouched for: by its padding (of
  /// one byte in 256 files that is chance), or because it is text or of a known kind. Of a doubtful file never remove the original.
  std::string doubt;
};

/// Decrypts IN and seals it as OUT in one pass, and makes OUT durable. OUT appears only once it is complete. IN stays as it is. Throws
/// Error: what OldReader throws of IN; runtime where IN changed meanwhile, or a disk fails; authentication where OUT does not read
/// back as it was written. What was begun is then removed, but for `resume`.
Migrated migrate_file(const std::string& in, const OldFormat& format, const std::string& out, std::string_view suite,
                      std::span<const Recipient> recipients, const MigrationOptions& options = {});

struct Verified {
  std::uint64_t plain_bytes = 0;
  std::string sha256;  ///< of the plaintext, in hex
};

/// Opens a container and authenticates all of it. Throws as ContainerReader does.
Verified verify_container(const std::string& path, std::span<const Identity> identities, const CostLimits& limits = {},
                          const OnProgress& on_progress = {}, const Options& options = {});

}  // namespace phalanx
#pragma GCC visibility pop

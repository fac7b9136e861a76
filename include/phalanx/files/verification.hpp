// This header reads containers to their end, and writes nothing: one container, many, and trees of them. phalanx.hpp has the
// conventions.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <functional>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

struct Verified {
  std::uint64_t plain_bytes = 0;
  std::string sha256{};  ///< of the plaintext, in hex, where the options ask for it
};

/// This says what became of a file that was to be verified.
enum class VerifiedAs : std::uint8_t { authentic = 1, failed = 2, skipped = 3 };

/// This is the result of one file.
struct FileVerification {
  std::string path{};
  VerifiedAs outcome = VerifiedAs::authentic;
  ErrorCode code = ErrorCode::runtime;  ///< set for one that failed
  std::string why{};                    ///< why it failed or was skipped, in a line
  Verified verified{};                  ///< set for an authentic one
};

/// This is called for each file once it is done. If it throws, the call ends.
using OnVerified = std::function<void(const FileVerification&)>;

struct VerificationOptions {
  bool sha256 = false;  ///< compute SHA-256 of each plaintext, which takes longer than to authenticate it
  CostLimits limits{};  ///< for each container
  Binding binding{};    ///< names are those of files, and below a folder that is named their paths there
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  /// Syncs each container, and reads it from its disk, not from the system's memory. Where that fails, so does the
  /// container (runtime).
  bool from_disk = false;
};

/// Opens a container and authenticates all of it. Throws as ContainerReader does when it opens and reads, and Error
/// (runtime) where it is cancelled.
[[nodiscard]] Verified verify_container(const std::string& path, std::span<const Identity> identities,
                                        const VerificationOptions& options = {});

/// These are the numbers of files that a call of verify_containers has found authentic, failed at, and skipped.
struct VerificationCounts {
  std::uint64_t num_authentic = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;
};

/// Verifies every container among these files, and below these folders, one after the other. No symbolic link in a folder is
/// followed. A file that is named, or that is called NAME.phalanx, fails if it is no container. Any other file in a folder
/// is skipped, and so are files that a stopped run has left. Nothing is told of .phalanx-tree. A key is tried if it has the
/// length of the container's suite. A failure of one file is told, and the others go on. Throws Error (runtime) where it is
/// cancelled.
[[nodiscard]] VerificationCounts verify_containers(std::span<const std::string> paths, std::span<const Identity> identities,
                                                   const OnVerified& on_verified, const VerificationOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// Containers that are read to their end, and of which nothing is written: one, many, and trees of them. phalanx.hpp has the
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
  std::string sha256{};  ///< of the plaintext, in hex, where it was asked for
};

/// What became of a file that was verified.
enum class VerifiedAs : std::uint8_t { authentic = 1, failed = 2, skipped = 3 };

/// What became of one file.
struct FileVerification {
  std::string path{};
  VerifiedAs outcome = VerifiedAs::authentic;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why{};                    ///< it failed or was skipped, in a line
  Verified verified{};                  ///< of an authentic one
};

/// Called for each file once it is done. What it throws ends the call.
using OnVerified = std::function<void(const FileVerification&)>;

struct VerificationOptions {
  bool sha256 = false;  ///< of each plaintext, which takes longer than to authenticate it
  CostLimits limits{};  ///< of each container
  Binding binding{};    ///< names are those of files, and below a folder that is named their paths there
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  bool from_disk = false;  ///< sync each container, and read it from its disk, not from the system's memory; what cannot be
                           ///< read so fails (runtime)
};

/// Opens a container and authenticates all of it. Throws as ContainerReader does when it opens and reads, and Error
/// (runtime) where it is cancelled.
[[nodiscard]] Verified verify_container(const std::string& path, std::span<const Identity> identities,
                                        const VerificationOptions& options = {});

/// How many files a call of verify_containers has found authentic, failed at, and skipped.
struct VerificationCounts {
  std::uint64_t num_authentic = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;
};

/// Verifies every container among these files, and below these folders, one after the other; no link in a folder is
/// followed. A file that is named, or that is called NAME.phalanx, fails if it is no container; any other in a folder is
/// skipped, and so are files that a run which was stopped has left; nothing is told of .phalanx-tree. Of the keys those are
/// tried that have the length of the container's suite. Throws Error (runtime) where it is cancelled; what is wrong with a
/// file is told, and the others go on.
[[nodiscard]] VerificationCounts verify_containers(std::span<const std::string> paths, std::span<const Identity> identities,
                                                   const OnVerified& on_verified, const VerificationOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// Files that all ranks open, each by itself: they must find the same.
#pragma once

#include <string>

#include "cluster/job_codec.hpp"
#include "files/file_descriptor.hpp"
#include "files/output/atomic_file.hpp"

namespace phalanx {

/// Opens what put_file has described, with flags of open(2). Throws Error (runtime) if it is another one, no regular file,
/// or cannot be opened.
[[nodiscard]] FileDescriptor open_shared(JobDecoder& job, int flags, std::string& path);

/// For a file that is open; its path made absolute. False if the path does not lead to it: standard input, say.
[[nodiscard]] bool put_file(JobEncoder& job, int descriptor, const std::string& path);

/// Holds its lock together with the other ranks. Throws Error (usage) where another run holds it.
void share_written(int descriptor, const std::string& path);

/// put_file for the file that a run writes, whose lock the ranks hold together from now on: one that outlives rank 0,
/// because that was killed, keeps the next run away until its own last byte is written. Throws as share_written does.
[[nodiscard]] bool put_written(JobEncoder& job, const WrittenFile& file);

}  // namespace phalanx

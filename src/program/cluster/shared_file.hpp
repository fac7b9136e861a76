// Files that all ranks open, each by itself: they must find the same, and it is proved to them that they have.
#pragma once

#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/atomic_file.hpp"
#include "program/cluster/job_codec.hpp"

namespace phalanx {

/// Opens what put_file has described, with flags of open(2). Throws Error (runtime) if it is another one, no regular file,
/// or cannot be opened.
[[nodiscard]] FileDescriptor open_shared(JobDecoder& job, int flags, std::string& path);

/// For a file that is open; its path made absolute. False if the path does not lead to it: standard input, say.
[[nodiscard]] bool put_file(JobEncoder& job, int descriptor, const std::string& path);

/// Holds its lock together with the other ranks. Throws Error (usage) where another run holds it.
void share_written(int descriptor, const std::string& path);

/// Puts the file that a run writes, as put_file does. From now on the ranks hold its lock together. If rank 0 is
/// killed, a rank that outlives it keeps the next run away until its own last byte is written. Throws as share_written
/// does.
[[nodiscard]] bool put_written(JobEncoder& job, const WrittenFile& file);

/// That two names are of one file: an inode number and a size may be alike on two disks. Rank 0 puts the times of IN and a
/// digest of places in it, under a key that it draws for this job.
void put_input_proof(JobEncoder& job, int descriptor, const std::string& path);
/// Throws Error (runtime) where what `descriptor` has, opened by this rank's own name, is another or was changed.
void check_input_proof(JobDecoder& job, int descriptor, const std::string& path);

/// Random bytes that rank 0 has written into the file that all write, and no piece overwrites.
struct FileMark {
  std::uint64_t position = 0;
  SecretBytes bytes{};
};
/// Writes them behind its end: whoever finishes the file cuts it there.
void put_mark(JobEncoder& job, WrittenFile& file);
/// Takes the bytes that stand before `end` as the mark. In a container with records these are its salt and commitment.
/// Behind its pieces a later run must find nothing that has no record.
void put_mark_before(JobEncoder& job, const WrittenFile& file, std::uint64_t end);
[[nodiscard]] FileMark read_mark(JobDecoder& job);
/// Throws Error (runtime) where it is not in what `descriptor` has, opened by this rank's own name.
void check_mark(const FileMark& mark, int descriptor, const std::string& path);

/// Rank 0 checks by this part of a rank's writes that they came to the file that it has itself. A mark does not show
/// that. Some file systems keep each machine's writes to that machine alone, and the mark is found there, too.
struct WrittenSample {
  std::uint64_t position = 0;
  SecretBytes bytes{};  ///< none where nothing was written
};
/// Takes a sample out of a write. It has a byte that is not zero, where the write has one, since zeros may have stood
/// in the file before. It lies in the middle, if it can, far from the writes of other ranks.
[[nodiscard]] WrittenSample sample_of(Bytes in, std::uint64_t position);
void put_sample(JobEncoder& result, const WrittenSample& sample);
/// Throws Error (runtime) where it is not in `file`; nullptr: the run writes none.
void check_sample(JobDecoder& result, const WrittenFile* file);

/// Throws Error (runtime) where two files that lie side by side are of two file systems here.
void check_same_file_system(int descriptor, int other, const std::string& path);

}  // namespace phalanx

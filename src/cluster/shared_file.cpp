#include "cluster/shared_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "files/file_identity.hpp"

namespace phalanx {

bool put_file(JobEncoder& job, int descriptor, const std::string& path) {
  std::error_code error;
  const std::string whole_path = std::filesystem::absolute(path, error).string();
  struct stat status {};
  struct stat there {};
  if (error || fstat(descriptor, &status) != 0 || ::stat(whole_path.c_str(), &there) != 0) return false;
  if (!S_ISREG(status.st_mode) || FileIdentity(status) != FileIdentity(there)) return false;
  job.put(whole_path);
  job.put(static_cast<std::uint64_t>(status.st_ino));
  job.put(static_cast<std::uint64_t>(status.st_size));
  return true;
}

void share_written(int descriptor, const std::string& path) {
  if (!share_lock(descriptor, path)) throw Error(ErrorCode::usage, path + " is in use: another run is writing it");
}

bool put_written(JobEncoder& job, const WrittenFile& file) {
  if (!put_file(job, file.descriptor(), file.partial_path())) return false;
  share_written(file.descriptor(), file.partial_path());
  return true;
}

// Another machine may give the file's disk another number.
FileDescriptor open_shared(JobDecoder& job, int flags, std::string& path) {
  path = job.text();
  const std::uint64_t inode = job.number();
  const std::uint64_t num_bytes = job.number_up_to(most_job_bytes);
  if (path.find('\0') != std::string::npos) JobDecoder::refuse();
  FileDescriptor file = open_file(path, flags | O_NONBLOCK);  // what is no file must not make us wait
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw_system_error("open", path);
  const bool is_large_enough = S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) >= num_bytes;
  if (is_large_enough && status.st_ino == inode) return file;
  throw Error(ErrorCode::runtime,
              path + " is another file here, or older: all ranks need one file system, which shows each what others wrote");
}

}  // namespace phalanx

#include "pipeline/piece_job.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bytes/byte_order.hpp"
#include "files/file_descriptor.hpp"
#include "files/file_identity.hpp"
#include "files/output/atomic_file.hpp"

namespace phalanx {
namespace {

constexpr std::size_t first_memory_bytes = 512;

WorkerGroup* workers_of_process = nullptr;

}  // namespace

WorkerGroup* WorkerGroup::of_process() { return workers_of_process; }
void WorkerGroup::set_of_process(WorkerGroup* workers) { workers_of_process = workers; }

void JobEncoder::append(Bytes bytes) {
  if (size_ + bytes.size() > memory_.size()) {
    SecretBytes larger(std::max(first_memory_bytes, 2 * (size_ + bytes.size())));
    std::copy_n(memory_.begin(), size_, larger.begin());
    memory_ = std::move(larger);
  }
  std::ranges::copy(bytes, memory_.begin() + size_);
  size_ += bytes.size();
}

void JobEncoder::put(std::uint64_t number) {
  std::uint8_t bytes[sizeof number];
  store_u64(bytes, number);
  append(bytes);
}

void JobEncoder::put(Bytes bytes) {
  put(static_cast<std::uint64_t>(bytes.size()));
  append(bytes);
}

void JobDecoder::refuse() { throw Error(ErrorCode::runtime, "a part of a job came in another form than ours"); }

Bytes JobDecoder::take(std::size_t size) {
  if (size > rest_.size()) JobDecoder::refuse();
  const Bytes taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::uint64_t JobDecoder::number() { return load_u64(take(sizeof(std::uint64_t)).data()); }

std::uint64_t JobDecoder::number_up_to(std::uint64_t most) {
  const std::uint64_t found = number();
  if (found > most) refuse();
  return found;
}

bool JobDecoder::flag() { return number_up_to(1) != 0; }

ErrorCode JobDecoder::error_code() {
  const ErrorCode code = choice(ErrorCode::policy);
  if (code < ErrorCode::runtime) refuse();
  return code;
}

Bytes JobDecoder::bytes_of(std::size_t size) {
  const Bytes found = bytes();
  if (found.size() != size) refuse();
  return found;
}

void JobDecoder::finish() const {
  if (!rest_.empty()) refuse();
}

Bytes JobDecoder::bytes() {
  const std::uint64_t size = number();
  if (size > rest_.size()) JobDecoder::refuse();
  return take(static_cast<std::size_t>(size));
}

std::string JobDecoder::text() {
  const Bytes text = bytes();
  return {text.begin(), text.end()};
}

bool describe_file(JobEncoder& job, int descriptor, const std::string& path) {
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

bool describe_written(JobEncoder& job, const WrittenFile& file) {
  if (!describe_file(job, file.descriptor(), file.partial_path())) return false;
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

#include "program/cluster/shared_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "engine/host/host.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {
namespace {

constexpr std::size_t seed_bytes = 32, digest_bytes = 64, mark_bytes = 32;
constexpr std::size_t place_bytes = 64, num_places = 32;
constexpr std::size_t places_of_block = digest_bytes / sizeof(std::uint64_t);

[[noreturn]] void throw_another(const std::string& path) {
  throw Error(ErrorCode::runtime, path +
                                      " is another file here, older, or was changed: all ranks need one file system, which "
                                      "shows each what others wrote");
}

struct stat status_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_system_error("look at", path);
  return status;
}

// Where `num_bytes` have places: its beginning, its end, and others that nobody knows before there is a seed.
std::vector<std::uint64_t> places_in(std::uint64_t num_bytes, Bytes seed) {
  std::vector<std::uint64_t> places{0, num_bytes - place_bytes};
  std::array<std::uint8_t, digest_bytes> drawn{};
  for (std::uint64_t i = 0; i < num_places; ++i) {
    if (i % places_of_block == 0) {
      std::array<std::uint8_t, sizeof i> number{};
      store_u64(number.data(), i);
      compute_hmac_sha512(seed, number, drawn);
    }
    const std::uint64_t any = load_u64(drawn.data() + i % places_of_block * sizeof(std::uint64_t));
    places.push_back(any % (num_bytes - place_bytes + 1));
  }
  return places;
}

// Digests places of the file, or all of it where it is no longer than the places together.
std::vector<std::uint8_t> digest_of_places(int descriptor, std::uint64_t num_bytes, Bytes seed, const std::string& path) {
  const bool is_small = num_bytes <= place_bytes * num_places;
  const std::size_t size = is_small ? static_cast<std::size_t>(num_bytes) : place_bytes;
  const std::vector<std::uint64_t> places = is_small ? std::vector<std::uint64_t>{0} : places_in(num_bytes, seed);
  SecretBytes content(size * places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    static_cast<void>(read_at(descriptor, MutableBytes(content).subspan(i * size, size), places[i], path));
  std::vector<std::uint8_t> digest(digest_bytes);
  compute_hmac_sha512(seed, content, digest);
  return digest;
}

// On to the server, where there is one: other machines ask that.
void put_written_mark(JobEncoder& job, const WrittenFile& file, std::uint64_t position, Bytes mark) {
  constexpr unsigned there = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  static_cast<void>(sync_file_range(file.descriptor(), static_cast<off_t>(position), mark_bytes, there));
  job.put(position);
  job.put(mark);
}

}  // namespace

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
  throw_another(path);
}

// The time last here and first there: what another program does to IN meanwhile is told by rank 0 at the end.
void put_input_proof(JobEncoder& job, int descriptor, const std::string& path) {
  const auto num_bytes = static_cast<std::uint64_t>(status_of(descriptor, path).st_size);
  std::array<std::uint8_t, seed_bytes> seed{};
  fill_random(seed);
  const std::vector<std::uint8_t> digest = digest_of_places(descriptor, num_bytes, seed, path);
  const timespec modified = status_of(descriptor, path).st_mtim;
  job.put(num_bytes);
  job.put(static_cast<std::uint64_t>(modified.tv_sec));
  job.put(static_cast<std::uint64_t>(modified.tv_nsec));
  job.put(Bytes(seed));
  job.put(Bytes(digest));
}

// A file that has grown may have another time by now, but must have the same bytes.
void check_input_proof(JobDecoder& job, int descriptor, const std::string& path) {
  const struct stat status = status_of(descriptor, path);
  const std::uint64_t num_bytes = job.number_up_to(most_job_bytes), seconds = job.number(), nanoseconds = job.number();
  const Bytes seed = job.bytes_of(seed_bytes), digest = job.bytes_of(digest_bytes);
  const bool has_grown = static_cast<std::uint64_t>(status.st_size) > num_bytes;
  const bool has_time = static_cast<std::uint64_t>(status.st_mtim.tv_sec) == seconds &&
                        static_cast<std::uint64_t>(status.st_mtim.tv_nsec) == nanoseconds;
  if (!has_grown && !has_time) throw_another(path);
  if (!std::ranges::equal(digest_of_places(descriptor, num_bytes, seed, path), digest)) throw_another(path);
}

void put_mark(JobEncoder& job, WrittenFile& file) {
  const auto position = static_cast<std::uint64_t>(status_of(file.descriptor(), file.partial_path()).st_size);
  std::array<std::uint8_t, mark_bytes> mark{};
  fill_random(mark);
  file.write_at(mark, position);
  put_written_mark(job, file, position, mark);
}

void put_mark_before(JobEncoder& job, const WrittenFile& file, std::uint64_t end) {
  const std::uint64_t position = end - std::min<std::uint64_t>(end, mark_bytes);
  std::array<std::uint8_t, mark_bytes> mark{};
  static_cast<void>(read_at(file.descriptor(), mark, position, file.partial_path()));
  put_written_mark(job, file, position, mark);
}

FileMark read_mark(JobDecoder& job) {
  const std::uint64_t position = job.number_up_to(most_job_bytes);
  return {position, SecretBytes(job.bytes_of(mark_bytes))};
}

void check_mark(const FileMark& mark, int descriptor, const std::string& path) {
  std::array<std::uint8_t, mark_bytes> found{};
  static_cast<void>(read_at(descriptor, found, mark.position, path));
  if (!std::ranges::equal(found, mark.bytes)) throw_another(path);
}

WrittenSample sample_of(Bytes in, std::uint64_t position) {
  const auto middle = in.begin() + static_cast<std::ptrdiff_t>(in.size() / 2);
  const auto is_set = [](std::uint8_t byte) { return byte != 0; };
  auto first = std::find_if(middle, in.end(), is_set);
  if (first == in.end()) first = std::find_if(in.begin(), middle, is_set);
  const auto offset = std::min(static_cast<std::size_t>(first - in.begin()), in.size() - std::min(in.size(), place_bytes));
  return {position + offset, SecretBytes(in.subspan(offset, std::min(in.size() - offset, place_bytes)))};
}

void put_sample(JobEncoder& result, const WrittenSample& sample) {
  std::array<std::uint8_t, seed_bytes> seed{};
  std::array<std::uint8_t, digest_bytes> digest{};
  fill_random(seed);
  compute_hmac_sha512(seed, sample.bytes, digest);
  result.put(sample.position);
  result.put(static_cast<std::uint64_t>(sample.bytes.size()));
  result.put(Bytes(seed));
  result.put(Bytes(digest));
}

void check_sample(JobDecoder& result, const WrittenFile* file) {
  const std::uint64_t position = result.number_up_to(most_job_bytes), size = result.number_up_to(place_bytes);
  const Bytes seed = result.bytes_of(seed_bytes), digest = result.bytes_of(digest_bytes);
  if (size == 0) return;
  if (file == nullptr) JobDecoder::refuse();
  SecretBytes found(static_cast<std::size_t>(size));
  static_cast<void>(drop_cached_pages(file->descriptor(), position, position + size));
  static_cast<void>(read_at(file->descriptor(), found, position, file->partial_path()));
  std::array<std::uint8_t, digest_bytes> own{};
  compute_hmac_sha512(seed, found, own);
  if (std::ranges::equal(own, digest)) return;
  throw Error(ErrorCode::runtime, file->partial_path() +
                                      " has not what another rank wrote into it: all ranks need one file " +
                                      "system, which shows each what others wrote");
}

void check_same_file_system(int descriptor, int other, const std::string& path) {
  if (status_of(descriptor, path).st_dev != status_of(other, path).st_dev) throw_another(path);
}

}  // namespace phalanx

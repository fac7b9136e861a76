#include "files/container/file/header_rewrite.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/bytes/byte_order.hpp"
#include "engine/chunked/chunked_encryption.hpp"
#include "engine/host/host.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "files/system/file_attributes.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/output/leftover_file.hpp"
#include "files/system/output/sibling_path.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/paths.hpp"
#include "files/system/recording_source.hpp"

namespace phalanx {
namespace {

using Header = std::vector<std::uint8_t>;
using RewriteMac = std::array<std::uint8_t, 64>;

// The file has a magic, seconds and nanoseconds of FILE's time, the size of a header, both headers, and a MAC. Numbers are
// little-endian.
constexpr char magic[] = "phalanx header 1";
constexpr std::size_t magic_bytes = sizeof magic - 1;
constexpr std::size_t seconds_offset = magic_bytes;
constexpr std::size_t nanoseconds_offset = seconds_offset + 8;
constexpr std::size_t size_offset = nanoseconds_offset + 8;
constexpr std::size_t headers_offset = size_offset + 8;
constexpr std::size_t max_rewrite_bytes = headers_offset + 2 * max_header_bytes + sizeof(RewriteMac);

// Holds the content of FILE.phalanx-header.
struct Rewrite {
  Header before, after;
  timespec modified{};
  Header authenticated;  // all but the MAC
  RewriteMac mac{};
};

RewriteMac mac_of(const FixedPart& fixed_part, Bytes data_key, Bytes authenticated) {
  SecretBytes key(sizeof(RewriteMac));
  expand_hkdf_sha512(data_key, labelled_fixed_part(fixed_part, "header exchange"), key);
  RewriteMac mac;
  compute_hmac_sha512(key, authenticated, mac);
  return mac;
}

Header encode(const Header& before, const Header& after, const timespec& modified) {
  Header bytes(headers_offset);
  std::memcpy(bytes.data(), magic, magic_bytes);
  store_u64(bytes.data() + seconds_offset, static_cast<std::uint64_t>(modified.tv_sec));
  store_u64(bytes.data() + nanoseconds_offset, static_cast<std::uint64_t>(modified.tv_nsec));
  store_u64(bytes.data() + size_offset, before.size());
  bytes.insert(bytes.end(), before.begin(), before.end());
  bytes.insert(bytes.end(), after.begin(), after.end());
  return bytes;
}

// Returns nothing where it is no such file, or was not written to its end.
std::optional<Rewrite> parse(const Header& bytes) {
  if (bytes.size() < headers_offset || std::memcmp(bytes.data(), magic, magic_bytes) != 0) return std::nullopt;
  const std::uint64_t size = load_u64(bytes.data() + size_offset);
  if (size > max_header_bytes || bytes.size() != headers_offset + 2 * size + sizeof(RewriteMac)) return std::nullopt;
  Rewrite rewrite;
  const auto before = bytes.begin() + headers_offset, after = before + static_cast<std::ptrdiff_t>(size),
             mac = after + static_cast<std::ptrdiff_t>(size);
  rewrite.before.assign(before, after);
  rewrite.after.assign(after, mac);
  rewrite.authenticated.assign(bytes.begin(), mac);
  std::copy(mac, bytes.end(), rewrite.mac.begin());
  rewrite.modified.tv_sec = static_cast<time_t>(load_u64(bytes.data() + seconds_offset));
  rewrite.modified.tv_nsec = static_cast<long>(load_u64(bytes.data() + nanoseconds_offset));
  return rewrite;
}

Header bytes_of(int descriptor, const std::string& path) {
  Header bytes(max_rewrite_bytes);
  bytes.resize(read_at(descriptor, bytes, 0, path));
  return bytes;
}

// Says whether a run was killed while it wrote the file: then it has not touched FILE.
bool is_unfinished_rewrite(const Header& bytes) {
  const std::size_t known = std::min(bytes.size(), magic_bytes);
  return std::memcmp(bytes.data(), magic, known) == 0 ||
         std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool is_made_by(const Rewrite& rewrite, const UnlockedContainer& container) {
  const RewriteMac mac = mac_of(container.header.fixed_part(), container.data_key, rewrite.authenticated);
  return CRYPTO_memcmp(mac.data(), rewrite.mac.data(), mac.size()) == 0;
}

std::string rewrite_path_of(const std::string& path) { return sibling_path(path, header_suffix); }

std::string resolve(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) ? resolve_links(path) : path;
}

// Returns FILE's path, where that is still the file that is open. Returns nothing where it cannot be known; then nothing is
// settled.
std::optional<std::string> path_of(const Input& input) {
  struct stat status {};
  if (::lstat(input.name().c_str(), &status) != 0) return std::nullopt;
  const FileIdentity opened(input.status());
  if (FileIdentity(status) == opened) return input.name();  // saves calls: many small files are read
  if (!S_ISLNK(status.st_mode)) return std::nullopt;
  try {
    std::string path = resolve_links(input.name());
    if (identity_at(path) == opened) return path;
  } catch (const Error&) {
  }
  return std::nullopt;
}

void put_header(int file, const Header& header, const timespec& modified, const std::string& path) {
  write_at(file, header, 0, path);
  if (!put_time(file, modified) || !sync_whole(file)) throw_system_error("write the header of", path);
  // The header is read from the disk before the file beside it goes: an earlier sync may have failed on the same page.
  static_cast<void>(drop_cached_pages(file, 0, header.size()));
  Header there(header.size());
  if (read_at(file, there, 0, path) == there.size() && there == header) return;
  throw Error(ErrorCode::runtime, path + " is on a disk that does not keep what is written to it", {.name = path});
}

void remove_rewrite_file(const std::string& rewrite_path, const FileIdentity& identity) {
  remove_if_same(rewrite_path, identity);
  sync_folder_of(rewrite_path);
}

bool begins_with_now(const Input& input, const Header& seen) {
  Header now(seen.size());
  return read_at(input.descriptor(), now, 0, input.name()) == now.size() && now == seen;
}

// Writes the new header where nobody else writes one, and the file still begins with the bytes that were read.
bool put_after(const Input& input, const std::string& path, const Rewrite& rewrite, const Header& seen, bool is_locked) {
  const FileDescriptor file = open_for_writing(input);
  if (!file.is_open() || (!is_locked && !lock_file(file.get(), path)) || !begins_with_now(input, seen)) return false;
  put_header(file.get(), rewrite.after, rewrite.modified, path);
  return true;
}

// Says how a container was opened.
struct Unlocking {
  bool opened_by_itself = true;
  Header seen{};  // the file's first bytes; its header, if it opened by itself
  bool is_locked = false;
};

// Settles a killed rewrite: a header that opens by itself stays, and a mixture becomes the new header. A rewrite at work
// holds a lock.
bool settle(const Input& input, const std::string& path, UnlockedContainer& container, const Unlocking& unlocking) {
  const std::string rewrite_path = rewrite_path_of(path);
  const std::optional<LeftoverFile> left = open_leftover(rewrite_path, nullptr);
  if (!left || !lock_file(left->file.get(), rewrite_path) || identity_at(rewrite_path) != left->identity) return false;
  const std::optional<Rewrite> rewrite = parse(bytes_of(left->file.get(), rewrite_path));
  if (!rewrite || !is_made_by(*rewrite, container)) return false;
  const bool opened_by_itself = unlocking.opened_by_itself;
  if (!opened_by_itself || container.header.bytes == rewrite->after) {
    const Header& seen = opened_by_itself ? container.header.bytes : unlocking.seen;
    if (!put_after(input, path, *rewrite, seen, unlocking.is_locked)) return false;
    container.header = parse_header(rewrite->after);
  }
  remove_rewrite_file(rewrite_path, left->identity);
  return true;
}

class HeaderSource : public ByteSource {
 public:
  explicit HeaderSource(const Header& header) : left_(header) {}
  std::size_t read(MutableBytes out) override {
    const std::size_t got = std::min(out.size(), left_.size());
    std::copy_n(left_.begin(), got, out.begin());
    left_ = left_.subspan(got);
    return got;
  }

 private:
  Bytes left_;
};

UnlockedContainer unlock(ByteSource& source, const HeaderOpening& opening) {
  ContainerHeader header = opening.read(source);
  SecretBytes data_key = opening.open(header);
  return {.header = std::move(header), .data_key = std::move(data_key)};
}

// Says whether the message behind the header was sealed under this data key, by its commitment. The rewrite's file may stand
// beside another container by now, which was sealed anew or moved there. The header of that one must stay.
bool is_before_its_message(const Input& input, const UnlockedContainer& container, Bytes context) {
  MessagePrefix prefix{};
  const std::uint64_t position = container.header.bytes.size();
  if (read_at(input.descriptor(), prefix, position, input.name()) != prefix.size()) return false;
  static_cast<void>(open_body(container.header, container.data_key, prefix, context, {}));
  return true;
}

// Opens FILE by one of the headers beside it.
std::optional<UnlockedContainer> unlock_by_rewrite(Input& input, const std::string& path, const HeaderOpening& opening) {
  for (const Header& header : headers_beside(path)) {
    try {
      HeaderSource source(header);
      UnlockedContainer container = unlock(source, opening);
      if (!is_before_its_message(input, container, opening.context)) continue;
      input.seek(header.size());
      return container;
    } catch (const Error&) {  // the other header may open
    }
  }
  return std::nullopt;
}

// Says whether a file that lost one of its names has other names, by which nobody opens it without the rewrite.
bool needs(int file, const Rewrite& rewrite, const std::string& name) {
  struct stat status {};
  if (fstat(file, &status) != 0) throw_system_error("look at", name);
  if (status.st_nlink == 0) return false;
  Header now(rewrite.after.size());
  now.resize(read_at(file, now, 0, name));
  return now != rewrite.before && now != rewrite.after;
}

void remove_unfinished_rewrite(const std::string& rewrite_path) {
  const std::optional<LeftoverFile> left = open_leftover(rewrite_path, nullptr);
  if (!left) return;
  if (!lock_file(left->file.get(), rewrite_path)) throw Error(ErrorCode::usage, rewrite_path + " is in use");
  if (const Header bytes = bytes_of(left->file.get(), rewrite_path); parse(bytes) || !is_unfinished_rewrite(bytes)) {
    throw Error(ErrorCode::usage, rewrite_path + " is not of this container: move it away");
  }
  remove_if_same(rewrite_path, left->identity);
}

// A user who may read the file may read the headers in it.
mode_t mode_beside(const struct stat& status) { return (status.st_mode & S_IROTH) != 0 ? 0644 : 0600; }

// The rewrite's file is durable before FILE is touched, and locked for as long as the descriptor is open.
FileDescriptor make_rewrite_file(const std::string& rewrite_path, Bytes bytes, mode_t mode) {
  FileDescriptor file = open_file(rewrite_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  const FileIdentity identity = identity_of_new(file.get(), rewrite_path);
  try {
    // A run that checks for a killed rewrite holds the lock for a moment, and finds an empty file.
    if (call_again([&] { return ::flock(file.get(), LOCK_EX); }) != 0) throw_system_error("lock", rewrite_path);
    write_at(file.get(), bytes, 0, rewrite_path);
    if (!sync_whole(file.get())) throw_system_error("write", rewrite_path);
    sync_folder_of(rewrite_path);
  } catch (...) {
    unlink_if_same(rewrite_path, identity);
    throw;
  }
  return file;
}

}  // namespace

std::vector<Header> headers_beside(const std::string& path) {
  try {
    const std::string rewrite_path = rewrite_path_of(resolve(path));
    const FileDescriptor file(::open(rewrite_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const std::optional<Rewrite> rewrite = parse(bytes_of(file.get(), rewrite_path));
    if (rewrite) return {rewrite->after, rewrite->before};
  } catch (const Error&) {  // the file's own header decides
  }
  return {};
}

bool is_half_changed(const Input& input) {
  const std::vector<Header> headers = headers_beside(input.name());
  return !headers.empty() &&
         std::ranges::none_of(headers, [&](const Header& header) { return begins_with_now(input, header); });
}

// The path leads through the descriptor, so that it is the same file whatever has its name now.
FileDescriptor open_for_writing(const Input& input) {
  const std::string path = "/proc/self/fd/" + std::to_string(input.descriptor());
  return FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

bool remove_stale_rewrite(const std::string& path, int replaced) {
  const std::string rewrite_path = rewrite_path_of(path);
  try {
    const std::optional<LeftoverFile> left = open_leftover(rewrite_path, nullptr);
    if (!left || !lock_file(left->file.get(), rewrite_path)) return false;
    const Header bytes = bytes_of(left->file.get(), rewrite_path);
    const std::optional<Rewrite> rewrite = parse(bytes);
    if (rewrite && needs(replaced, *rewrite, path)) return true;
    if (rewrite || is_unfinished_rewrite(bytes)) remove_if_same(rewrite_path, left->identity);
  } catch (const Error&) {  // it is no file of a rewrite
  }
  return false;
}

UnlockedContainer unlock_input(Input& input, const HeaderOpening& opening) {
  if (!S_ISREG(input.status().st_mode) || input.position() != 0) return unlock(input, opening);
  std::optional<UnlockedContainer> container;
  std::optional<std::string> path;
  Unlocking unlocking{.is_locked = opening.is_locked};
  RecordingSource source(input);
  try {
    container = unlock(source, opening);
    if (opening.has_no_rewrite) return std::move(*container);
    path = path_of(input);
  } catch (const Error&) {
    path = path_of(input);
    if (!path) throw;
    container = unlock_by_rewrite(input, *path, opening);
    unlocking.opened_by_itself = !container;
    unlocking.seen = source.seen();
    if (!container && begins_with_now(input, source.seen())) throw;
    // The rewrite's file has gone meanwhile: another run is done with it.
    if (!container) input.seek(0);
  }
  if (!container) container = unlock(input, opening);
  if (!path) return std::move(*container);
  try {
    container->settled = settle(input, *path, *container, unlocking);
  } catch (const Error&) {  // the container is open, and settling can wait
  }
  return std::move(*container);
}

std::optional<HeaderRewrite> HeaderRewrite::open(const Input& file, std::string path) {
  FileDescriptor again = open_for_writing(file);
  if (!again.is_open()) return std::nullopt;
  return HeaderRewrite(std::move(again), std::move(path));
}

void HeaderRewrite::write(const UnlockedContainer& container, const ContainerHeader& after) {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("look at", path_);
  Header bytes = encode(container.header.bytes, after.bytes, status.st_mtim);
  const RewriteMac mac = mac_of(container.header.fixed_part(), container.data_key, bytes);
  bytes.insert(bytes.end(), mac.begin(), mac.end());
  const std::string rewrite_path = rewrite_path_of(path_);
  remove_unfinished_rewrite(rewrite_path);
  const FileDescriptor rewrite = make_rewrite_file(rewrite_path, bytes, mode_beside(status));
  put_header(file_.get(), after.bytes, status.st_mtim, path_);
  remove_rewrite_file(rewrite_path, identity_of(rewrite.get(), rewrite_path));
}

}  // namespace phalanx

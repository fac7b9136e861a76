#include "files/container/file/resume_record.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "engine/bytes/byte_order.hpp"
#include "engine/host/host.hpp"
#include "files/container/format/header.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "files/system/data_extent.hpp"
#include "files/system/output/leftover_file.hpp"
#include "files/system/output/renewed_file.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
namespace {

// The file has a magic, the size of the beginning, and the beginning. From the next multiple of 4096 on it has a place for
// each piece. A place has these fields:
// - the piece's number, and the number of its chunks
// - one more than the message's length if it is the last piece, else 0
// - the chunks' MACs, and the record's MAC
// - at its end, if the piece is on the disk, the mark: a MAC of the number and of the record's MAC
// A place is whole sectors, so that one that is torn tears no other. Numbers are little-endian.
constexpr std::size_t size_offset = 16;
constexpr std::size_t beginning_offset = 24;
constexpr std::size_t max_beginning_bytes = max_header_bytes + message_prefix_bytes;
constexpr std::size_t position_unit = 4096;
constexpr std::size_t place_bytes = 3 * 512;
constexpr std::size_t num_chunks_offset = 8;
constexpr std::size_t length_offset = 16;
constexpr std::size_t macs_offset = 24;
constexpr std::size_t record_mac_bytes = 32;
constexpr std::size_t most_chunks = chunks_of_piece + 1;  // a message may end with an empty chunk
constexpr std::size_t tag_mac_bytes = sizeof(Cmac);
constexpr std::size_t mark_offset = place_bytes - record_mac_bytes;
static_assert(macs_offset + most_chunks * tag_mac_bytes + record_mac_bytes <= mark_offset);
constexpr std::string_view mark_label = "phalanx on disk ";

Bytes as_bytes(const TagMacs& macs) { return {macs.front().data(), macs.size() * tag_mac_bytes}; }

bool begins_with(Bytes bytes, std::string_view magic) {
  const std::size_t compared = std::min(bytes.size(), magic.size());
  return std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(compared), bytes.begin());
}

// A disk may have zeros in the place of a record's beginning that did not reach it.
bool is_record(Bytes bytes) {
  return begins_with(bytes, sealed_records.magic) || begins_with(bytes, written_records.magic) ||
         std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// Returns the message's beginning as the record file has it, or nothing if it is of another kind.
std::optional<std::vector<std::uint8_t>> read_beginning_of(int descriptor, const std::string& name, const RecordKind& kind) {
  std::vector<std::uint8_t> bytes(beginning_offset + max_beginning_bytes);
  bytes.resize(read_at(descriptor, bytes, 0, name));
  if (!is_record(bytes)) {
    throw Error(ErrorCode::format, name + " is not a record of an unfinished file: move it away", {.name = name});
  }
  if (bytes.size() < beginning_offset || !begins_with(bytes, kind.magic)) return std::nullopt;
  const std::uint64_t size = load_u64(bytes.data() + size_offset);
  if (size < message_prefix_bytes || size > bytes.size() - beginning_offset) return std::nullopt;
  bytes.resize(beginning_offset + static_cast<std::size_t>(size));
  bytes.erase(bytes.begin(), bytes.begin() + beginning_offset);
  return bytes;
}

}  // namespace

RecordFile::RecordFile(const AtomicFile& file, const RecordKind& kind)
    : partial_(&file), kind_(kind), path_(sibling_path(file.path(), record_suffix)) {
  if (open_existing()) beginning_ = read_beginning_of(file_.get(), path_, kind_);
}

RecordFile::RecordFile(FileDescriptor file, std::string path, Bytes keys, const RecordKind& kind)
    : partial_(nullptr), kind_(kind), path_(std::move(path)), file_(std::move(file)), keys_(keys) {
  beginning_ = read_beginning_of(file_.get(), path_, kind_);
  if (!beginning_) throw Error(ErrorCode::runtime, path_ + " is damaged");
}

RecordFile::~RecordFile() {
  if (file_.is_open() && beginning_ && partial_ != nullptr && partial_->remove_unless_kept())
    unlink_if_same(path_, identity_);
}

bool RecordFile::open_existing() {
  std::optional<LeftoverFile> left = open_leftover(path_, partial_->needed());
  if (!left) return false;
  file_ = std::move(left->file);
  identity_ = left->identity;
  source_ = read_from_disk(file_.get());  // if a record did not reach the disk, no piece of it was written
  return true;
}

void RecordFile::begin(std::vector<std::uint8_t> beginning) {
  if (file_.is_open()) {
    unlink_if_same(path_, identity_);
    remove_renewed(path_);
  }
  const SignalBlocker held_back;
  file_ = open_file(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  identity_ = identity_of_new(file_.get(), path_);
  beginning_ = std::move(beginning);
  if (!partial_->is_resumed()) removal_.emplace(path_, identity_);
  write_beginning(file_.get(), path_);
  if (partial_->is_resumed()) sync();  // a later run needs it, even if the disk takes no more than this
}

void RecordFile::write_beginning(int descriptor, const std::string& name) const {
  const std::string_view magic = kind_.magic;
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  bytes.resize(beginning_offset);
  store_u64(bytes.data() + size_offset, beginning_->size());
  bytes.insert(bytes.end(), beginning_->begin(), beginning_->end());
  write_at(descriptor, bytes, 0, name);
}

void RecordFile::use(Bytes input_key, const MessagePrefix& prefix) {
  const std::string_view label = kind_.label;
  std::vector<std::uint8_t> info(label.begin(), label.end());
  info.insert(info.end(), prefix.begin(), prefix.end());
  keys_ = SecretBytes(all_keys_bytes);
  expand_hkdf_sha512(input_key, info, keys_);
}

TagMacs RecordFile::macs_of(std::uint64_t first_chunk, Bytes tags) const {
  TagMacs macs;
  macs.reserve(tags.size() / chunk_tag_bytes);
  const CmacKey own_key(Bytes(keys_).last(cmac_key_bytes));
  for (; !tags.empty(); tags = tags.subspan(chunk_tag_bytes)) {
    macs.push_back(own_key.compute(first_chunk++, tags.first(chunk_tag_bytes)));
  }
  return macs;
}

RecordFile::RecordMac RecordFile::mac_of(Bytes fields) const {
  std::array<std::uint8_t, 64> whole{};
  compute_hmac_sha512(Bytes(keys_).first(records_key_bytes), fields, whole);
  RecordMac mac{};
  std::copy_n(whole.begin(), mac.size(), mac.begin());
  return mac;
}

std::uint64_t RecordFile::position_of(std::uint64_t piece) const {
  const std::uint64_t first = (beginning_offset + beginning_->size() + position_unit - 1) / position_unit * position_unit;
  return first + piece * place_bytes;
}

std::optional<TagMacs> RecordFile::find(std::uint64_t piece) const {
  std::optional<Record> record = find_record(piece);
  return record ? std::optional(std::move(record->macs)) : std::nullopt;
}

std::optional<std::uint64_t> RecordFile::message_bytes() const {
  const std::uint64_t num_found = num_pieces();
  const std::optional<Record> last = num_found != 0 ? find_record(num_found - 1) : std::nullopt;
  return last ? last->message_bytes : std::nullopt;
}

std::optional<RecordFile::Record> RecordFile::find_record(std::uint64_t piece) const {
  std::array<std::uint8_t, place_bytes> place{};
  const std::size_t size = read_at(file_.get(), place, position_of(piece), path_);
  const std::uint64_t num_chunks = load_u64(place.data() + num_chunks_offset);
  if (num_chunks == 0 || num_chunks > most_chunks || load_u64(place.data()) != piece) return std::nullopt;
  const std::size_t end = macs_offset + num_chunks * tag_mac_bytes;
  if (size < end + record_mac_bytes) return std::nullopt;
  const RecordMac mac = mac_of(Bytes(place).first(end));
  if (CRYPTO_memcmp(mac.data(), place.data() + end, mac.size()) != 0) return std::nullopt;
  Record record{.piece = piece, .macs = TagMacs(num_chunks)};
  std::copy_n(place.begin() + macs_offset, num_chunks * tag_mac_bytes, record.macs.front().begin());
  const std::uint64_t length = load_u64(place.data() + length_offset);
  if (length != 0) record.message_bytes = length - 1;
  return record;
}

std::uint64_t RecordFile::num_pieces() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("read", path_);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto num_places_until = [&](std::uint64_t end) {
    return end <= position_of(0) ? 0 : (end - position_of(0) + place_bytes - 1) / place_bytes;
  };
  // A file that was made longer without a write has a hole there, and nothing is searched in a hole.
  std::uint64_t num_pieces = 0;
  for (DataExtent extent = next_data_extent(file_.get(), 0, size); extent.begin < size;
       extent = next_data_extent(file_.get(), extent.end, size)) {
    const std::uint64_t first = num_places_until(extent.begin);
    std::uint64_t last = num_places_until(extent.end);
    while (last > first && !find(last - 1)) --last;
    if (last > first) num_pieces = last;
  }
  return num_pieces;
}

// The system reports a failure once, to one of the threads that sync. So one thread at a time syncs, and a failure is a
// failure for all.
void RecordFile::sync() {
  const std::lock_guard lock(sync_mutex_);
  if (sync_error_ == 0 && !sync_data(file_.get())) sync_error_ = errno;
  if (sync_error_ == 0) return;
  errno = sync_error_;
  throw_system_error("write", path_);
}

void RecordFile::write(const std::vector<Record>& records) {
  for (const auto& [piece, macs, message_bytes] : records) {
    std::vector<std::uint8_t> bytes(macs_offset);
    store_u64(bytes.data(), piece);
    store_u64(bytes.data() + num_chunks_offset, macs.size());
    store_u64(bytes.data() + length_offset, message_bytes ? *message_bytes + 1 : 0);
    const Bytes content = as_bytes(macs);
    bytes.insert(bytes.end(), content.begin(), content.end());
    const RecordMac mac = mac_of(bytes);
    bytes.insert(bytes.end(), mac.begin(), mac.end());
    write_at(file_.get(), bytes, position_of(piece), path_);
  }
  sync();
}

// Computes the mark of a place that has a record.
std::optional<RecordFile::RecordMac> RecordFile::mark_of(std::uint64_t piece, Bytes place) const {
  const std::uint64_t num_chunks = load_u64(place.data() + num_chunks_offset);
  if (num_chunks == 0 || num_chunks > most_chunks) return std::nullopt;
  std::vector<std::uint8_t> fields(mark_label.begin(), mark_label.end());
  fields.resize(fields.size() + sizeof piece);
  store_u64(fields.data() + mark_label.size(), piece);
  const Bytes record_mac =
      place.subspan(macs_offset + static_cast<std::size_t>(num_chunks) * tag_mac_bytes, record_mac_bytes);
  fields.insert(fields.end(), record_mac.begin(), record_mac.end());
  return mac_of(fields);
}

void RecordFile::mark(const std::vector<std::uint64_t>& pieces) {
  std::array<std::uint8_t, place_bytes> place{};
  for (const std::uint64_t piece : pieces) {
    read_at(file_.get(), place, position_of(piece), path_);
    const std::optional<RecordMac> mark = mark_of(piece, place);
    if (mark) write_at(file_.get(), *mark, position_of(piece) + mark_offset, path_);
  }
  sync();
}

bool RecordFile::is_on_disk(std::uint64_t piece) const {
  if (!find_record(piece)) return false;
  if (!kind_.marks) return true;
  std::array<std::uint8_t, place_bytes> place{};
  if (read_at(file_.get(), place, position_of(piece), path_) != place.size()) return false;
  const std::optional<RecordMac> mark = mark_of(piece, place);
  return mark && CRYPTO_memcmp(mark->data(), place.data() + mark_offset, mark->size()) == 0;
}

void RecordFile::renew(const std::vector<bool>& believed) {
  RenewedFile renewed(path_);
  write_beginning(renewed.descriptor(), renewed.path());
  std::array<std::uint8_t, place_bytes> place{};
  const std::uint64_t num_found = num_pieces();
  for (std::uint64_t piece = 0; piece < num_found; ++piece) {
    const bool is_believed = piece < believed.size() && believed[piece];
    if (!find_record(piece) || !(is_believed || kind_.marks)) continue;
    place = {};
    read_at(file_.get(), place, position_of(piece), path_);
    if (!is_believed) std::fill(place.begin() + mark_offset, place.end(), std::uint8_t{0});
    write_at(renewed.descriptor(), place, position_of(piece), renewed.path());
  }
  const FileIdentity identity = renewed.identity();
  file_ = renewed.take_name(identity_);
  identity_ = identity;
}

// An interruption removes the file until it is gone.
void RecordFile::remove() {
  remove_if_same(path_, identity_);
  removal_.reset();
  file_ = FileDescriptor();
}

void remove_stale_record(const std::string& path) {
  const std::string record = sibling_path(path, record_suffix);
  const FileDescriptor file(::open(record.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open() || !identity_at(path) || identity_at(sibling_path(path, partial_suffix))) return;
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return;
  std::array<std::uint8_t, size_offset> beginning{};
  if (read_at(file.get(), beginning, 0, record) != beginning.size() || !is_record(beginning)) return;
  unlink_if_same(record, FileIdentity(status));
}

bool remove_unfinished_container(const std::string& path) {
  const std::string partial = sibling_path(path, partial_suffix), record = sibling_path(path, record_suffix);
  const FileDescriptor file(::open(partial.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const FileDescriptor records(::open(record.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {
  }, record_status{};
  if (!file.is_open() || !records.is_open() || fstat(file.get(), &status) != 0 ||
      fstat(records.get(), &record_status) != 0 || !S_ISREG(status.st_mode) || !S_ISREG(record_status.st_mode) ||
      record_status.st_uid != geteuid() || (status.st_uid != geteuid() && geteuid() != 0) ||
      !lock_file(file.get(), partial)) {
    return false;
  }
  const auto beginning = read_beginning_of(records.get(), record, sealed_records);
  if (!beginning) return false;
  std::vector<std::uint8_t> found(beginning->size());
  found.resize(read_at(file.get(), found, 0, partial));
  if (!std::equal(found.begin(), found.end(), beginning->begin())) return false;
  remove_renewed(record);
  return unlink_if_same(partial, FileIdentity(status)) && unlink_if_same(record, FileIdentity(record_status));
}

}  // namespace phalanx

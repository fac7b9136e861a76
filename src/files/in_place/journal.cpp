#include "files/in_place/journal.hpp"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "engine/host/host.hpp"
#include "engine/host/libcrypto.hpp"
#include "engine/text/characters.hpp"
#include "files/pipeline/parallel_parts.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/output/leftover_file.hpp"
#include "files/system/output/renewed_file.hpp"

namespace phalanx {
namespace {

// The file: a header, and from slots_position two slots of a record header and slot_bytes each. Numbers are little-endian.
constexpr std::size_t magic_bytes = 16;
static_assert(journal_magic.size() == magic_bytes && earlier_journal_magic.size() == magic_bytes);
constexpr std::size_t digest_bytes = sizeof(PieceDigest);
// Magic, salt, digest of the parameters, key check, the file, the first piece, the last.
constexpr std::size_t header_bytes = 16 + 16 + 5 * digest_bytes;
constexpr std::size_t untouched_position = 16 + 16 + 3 * digest_bytes;
constexpr std::uint64_t slots_position = 4096;
constexpr std::size_t read_bytes_at_once = std::size_t{1} << 20;
// A record has piece, size, size of preceding, preceding, and five digests of pieces; then comes the digest of these
// fields.
constexpr std::size_t record_fields_bytes = 8 + 8 + 8 + 16 + 5 * digest_bytes;
constexpr std::size_t record_header_bytes = record_fields_bytes + digest_bytes;

void put_number(std::uint8_t* out, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

std::uint64_t get_number(const std::uint8_t* in) {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number |= std::uint64_t{in[i]} << (8 * i);
  return number;
}

void require(bool good) {
  if (!good) throw Error(ErrorCode::runtime, "libcrypto cannot compute SHA-256");
}

PieceDigest sha256(std::initializer_list<Bytes> parts) {
  require_libcrypto();
  PieceDigest digest{};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  for (const Bytes part : parts) require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  require(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return digest;
}

PieceDigest hmac_sha256(Bytes key, std::initializer_list<Bytes> parts) {
  require_libcrypto();
  PieceDigest digest{};
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr), EVP_MAC_free);
  require(algorithm != nullptr);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(algorithm.get()),
                                                                          EVP_MAC_CTX_free);
  char name[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                   OSSL_PARAM_construct_end()};
  require(context && EVP_MAC_init(context.get(), key.data(), key.size(), parameters) == 1);
  for (const Bytes part : parts) require(EVP_MAC_update(context.get(), part.data(), part.size()) == 1);
  std::size_t size = 0;
  require(EVP_MAC_final(context.get(), digest.data(), &size, digest.size()) == 1 && size == digest.size());
  return digest;
}

void require_synced(int descriptor, const std::string& name) {
  if (!sync_data(descriptor)) throw_system_error("write", name);
}

}  // namespace

Journal::Journal(std::string path, const JournalIdentity& identity, std::size_t slot_bytes)
    : path_(std::move(path)),
      slot_bytes_(slot_bytes),
      num_threads_(identity.num_threads),
      num_pieces_(identity.num_pieces),
      read_piece_(identity.read_piece) {
  if (open_existing(identity)) {
    check_identity(identity);
    require_durable_name();
    return;
  }
  if (!identity.why_not_anew.empty()) throw Error(ErrorCode::usage, identity.why_not_anew);
  try {
    create(identity);
  } catch (...) {
    if (file_.is_open()) unlink_if_same(path_, own_identity_);
    throw;
  }
}

// The magic is written last, when the rest of the header is durable, and before any record. If it is missing or torn,
// nothing was overwritten yet, and the journal can be begun again. If the file has a mark, the journal is damaged: the
// mark comes after the magic.
bool Journal::open_existing(const JournalIdentity& identity) {
  std::optional<LeftoverFile> left = open_leftover(path_, nullptr);
  if (!left) return false;
  file_ = std::move(left->file);
  own_identity_ = left->identity;
  if (!lock_file(file_.get(), path_) || identity_at(path_) != own_identity_) throw_in_use();
  read_from_disk(file_.get());  // nothing was done by the word of a record that did not come there
  std::array<std::uint8_t, magic_bytes> found{};
  const std::size_t size = read_at(file_.get(), found, 0, path_);
  is_earlier_ = std::ranges::equal(found, earlier_journal_magic);
  if (size == magic_bytes && (is_earlier_ || std::ranges::equal(found, journal_magic))) return true;
  if (!is_blank()) throw Error(ErrorCode::format, path_ + " is not a journal of Phalanx: move it away", {.name = path_});
  if (identity.was_begun) throw_damaged();
  unlink_if_same(path_, own_identity_);
  file_ = FileDescriptor();
  return false;
}

// Returns whether the journal holds nothing but the bytes that create writes before the magic, and as much of the magic
// as a crash may have left.
bool Journal::is_blank() const {
  std::vector<std::uint8_t> bytes(read_bytes_at_once);
  std::uint64_t position = 0;
  while (const std::size_t size = read_at(file_.get(), bytes, position, path_)) {
    std::size_t begin = 0;
    if (position == 0) {
      const std::size_t compared = std::min(size, magic_bytes);
      const std::string_view part = journal_magic.substr(0, compared);
      begin = static_cast<std::size_t>(std::ranges::mismatch(part, bytes).in1 - part.begin());
      if (size > header_bytes) std::fill(bytes.begin() + magic_bytes, bytes.begin() + header_bytes, std::uint8_t{0});
    }
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::any_of(first, bytes.begin() + static_cast<std::ptrdiff_t>(size), [](std::uint8_t byte) { return byte != 0; })) {
      return false;
    }
    position += size;
  }
  return true;
}

void Journal::renew() {
  if (is_new_) return;
  RenewedFile renewed(path_);
  if (!lock_file(renewed.descriptor(), renewed.path())) throw_in_use();
  const auto size = static_cast<std::uint64_t>(stamp_of(file_.get(), path_).size), used = std::min(size, reserved_bytes());
  reserve(renewed.descriptor(), used);
  std::vector<std::uint8_t> bytes(read_bytes_at_once);
  for (std::uint64_t position = 0; position < used;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), used - position));
    const std::size_t got = read_at(file_.get(), MutableBytes(bytes).first(wanted), position, path_);
    if (got == 0) break;
    write_at(renewed.descriptor(), Bytes(bytes).first(got), position, renewed.path());
    position += got;
  }
  if (!set_size(renewed.descriptor(), size)) throw_system_error("write", renewed.path());
  const FileIdentity identity = renewed.identity();
  file_ = renewed.take_name(own_identity_);
  own_identity_ = identity;
}

void Journal::throw_in_use() const {
  throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on this file");
}

void Journal::reserve(int descriptor, std::uint64_t num_bytes) const {
  const auto reserve = [&] { return (errno = posix_fallocate(descriptor, 0, static_cast<off_t>(num_bytes))) == 0 ? 0 : -1; };
  if (num_bytes != 0 && call_again(reserve) != 0) throw_system_error("create", path_);
}

void Journal::create(const JournalIdentity& identity) {
  remove_renewed(path_);
  file_ = open_file(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  own_identity_ = identity_of_new(file_.get(), path_);
  if (!lock_file(file_.get(), path_)) throw_in_use();
  reserve(file_.get(), reserved_bytes());
  write_header(identity);
  require_durable_name();
  is_new_ = true;
}

// A power cut that takes the journal's name leaves a file that is half done and nothing that says so.
void Journal::require_durable_name() const {
  if (sync_folder_of(path_)) return;
  throw Error(ErrorCode::runtime,
              path_ + " cannot be made durable: its folder may not be read, or the file system does not do that");
}

void Journal::write_header(const JournalIdentity& identity) {
  fill_random(salt_);
  derive_key(identity.key);
  untouched_ = untouched_pieces();
  std::array<std::uint8_t, header_bytes> header{};
  std::uint8_t* end = std::copy_n(journal_magic.begin(), magic_bytes, header.data());
  end = std::copy(salt_.begin(), salt_.end(), end);
  for (const PieceDigest& digest :
       {parameters_digest(identity), key_check(), file_digest(identity), untouched_->first, untouched_->last})
    end = std::copy(digest.begin(), digest.end(), end);
  write_at(file_.get(), Bytes(header).subspan(magic_bytes), magic_bytes, path_);
  require_synced(file_.get(), path_);
  write_at(file_.get(), Bytes(header).first(magic_bytes), 0, path_);
  require_synced(file_.get(), path_);
}

void Journal::check_identity(const JournalIdentity& identity) {
  std::array<std::uint8_t, header_bytes> header{};
  read_at(file_.get(), header, 0, path_);
  const std::uint8_t* fields = header.data() + magic_bytes;
  std::copy_n(fields, salt_bytes, salt_.begin());
  derive_key(identity.key);
  if (!is_earlier_) {
    untouched_.emplace();
    std::copy_n(header.begin() + untouched_position, digest_bytes, untouched_->first.begin());
    std::copy_n(header.begin() + untouched_position + digest_bytes, digest_bytes, untouched_->last.begin());
  }
  const PieceDigest parameters = parameters_digest(identity), check = key_check(), file = file_digest(identity);
  if (std::memcmp(parameters.data(), fields + salt_bytes, digest_bytes) != 0) {
    throw Error(ErrorCode::usage, path_ +
                                      " is of another command or another length of the file: give the command that "
                                      "was interrupted");
  }
  if (CRYPTO_memcmp(check.data(), fields + salt_bytes + digest_bytes, digest_bytes) != 0) {
    throw Error(ErrorCode::wrong_key, path_ + " was begun with another key: give that key");
  }
  if (identity.any_device) return;
  if (CRYPTO_memcmp(file.data(), fields + salt_bytes + 2 * digest_bytes, digest_bytes) != 0) throw_of_another_file(identity);
}

bool Journal::is_around(const JournalRecord& record) const {
  const std::uint64_t last = num_pieces_ - 1;
  const auto has = [&](std::uint64_t piece, const PieceDigest& digest) {
    return digest_of(piece, read_piece_(piece)) == digest;
  };
  return record.piece <= last && (record.piece == 0 || (has(0, record.first) && has(record.piece - 1, record.last_done))) &&
         (record.piece == last || (has(record.piece + 1, record.next) && has(last, record.last)));
}

// It does where both were copied to another disk.
bool Journal::has_records_of_the_file() const {
  SecretBytes content(slot_bytes_);
  for (const std::uint64_t slot : {0, 1}) {
    const std::optional<JournalRecord> record = read_slot(slot, content);
    if (record && num_pieces_ > 1 && is_around(*record)) return true;
  }
  return false;
}

void Journal::throw_of_another_file(const JournalIdentity& identity) const {
  if (has_records_of_the_file()) {
    throw Error(ErrorCode::format,
                path_ + " is of a file that had another number, and this file's content is what it names: where both were " +
                    "copied or moved together, or a restart has given the disk another number, give " +
                    identity.any_device_name,
                {.name = path_});
  }
  throw Error(ErrorCode::format,
              path_ + " is of a file that is no longer there: if this one was put in its place, remove " + path_ +
                  " to begin anew on it as it is; if it is the same file on a disk that has " +
                  "another number since a restart, give " + identity.any_device_name,
              {.name = path_});
}

void Journal::derive_key(Bytes key) {
  const char* const label = is_earlier_ ? "phalanx in-place journal: key" : "phalanx in-place journal 4: key";
  const PieceDigest derived = hmac_sha256(key, {salt_, bytes_of(label)});
  key_ = SecretBytes(Bytes(derived));
}

PieceDigest Journal::parameters_digest(const JournalIdentity& identity) const {
  return sha256({salt_, bytes_of(identity.parameters + " length=" + std::to_string(identity.file_bytes))});
}

PieceDigest Journal::key_check() const { return hmac_sha256(key_, {bytes_of("check")}); }

PieceDigest Journal::file_digest(const JournalIdentity& identity) const {
  std::array<std::uint8_t, 16> numbers{};
  put_number(numbers.data(), identity.file.device);
  put_number(numbers.data() + 8, identity.file.inode);
  return hmac_sha256(key_, {bytes_of("file"), numbers});
}

PieceDigest Journal::digest_of(std::uint64_t piece, Bytes content) const {
  std::array<std::uint8_t, 8> number{};
  put_number(number.data(), piece);
  if (content.size() <= default_piece_bytes) return hmac_sha256(key_, {bytes_of("piece"), number, content});
  std::vector<PieceDigest> parts(num_parts_of(content.size()));
  for_each_part(num_threads_, content.size(), [&](std::size_t part, std::size_t begin, std::size_t size) {
    parts[part] = hmac_sha256(key_, {bytes_of("part"), content.subspan(begin, size)});
  });
  return hmac_sha256(key_, {bytes_of("parts"), number, Bytes(parts.front().data(), parts.size() * digest_bytes)});
}

std::uint64_t Journal::slot_position(std::uint64_t piece) const {
  return slots_position + piece % 2 * (record_header_bytes + slot_bytes_);
}

std::optional<JournalRecord> Journal::newest(MutableBytes content) const {
  const auto first = read_slot(0, content);
  const auto second = read_slot(1, content);
  if (second && (!first || second->piece > first->piece)) return second;
  if (first) return read_slot(0, content);
  if (!is_new_) require_unused();
  return std::nullopt;
}

void Journal::throw_damaged() const {
  throw DamagedJournal(ErrorCode::runtime,
                       path_ + " is damaged, and no longer tells how far the run came that was stopped: put an " +
                           "untouched copy in the file's place, and remove " + path_ + " to begin anew");
}

// A journal without a whole record passes if a kill can have left it so. This is true of an earlier version's journal,
// too, which has no digests of the pieces.
void Journal::require_unused() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("read", path_);
  if (static_cast<std::uint64_t>(status.st_size) != reserved_bytes() || !is_zero_from(slot_position(1))) throw_damaged();
  if (untouched_ && *untouched_ != untouched_pieces()) throw_damaged();
}

bool Journal::is_zero_from(std::uint64_t position) const {
  std::vector<std::uint8_t> bytes(read_bytes_at_once);
  while (const std::size_t size = read_at(file_.get(), bytes, position, path_)) {
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(size);
    if (std::any_of(bytes.begin(), end, [](std::uint8_t byte) { return byte != 0; })) return false;
    position += size;
  }
  return true;
}

std::uint64_t Journal::reserved_bytes() const { return slots_position + 2 * (record_header_bytes + slot_bytes_); }

PieceDigest Journal::untouched_last() const { return untouched_ ? untouched_->last : untouched_pieces().last; }

Journal::Untouched Journal::untouched_pieces() const {
  const PieceDigest first = digest_of(0, read_piece_(0));
  return {first, num_pieces_ == 1 ? first : digest_of(num_pieces_ - 1, read_piece_(num_pieces_ - 1))};
}

std::optional<JournalRecord> Journal::read_slot(std::uint64_t slot, MutableBytes content) const {
  std::array<std::uint8_t, record_header_bytes> header{};
  const std::uint64_t position = slot_position(slot);
  if (read_at(file_.get(), header, position, path_) < header.size()) return std::nullopt;
  const PieceDigest digest = hmac_sha256(key_, {bytes_of("record"), Bytes(header).first(record_fields_bytes)});
  if (CRYPTO_memcmp(digest.data(), header.data() + record_fields_bytes, digest.size()) != 0) return std::nullopt;
  JournalRecord record;
  record.piece = get_number(header.data());
  record.size = get_number(header.data() + 8);
  record.preceding.size = get_number(header.data() + 16);
  const std::uint8_t* field = header.data() + 24;
  std::copy_n(field, record.preceding.bytes.size(), record.preceding.bytes.begin());
  field += record.preceding.bytes.size();
  for (PieceDigest* piece : {&record.content, &record.first, &record.last_done, &record.next, &record.last}) {
    std::copy_n(field, digest_bytes, piece->begin());
    field += digest_bytes;
  }
  if (record.size > slot_bytes_ || record.preceding.size > record.preceding.bytes.size()) return std::nullopt;
  const MutableBytes text = content.first(record.size);
  if (read_at(file_.get(), text, position + header.size(), path_) < text.size()) return std::nullopt;
  if (digest_of(record.piece, text) != record.content) return std::nullopt;
  return record;
}

void Journal::write(const JournalRecord& record, Bytes content) {
  std::array<std::uint8_t, record_header_bytes> header{};
  put_number(header.data(), record.piece);
  put_number(header.data() + 8, record.size);
  put_number(header.data() + 16, record.preceding.size);
  std::uint8_t* field = std::copy(record.preceding.bytes.begin(), record.preceding.bytes.end(), header.data() + 24);
  for (const PieceDigest* piece : {&record.content, &record.first, &record.last_done, &record.next, &record.last}) {
    field = std::copy(piece->begin(), piece->end(), field);
  }
  const PieceDigest digest = hmac_sha256(key_, {bytes_of("record"), Bytes(header).first(record_fields_bytes)});
  std::copy(digest.begin(), digest.end(), field);
  write_at(file_.get(), header, slot_position(record.piece), path_);
  write_content(content, slot_position(record.piece) + header.size());
  require_synced(file_.get(), path_);
}

void Journal::write_content(Bytes content, std::uint64_t position) {
  if (!mapping_) mapping_ = OutputMapping::make(file_.get(), reserved_bytes());
  for_each_part(num_threads_, content.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    write_by(mapping_.get(), file_.get(), content.subspan(begin, size), position + begin, path_);
  });
}

void Journal::remove() {
  remove_if_same(path_, own_identity_);
  sync_folder_of(path_);
  mapping_.reset();
  file_ = FileDescriptor();
}

}  // namespace phalanx

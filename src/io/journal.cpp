#include "io/journal.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "formats/random_bytes.hpp"
#include "io/atomic_file.hpp"

namespace phalanx {
namespace {

// The file: a header, and from slots_position two slots of a record header and slot_bytes each. Numbers are little-endian.
constexpr char magic[17] = "phalanx journal1";
constexpr std::size_t magic_bytes = 16;
constexpr std::size_t header_bytes = 16 + 16 + 32 + 32;  // magic, salt, digest of the parameters, key check
constexpr std::uint64_t slots_position = 4096;
constexpr std::size_t record_header_bytes = 8 + 8 + 8 + 16 + 32;  // piece, size, size of preceding, preceding, digest
constexpr std::size_t record_fields_bytes = record_header_bytes - 32;

void put_number(std::uint8_t* out, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

std::uint64_t get_number(const std::uint8_t* in) {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number |= std::uint64_t{in[i]} << (8 * i);
  return number;
}

Bytes as_bytes(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

std::array<std::uint8_t, 32> sha256(std::initializer_list<Bytes> parts) {
  std::array<std::uint8_t, 32> digest{};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const Bytes part : parts) good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  if (!good || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto cannot compute SHA-256");
  }
  return digest;
}

void sync_data(int descriptor, const std::string& name) {
  if (fdatasync(descriptor) != 0) throw_system_error("write", name);
}

}  // namespace

Journal::Journal(std::string path, const JournalIdentity& identity, std::size_t slot_bytes)
    : path_(std::move(path)), slot_bytes_(slot_bytes) {
  if (open_existing()) {
    check_identity(identity);
    return;
  }
  try {
    create(identity);
  } catch (...) {
    if (file_.is_open()) ::unlink(path_.c_str());
    throw;
  }
}

// The magic is written last, when the rest of the header is durable, and no record before it: where it is missing or torn,
// nothing was overwritten yet, and the journal can be begun again.
bool Journal::open_existing() {
  file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file_.is_open()) {
    if (errno == ENOENT) return false;
    throw_system_error("open", path_);
  }
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on this file");
  }
  std::array<std::uint8_t, header_bytes> header{};
  const std::size_t size = read_at(file_.get(), header, 0, path_);
  const auto torn_at = std::mismatch(magic, magic + magic_bytes, header.begin()).second;
  if (size == header_bytes && torn_at == header.begin() + magic_bytes) return true;
  if (std::any_of(torn_at, header.begin() + magic_bytes, [](std::uint8_t byte) { return byte != 0; })) {
    throw Error(ErrorCode::usage, path_ + " is not a journal of Phalanx: move it away");
  }
  ::unlink(path_.c_str());
  file_ = FileDescriptor();
  return false;
}

void Journal::create(const JournalIdentity& identity) {
  file_ = open_file(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  flock(file_.get(), LOCK_EX | LOCK_NB);
  const auto file_bytes = static_cast<off_t>(slots_position + 2 * (record_header_bytes + slot_bytes_));
  if (const int error = posix_fallocate(file_.get(), 0, file_bytes)) {
    errno = error;
    throw_system_error("create", path_);
  }
  fill_random(salt_);
  const Digest parameters = parameters_digest(identity), check = key_check(identity);
  std::array<std::uint8_t, header_bytes> header{};
  std::uint8_t* end = std::copy_n(magic, magic_bytes, header.data());
  end = std::copy(salt_.begin(), salt_.end(), end);
  end = std::copy(parameters.begin(), parameters.end(), end);
  std::copy(check.begin(), check.end(), end);
  write_at(file_.get(), Bytes(header).subspan(magic_bytes), magic_bytes, path_);
  sync_data(file_.get(), path_);
  write_at(file_.get(), Bytes(header).first(magic_bytes), 0, path_);
  sync_data(file_.get(), path_);
  sync_folder_of(path_);
}

void Journal::check_identity(const JournalIdentity& identity) {
  std::array<std::uint8_t, header_bytes> header{};
  read_at(file_.get(), header, 0, path_);
  const std::uint8_t* fields = header.data() + magic_bytes;
  std::copy_n(fields, salt_bytes, salt_.begin());
  const Digest parameters = parameters_digest(identity), check = key_check(identity);
  if (std::memcmp(parameters.data(), fields + salt_bytes, digest_bytes) != 0) {
    throw Error(ErrorCode::usage, path_ +
                                      " is of another command or another length of the file: give the command that "
                                      "was interrupted");
  }
  if (CRYPTO_memcmp(check.data(), fields + salt_bytes + digest_bytes, digest_bytes) != 0) {
    throw Error(ErrorCode::wrong_key, path_ + " was begun with another key: give that key");
  }
}

Journal::Digest Journal::parameters_digest(const JournalIdentity& identity) const {
  return sha256({salt_, as_bytes(identity.parameters)});
}

Journal::Digest Journal::key_check(const JournalIdentity& identity) const {
  const std::string label = "phalanx in-place journal: key check";
  std::array<std::uint8_t, salt_bytes + 64> message{};
  std::copy(label.begin(), label.end(), std::copy(salt_.begin(), salt_.end(), message.begin()));
  Digest check{};
  if (HMAC(EVP_sha256(), identity.key.data(), static_cast<int>(identity.key.size()), message.data(), message.size(),
           check.data(), nullptr) == nullptr) {
    throw Error(ErrorCode::runtime, "libcrypto cannot compute HMAC-SHA-256");
  }
  return check;
}

std::uint64_t Journal::slot_position(std::uint64_t piece) const {
  return slots_position + piece % 2 * (record_header_bytes + slot_bytes_);
}

std::optional<JournalRecord> Journal::newest(MutableBytes content) const {
  const auto first = read_slot(0, content);
  const auto second = read_slot(1, content);
  if (second && (!first || second->piece > first->piece)) return second;
  if (first) return read_slot(0, content);
  return std::nullopt;
}

std::optional<JournalRecord> Journal::read_slot(std::uint64_t slot, MutableBytes content) const {
  std::array<std::uint8_t, record_header_bytes> header{};
  const std::uint64_t position = slot_position(slot);
  if (read_at(file_.get(), header, position, path_) < header.size()) return std::nullopt;
  JournalRecord record;
  record.piece = get_number(header.data());
  record.size = get_number(header.data() + 8);
  record.preceding.size = get_number(header.data() + 16);
  std::copy_n(header.data() + 24, record.preceding.bytes.size(), record.preceding.bytes.begin());
  if (record.size > slot_bytes_ || record.preceding.size > record.preceding.bytes.size()) return std::nullopt;
  const MutableBytes text = content.first(record.size);
  if (read_at(file_.get(), text, position + header.size(), path_) < text.size()) return std::nullopt;
  const Digest digest = sha256({salt_, Bytes(header).first(record_fields_bytes), text});
  if (std::memcmp(digest.data(), header.data() + record_fields_bytes, digest.size()) != 0) return std::nullopt;
  return record;
}

void Journal::write(const JournalRecord& record, Bytes content) {
  std::array<std::uint8_t, record_header_bytes> header{};
  put_number(header.data(), record.piece);
  put_number(header.data() + 8, record.size);
  put_number(header.data() + 16, record.preceding.size);
  std::copy(record.preceding.bytes.begin(), record.preceding.bytes.end(), header.data() + 24);
  const Digest digest = sha256({salt_, Bytes(header).first(record_fields_bytes), content});
  std::copy(digest.begin(), digest.end(), header.data() + record_fields_bytes);
  write_at(file_.get(), header, slot_position(record.piece), path_);
  write_at(file_.get(), content, slot_position(record.piece) + header.size(), path_);
  sync_data(file_.get(), path_);
}

void Journal::remove() {
  ::unlink(path_.c_str());
  sync_folder_of(path_);
  file_ = FileDescriptor();
}

}  // namespace phalanx

#include "files/foreign/cms/cms_message.hpp"

#include <algorithm>
#include <limits>
#include <phalanx/error.hpp>
#include <phalanx/files/padding.hpp>

#include "engine/engines/composed_gcm.hpp"
#include "files/foreign/asn1/octet_string_pieces.hpp"
#include "files/foreign/cms/cms_decryptor.hpp"
#include "files/foreign/padding_evidence.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/spool.hpp"

namespace phalanx {
namespace {

[[noreturn]] void refuse_change(const std::string& name) {
  throw Error(ErrorCode::runtime, name + " was changed while it was read: do it again when nobody writes to it");
}

}  // namespace

// Gives the pieces of a content that is gathered from a structure, and reads the structure's end behind the last one.
class CmsMessage::ContentPieces : public StreamPieces {
 public:
  ContentPieces(CmsMessage& message, std::size_t block_bytes)
      : StreamPieces(message.reading_->content(), message.piece_bytes_, block_bytes), message_(message) {}

  bool read(Piece& piece) override {
    if (!StreamPieces::read(piece)) return false;
    num_bytes_ = piece.offset + piece.size;
    if (num_bytes_ > message_.most_bytes()) refuse_change(message_.name_);
    return true;
  }
  void finish() override { message_.take_tail(num_bytes_); }

 private:
  CmsMessage& message_;
  std::uint64_t num_bytes_ = 0;
};

// The pieces of one that stands in a file, which any number of threads gathers.
class CmsMessage::GatheredPieces : public OctetStringPieces {
 public:
  GatheredPieces(CmsMessage& message, OctetStringPlace place, std::size_t block_bytes)
      : OctetStringPieces(std::move(place), message.piece_bytes_, block_bytes), message_(message) {}

  bool read(Piece& piece) override {
    if (!OctetStringPieces::read(piece)) return false;
    if (piece.offset + piece.size > message_.most_bytes()) refuse_change(message_.name_);
    return true;
  }
  void finish() override {
    message_.reading_->content().skip_pieces(raw_bytes());
    message_.take_tail(num_bytes());
  }

 private:
  CmsMessage& message_;
};

class CmsMessage::ExtentPieces : public FilePieces {
 public:
  ExtentPieces(CmsMessage& message, std::size_t block_bytes)
      : FilePieces(*message.extent_, message.piece_bytes_, block_bytes), message_(message) {}
  void finish() override {
    if (message_.file_ != nullptr) message_.file_->seek(message_.end_);
  }

 private:
  CmsMessage& message_;
};

CmsMessage::CmsMessage(Input& input) : name_(input.name()) {
  const std::uint64_t num_bytes = input.remaining_bytes().value_or(0);  // files of /proc say that they are empty
  if (num_bytes == 0) {
    reading_ = std::make_unique<MessageReading>(static_cast<ByteSource&>(input), name_);
    front_ = reading_->front();
    return;
  }
  file_ = &input;
  start_ = input.position();
  end_ = start_ + num_bytes;
  begin_again();
  front_ = reading_->front();
  if (reading_->is_content_in_one_piece()) find_extent();
}

CmsMessage::CmsMessage(ByteSource& source, const std::string& name)
    : name_(name), reading_(std::make_unique<MessageReading>(source, name)), front_(reading_->front()) {}

void CmsMessage::begin_again() {
  reading_ = std::make_unique<MessageReading>(*file_, start_);
  is_content_read_ = false;
}

// The length that the content says is held to the file, so that a message that was cut short is refused at once.
void CmsMessage::find_extent() {
  const std::uint64_t num_bytes = *reading_->content().num_bytes(), position = start_ + reading_->position();
  if (position > end_ || num_bytes > end_ - position)
    throw Error(ErrorCode::truncated,
                name_ + " is cut short: its content has " + std::to_string(num_bytes) + " bytes, and " +
                    std::to_string(end_ - std::min(position, end_)) + " of them are there",
                {.name = name_});
  extent_ = {.file = file_->descriptor(), .name = name_, .position = position, .num_bytes = num_bytes};
  reading_->content().skip();
  tail_ = reading_->finish();
  is_content_read_ = true;
}

// Keeps the content of an input that cannot seek, since it is read twice.
void CmsMessage::keep_content() {
  spooled_.emplace(spool(reading_->content(), name_));
  tail_ = reading_->finish();
  is_content_read_ = true;
  extent_ = {
      .file = spooled_->descriptor(), .name = name_, .position = 0, .num_bytes = spooled_->remaining_bytes().value_or(0)};
}

std::uint64_t CmsMessage::most_bytes() const {
  if (extent_) return extent_->num_bytes;
  return file_ != nullptr ? end_ - start_ : std::numeric_limits<std::uint64_t>::max();
}

std::optional<std::uint64_t> CmsMessage::content_bytes() const {
  return extent_ ? std::optional(extent_->num_bytes) : std::nullopt;
}

// Takes what stands behind a content of so many bytes, all of which was read.
void CmsMessage::take_tail(std::uint64_t num_bytes) {
  tail_ = reading_->finish();
  if (decryptor_ == nullptr) return;  // it is the first reading of two
  const bool is_second = readings_.has_value();
  if (is_second && readings_->num_bytes() != num_bytes) refuse_change(name_);
  if (file_ != nullptr) file_->seek(end_);
}

std::unique_ptr<PieceReader> CmsMessage::new_reader(std::size_t block_bytes) {
  if (extent_) return std::make_unique<ExtentPieces>(*this, block_bytes);
  if (is_content_read_) begin_again();
  is_content_read_ = true;
  if (file_ != nullptr && reading_->is_content_in_pieces()) {
    const std::uint64_t end = reading_->content_end(), most = std::numeric_limits<std::uint64_t>::max();
    return std::make_unique<GatheredPieces>(*this,
                                            OctetStringPlace{.file = file_->descriptor(),
                                                             .name = name_,
                                                             .position = start_ + reading_->position(),
                                                             .end = end > most - start_ ? most : end + start_,
                                                             .has_end_mark = reading_->has_end_mark(),
                                                             .file_end = end_},
                                            block_bytes);
  }
  return std::make_unique<ContentPieces>(*this, block_bytes);
}

std::unique_ptr<PieceReader> CmsMessage::reader() {
  return new_reader(front_.content.is_gcm ? 0 : front_.content.cipher.block_bytes);
}

void CmsMessage::open(const CmsKeys& keys, const RunOptions& options, Progress& progress, std::size_t piece_bytes) {
  piece_bytes_ = piece_bytes;
  const std::vector<SecretBytes> found = recover_content_keys(front_, keys, name_);
  if (front_.content.is_gcm) return open_gcm(found, options, progress);
  open_cbc(found, options);
}

// Returns the last bytes of the content: so many, or all where there are fewer.
std::vector<std::uint8_t> CmsMessage::read_last(std::size_t num_bytes) {
  std::vector<std::uint8_t> last;
  if (extent_) {
    last.resize(static_cast<std::size_t>(std::min<std::uint64_t>(extent_->num_bytes, num_bytes)));
    last.resize(read_at(extent_->file, last, extent_->position + extent_->num_bytes - last.size(), name_));
    return last;
  }
  if (is_content_read_) begin_again();
  is_content_read_ = true;
  std::vector<std::uint8_t> part(default_piece_bytes);
  while (const std::size_t got = reading_->content().read(part)) {
    const auto kept = static_cast<std::ptrdiff_t>(std::min(got, num_bytes)), end = static_cast<std::ptrdiff_t>(got);
    last.insert(last.end(), part.begin() + end - kept, part.begin() + end);
    last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(std::min(last.size(), num_bytes)));
  }
  return last;
}

// An RSA key that fits several recipients gives several keys, one of which is the content's. A wrong key gives valid
// padding about once in 256 times.
std::size_t CmsMessage::choose_by_padding(const std::vector<SecretBytes>& keys, const RunOptions& options) {
  if (file_ == nullptr && !extent_) keep_content();
  const ContentCipher& content = front_.content;
  const std::vector<std::uint8_t> last = read_last(2 * content.cipher.block_bytes);
  if (last.empty() || last.size() % content.cipher.block_bytes != 0) return 0;
  std::vector<std::size_t> padding_bytes;
  for (const SecretBytes& key : keys)
    padding_bytes.push_back(padding_under_key({.cipher = content.cipher, .last_blocks = last}, key, content.iv, options));
  const std::optional<KeyRanking> ranking = rank_by_padding(padding_bytes);
  return ranking ? ranking->best : 0;
}

void CmsMessage::open_cbc(const std::vector<SecretBytes>& keys, const RunOptions& options) {
  const std::size_t chosen = keys.size() > 1 ? choose_by_padding(keys, options) : 0;
  CryptJob job{.direction = Direction::decrypt, .mode = Mode::cbc, .iv = {}, .padding = Padding::pkcs7, .sectors = {}};
  const ContentCipher& content = front_.content;
  job.iv.size = content.iv.size();
  std::ranges::copy(content.iv, job.iv.bytes.begin());
  decryptor_ = std::make_unique<CbcContentDecryptor>(make_decryptor(content.cipher, keys[chosen], job, options), name_);
  if (piece_bytes_ == 0) piece_bytes_ = piece_bytes_for(job, is_gpu(decryptor_->engine()));
  if (extent_) decryptor_->check_length(extent_->num_bytes);
}

void CmsMessage::open_gcm(const std::vector<SecretBytes>& keys, const RunOptions& options, Progress& progress) {
  if (file_ == nullptr && !extent_) keep_content();
  for (const SecretBytes& key : keys) {
    if (verify(key, options, progress)) return;
  }
  refuse_to_open(name_);
}

// The attributes that the tag covers stand behind the content, and are known once it was read.
bool CmsMessage::verify(Bytes key, const RunOptions& options, Progress& progress) {
  const ContentCipher& content = front_.content;
  const AeadInParts hashing(content.name, key, content.iv, {}, options);
  if (piece_bytes_ == 0) piece_bytes_ = piece_bytes_for(CryptJob(), is_gpu(hashing.engine()));
  readings_.emplace(most_bytes(), piece_bytes_);
  readings_->hash(hashing, *new_reader(0), options, progress);
  if (readings_->num_bytes() > ComposedGcm::most_text_bytes)
    throw Error(ErrorCode::format, name_ + " is longer than any message of GCM", {.name = name_});
  auto message = std::make_unique<AeadInParts>(content.name, key, content.iv, tail_.associated_data, options);
  if (!readings_->is_tag(*message, tail_.tag)) return false;
  decryptor_ = std::make_unique<GcmContentDecryptor>(std::move(message), *readings_, name_);
  return true;
}

}  // namespace phalanx

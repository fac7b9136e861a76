#include "files/foreign/openpgp/openpgp_message.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "files/foreign/message_cipher.hpp"
#include "files/foreign/openpgp/chunks_decryptor.hpp"
#include "files/foreign/openpgp/refusals.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/spool.hpp"

namespace phalanx {
namespace {

constexpr std::size_t repeated_bytes = 2;  // of the first random block, behind it

// Names at most so many keys, since a line has to be read.
std::string list_of(const std::vector<PublicKeyRecipient>& recipients) {
  constexpr std::size_t most_named = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(recipients.size(), most_named); ++i) {
    const PublicKeyRecipient& recipient = recipients[i];
    list += (i == 0 ? "" : ", ") + recipient.algorithm + " " +
            (recipient.key_id.empty() ? "of a hidden key" : "0x" + recipient.key_id);
  }
  if (recipients.size() > most_named) list += " and " + std::to_string(recipients.size() - most_named) + " more";
  return list;
}

}  // namespace

Bytes OpenPgpMessage::Body::look_at(std::size_t num_bytes) {
  if (ahead_.empty()) {
    ahead_.resize(num_bytes);
    ahead_.resize(source_.read(ahead_));
  }
  return Bytes(ahead_).first(std::min(ahead_.size(), num_bytes));
}

std::size_t OpenPgpMessage::Body::read(MutableBytes out) {
  const std::size_t size = std::min(out.size(), ahead_.size());
  std::copy_n(ahead_.begin(), size, out.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(size));
  return size == out.size() ? size : size + source_.read(out.subspan(size));
}

OpenPgpMessage::OpenPgpMessage(Input& input) : name_(input.name()) {
  const std::uint64_t num_bytes = input.remaining_bytes().value_or(0);  // files of /proc say that they are empty
  if (num_bytes != 0) {
    file_ = &input;
    start_ = input.position();
    end_ = start_ + num_bytes;
  }
  begin_reading(input);
  if (file_ != nullptr && !is_armored() && packets_->is_in_one_piece()) find_extent();
}

OpenPgpMessage::OpenPgpMessage(ByteSource& source, const std::string& name) : name_(name) { begin_reading(source); }

void OpenPgpMessage::begin_reading(ByteSource& source) {
  source_ = std::make_unique<MessageSource>(source, name_);
  packets_ = std::make_unique<PacketStream>(*source_, name_);
  front_ = read_openpgp_front(*packets_, name_);
  body_ = std::make_unique<Body>(*packets_);
}

// The length that the packet says is held to the file, so that a message that was cut short is refused at once.
void OpenPgpMessage::find_extent() {
  const std::uint64_t position = start_ + packets_->position(), there = end_ - position;
  if (packets_->has_length() && packets_->num_left() > there) {
    throw Error(ErrorCode::truncated,
                name_ + " is cut short: its encrypted data have " + std::to_string(packets_->num_left()) + " bytes, and " +
                    std::to_string(there) + " of them are there",
                {.name = name_});
  }
  extent_ = {.file = file_->descriptor(),
             .name = name_,
             .position = position,
             .num_bytes = packets_->has_length() ? packets_->num_left() : there};
}

void OpenPgpMessage::begin_again() {
  if (extent_) return;
  file_->seek(start_);
  begin_reading(*file_);
}

std::vector<std::uint8_t> OpenPgpMessage::look_at_beginning(std::size_t num_bytes) {
  if (extent_) {
    std::vector<std::uint8_t> beginning(static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, extent_->num_bytes)));
    beginning.resize(read_at(extent_->file, beginning, extent_->position, name_));
    return beginning;
  }
  const Bytes beginning = body_->look_at(num_bytes);
  return {beginning.begin(), beginning.end()};
}

void OpenPgpMessage::require_passphrase_recipient(const OpenPgpKeys& keys) const {
  if (!front_.passphrases.empty()) return;
  if (front_.public_keys.empty()) {
    refuse_to_read_message(name_, front_.unread_key.empty()
                                      ? "it has no session key, as PGP 2 wrote messages by IDEA, which is not read"
                                      : front_.unread_key);
  }
  throw Error(
      ErrorCode::usage,
      name_ + " is encrypted for " + list_of(front_.public_keys) + ", and for no passphrase: give " + keys.session_key_words,
      {.name = name_});
}

std::vector<SessionKey> OpenPgpMessage::keys_of_passphrase(Bytes passphrase) const {
  std::vector<SessionKey> found;
  const auto take = [&](const PassphraseRecipient& recipient) {
    if (std::optional<SessionKey> key = open_recipient(recipient, passphrase)) found.push_back(std::move(*key));
  };
  std::ranges::for_each(front_.passphrases, take);
  return found;
}

std::vector<SessionKey> OpenPgpMessage::session_keys_of(const OpenPgpKeys& keys) const {
  if (keys.session_key) {
    std::vector<SessionKey> given;
    given.push_back({.cipher = keys.session_key->cipher, .key = SecretBytes(Bytes(keys.session_key->key))});
    return given;
  }
  require_passphrase_recipient(keys);
  if (!keys.passphrase) throw Error(ErrorCode::usage, name_ + " is not opened without a passphrase or its session key");
  return with_name(name_, [&] { return keys_of_passphrase(*keys.passphrase); });
}

// Under the right key, the last two bytes of the first block are repeated behind it (RFC 9580, section 5.13.1).
bool OpenPgpMessage::may_be_key(const SessionKey& key) {
  if (!is_openpgp_cipher(key.cipher)) return false;  // it is for chunks, which say their cipher themselves
  const OpenPgpCipher cipher = openpgp_cipher(key.cipher);
  const std::size_t block_bytes = cipher.block_bytes;
  const std::vector<std::uint8_t> beginning = look_at_beginning(block_bytes + repeated_bytes);
  if (beginning.size() != block_bytes + repeated_bytes) refuse_to_open_message(name_);
  const SecretBytes prefix = decrypt_by_cfb(cipher, key.key, beginning);
  const std::uint8_t* const end = prefix.begin() + block_bytes;
  return end[-2] == end[0] && end[-1] == end[1];
}

bool OpenPgpMessage::opens_first_chunk(const SessionKey& key) {
  if (key.key.size() != front_.chunks.cipher.key_bytes) return false;
  ChunksDecryptor decryptor(front_, key, name_, options_);
  const std::vector<std::uint8_t> beginning = look_at_beginning(decryptor.sealed_bytes() + ChunkAead::tag_bytes);
  const bool is_all = beginning.size() < decryptor.sealed_bytes() + ChunkAead::tag_bytes;
  SecretBytes buffer{Bytes(beginning)};
  Piece piece;
  piece.buffer = buffer;
  piece.size = is_all ? beginning.size() : decryptor.sealed_bytes();
  piece.last = is_all;
  try {
    decryptor.process(piece);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key) throw;
    return false;
  }
}

// The first key is taken under which the beginning is right. In CFB a wrong one passes once in 65,536 times, and then the
// message is refused.
SessionKey OpenPgpMessage::choose(std::vector<SessionKey> keys) {
  for (SessionKey& key : keys) {
    if (front_.has_chunks() ? opens_first_chunk(key) : may_be_key(key)) return std::move(key);
  }
  refuse_to_open_message(name_);
}

void OpenPgpMessage::open(const OpenPgpKeys& keys, const RunOptions& options) {
  options_ = options;
  options_.executor = nullptr;  // a content is one stream, which this process alone puts together
  if (!is_authenticated() && !keys.allows_unauthenticated) {
    throw Error(ErrorCode::policy,
                name_ + " has no modification detection code, and nothing shows whether it was changed: " + keys.allowing +
                    " to read it",
                {.name = name_});
  }
  key_ = choose(session_keys_of(keys));
  if (!front_.has_chunks()) {
    const OpenPgpCipher cipher = openpgp_cipher(key_.cipher);
    block_bytes_ = cipher.block_bytes;
    first_iv_.size = block_bytes_;
    if (!is_authenticated()) {  // CFB begins once more behind the prefix (section 5.7)
      resync_ = look_at_beginning(block_bytes_ + repeated_bytes);
      std::copy_n(resync_.begin() + repeated_bytes, block_bytes_, first_iv_.bytes.begin());
      if (extent_) {
        extent_->position += resync_.size();
        extent_->num_bytes -= resync_.size();
      }
    }
  }
  make_stages();
}

void OpenPgpMessage::make_stages() {
  if (has_code()) detection_.emplace();
  if (front_.has_chunks()) {
    auto decryptor = std::make_unique<ChunksDecryptor>(front_, key_, name_, options_);
    piece_bytes_ = decryptor->piece_bytes();
    cipher_ = front_.chunks.cipher.name + "-" + name_of(front_.chunks.aead);
    decryptor_ = std::move(decryptor);
    return;
  }
  CryptJob job;
  job.direction = Direction::decrypt;
  job.mode = Mode::cfb;
  job.iv = first_iv_;
  const OpenPgpCipher cipher = openpgp_cipher(key_.cipher);
  decryptor_ = make_decryptor(cfb_of(cipher), key_.key, job, options_);
  piece_bytes_ = piece_bytes_for(job, is_gpu(decryptor_->engine()));
  cipher_ = cipher.name + "-cfb";
}

std::unique_ptr<PieceReader> OpenPgpMessage::reader() {
  if (is_read_) {
    begin_again();
    make_stages();
  }
  is_read_ = true;
  if (extent_) return std::make_unique<FilePieces>(*extent_, piece_bytes_, block_bytes_);
  std::vector<std::uint8_t> passed(resync_.size());
  static_cast<void>(body_->read(passed));
  return std::make_unique<StreamPieces>(*body_, piece_bytes_, block_bytes_);
}

void OpenPgpMessage::keep_ciphertext() {
  spooled_.emplace(spool(*body_, name_));
  require_end();
  extent_ = {
      .file = spooled_->descriptor(), .name = name_, .position = 0, .num_bytes = spooled_->remaining_bytes().value_or(0)};
}

PieceThreads OpenPgpMessage::threads() const { return piece_threads(options_, engine()); }

void OpenPgpMessage::verify(Progress& progress) {
  if (!has_code()) return;
  if (file_ == nullptr && !extent_) keep_ciphertext();
  const std::unique_ptr<PieceReader> pieces = reader();
  NullPieces nowhere;
  PipelineStage* const stages[] = {decryptor_.get(), &*detection_};
  run_pieces(*pieces, stages, nowhere, progress, threads());
  finish();
}

// Nobody authenticated what stands behind the message.
void OpenPgpMessage::require_end() {
  if (is_armored()) return;  // behind an armor any text may stand
  std::uint8_t byte = 0;
  const bool is_end = extent_ ? extent_->position + extent_->num_bytes == end_ : source_->read({&byte, 1}) == 0;
  if (is_end) return;
  throw Error(ErrorCode::format, name_ + " has more behind its message, which nothing authenticates: cut it off",
              {.name = name_});
}

void OpenPgpMessage::finish() {
  if (has_code() && !detection_->is_right()) refuse_to_open_message(name_);
  if (!spooled_) require_end();
  if (file_ != nullptr) file_->seek(end_);
}

std::size_t OpenPgpMessage::prefix_bytes() const { return has_code() ? block_bytes_ + repeated_bytes : 0; }

std::optional<std::uint64_t> OpenPgpMessage::ciphertext_bytes() const {
  return extent_ ? std::optional(extent_->num_bytes) : std::nullopt;
}

}  // namespace phalanx

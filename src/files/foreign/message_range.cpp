#include "files/foreign/message_range.hpp"

#include <algorithm>
#include <string>

#include "engine/library/argument_checks.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

CryptJob without_padding(CryptJob job) {
  job.padding = Padding::none;
  return job;
}

void read_whole(const Input& input, MutableBytes out, std::uint64_t position) {
  if (read_at(input.descriptor(), out, position, input.name()) == out.size()) return;
  throw Error(ErrorCode::runtime, input.name() + " became shorter while it was read");
}

// Reads a message from `begin` to `end`, in pieces that know their place in it. This is no FilePieces, since an executor
// that takes those elsewhere begins at 0.
class RangePieces : public PieceReader {
 public:
  struct Part {
    std::uint64_t position;  // of the message
    std::uint64_t begin, end;
    bool ends_message;
  };
  RangePieces(const Input& input, const Part& part, std::size_t piece_bytes, std::size_t block_bytes)
      : input_(input),
        part_(part),
        pieces_({input.descriptor(), input.name(), part.position + part.begin, part.end - part.begin}, piece_bytes,
                block_bytes),
        block_bytes_(block_bytes) {}

  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override { return pieces_.num_pieces(); }
  [[nodiscard]] std::size_t buffer_bytes() override { return pieces_.buffer_bytes(); }
  bool read(Piece& piece) override;

 private:
  const Input& input_;
  Part part_;
  FilePieces pieces_;
  std::size_t block_bytes_;
};

bool RangePieces::read(Piece& piece) {
  if (!pieces_.read(piece)) return false;
  if (piece.offset == 0 && part_.begin != 0) {
    piece.preceding.size = block_bytes_;
    read_whole(input_, MutableBytes(piece.preceding.bytes).first(block_bytes_), part_.position + part_.begin - block_bytes_);
  }
  piece.offset += part_.begin;
  piece.last = piece.last && part_.ends_message;
  return true;
}

// Decrypts each piece, and cuts off what lies outside of the slice.
class RangeStage : public PipelineStage {
 public:
  RangeStage(MessageCipher& cipher, std::uint64_t begin, std::uint64_t end) : cipher_(cipher), begin_(begin), end_(end) {}

  void process(Piece& piece) override {
    cipher_.process(piece);
    const std::uint64_t begin = std::max(piece.offset, begin_), end = std::min(piece.offset + piece.size, end_);
    piece.buffer = piece.buffer.subspan(static_cast<std::size_t>(begin - piece.offset));
    piece.size = static_cast<std::size_t>(end - begin);
    piece.offset = begin - begin_;
  }

 private:
  MessageCipher& cipher_;
  std::uint64_t begin_, end_;
};

}  // namespace

void require_ranges(Mode mode) {
  if (mode == Mode::ofb) {
    throw_usage(
        "a part of a message in OFB is not read alone, since its key stream begins with the first block: decrypt all");
  }
  if (is_aead(mode)) {
    throw_usage(std::string(facts_of(mode).name) + " has no parts to read alone, since its tag is of the whole message");
  }
}

void require_ranges(const ForeignCipher& cipher) {
  if (cipher.is_read_only()) throw_usage("a part of a message in " + full_name(cipher) + " is not read alone: decrypt all");
  require_ranges(cipher.mode);
}

MessageRange::MessageRange(const MessageCipher& cipher, InputWatch& watch, const Slice& slice)
    : cipher_(cipher.with(without_padding(cipher.job()))), whole_(cipher), watch_(watch), input_(watch.input()) {
  require_ranges(cipher.job().mode);
  const std::optional<std::uint64_t> num_bytes = input_.remaining_bytes();
  if (!num_bytes) throw_usage(input_.name() + " cannot seek, and only a part of it is to be read: name a file or a disk");
  position_ = input_.position();
  message_bytes_ = *num_bytes;
  set_slice(slice, may_reach_padding(slice) ? find_plain_bytes() : message_bytes_);
  set_read_part();
}

bool MessageRange::may_reach_padding(const Slice& slice) const {
  if (whole_.job().padding == Padding::none) return false;
  const std::size_t block = whole_.cipher().facts().block_bytes;
  const std::uint64_t last_block = message_bytes_ - std::min<std::uint64_t>(message_bytes_, block);
  return !slice.num_bytes || slice.offset >= last_block || *slice.num_bytes > last_block - slice.offset;
}

// The last block has the padding, and in CBC it needs the block before it.
std::uint64_t MessageRange::find_plain_bytes() const {
  whole_.check_length(message_bytes_);
  const std::size_t block = whole_.cipher().facts().block_bytes;
  if (message_bytes_ == 0) return 0;
  SecretBytes buffer(block + max_padding_bytes);
  Piece piece;
  piece.buffer = buffer;
  piece.size = block;
  piece.offset = message_bytes_ - block;
  piece.last = true;
  read_whole(input_, piece.buffer.first(block), position_ + piece.offset);
  if (piece.offset != 0) {
    piece.preceding.size = block;
    read_whole(input_, MutableBytes(piece.preceding.bytes).first(block), position_ + piece.offset - block);
  }
  MessageCipher cipher = whole_.with(whole_.job());
  cipher.process(piece);
  return piece.offset + piece.size;
}

void MessageRange::set_slice(const Slice& slice, std::uint64_t plain_bytes) {
  const bool fits = slice.offset <= plain_bytes && slice.num_bytes.value_or(0) <= plain_bytes - slice.offset;
  if (!fits)
    throw_usage("the plaintext of " + input_.name() + " has " + text_of(plain_bytes) + ", and the range ends behind it");
  begin_ = slice.offset;
  end_ = slice.num_bytes ? begin_ + *slice.num_bytes : plain_bytes;
}

// Whole blocks or sectors are read. The last two blocks of a data unit of XTS are decrypted together, where one is short.
void MessageRange::set_read_part() {
  const std::size_t block = cipher_.cipher().facts().block_bytes, sector = cipher_.job().sectors.sector_bytes;
  const std::size_t unit = sector != 0 ? sector : block;
  if (begin_ == end_) return;
  first_read_ = begin_ / unit * unit;
  end_of_reading_ = std::min((end_ + unit - 1) / unit * unit, message_bytes_);
  if (cipher_.job().mode == Mode::xts && sector == 0 && end_of_reading_ + block > message_bytes_) {
    end_of_reading_ = message_bytes_;
    first_read_ = std::min(first_read_, (message_bytes_ / block - 1) * block);
  }
  if (end_of_reading_ == message_bytes_) cipher_.check_length(message_bytes_);
}

void MessageRange::run(Output& output, const RunOptions& options, Progress& progress) const {
  const RawCipher& raw_cipher = cipher_.cipher();
  const std::size_t piece_bytes = piece_bytes_for(cipher_.job(), is_gpu(raw_cipher.engine()));
  RangePieces pieces(input_, {position_, first_read_, end_of_reading_, end_of_reading_ == message_bytes_}, piece_bytes,
                     raw_cipher.facts().block_bytes);
  MessageCipher cipher = cipher_.with(cipher_.job());
  RangeStage stage(cipher, begin_, end_);
  PipelineStage* const stages[] = {&stage};
  const std::unique_ptr<PieceSink> sink = sink_to(output, {}, num_bytes());
  run_pieces(pieces, stages, *sink, progress, piece_threads(options, raw_cipher.engine()));
}

void MessageRange::decrypt(Output& output, const RunOptions& options, const MessageNews& news, Progress& progress) const {
  if (num_bytes() != 0) run(output, options, progress);
  input_.seek(position_ + message_bytes_);
  const std::string what = watch_.judge();
  if (!what.empty() && news.on_input_change) news.on_input_change(what);
  output.commit();
}

}  // namespace phalanx

// This is the public interface of chunked encryption: whole messages, streams, and any part of a message.
#include <algorithm>
#include <phalanx/chunked.hpp>

#include "engine/chunked/chunk_stream.hpp"
#include "engine/chunked/chunked_key.hpp"
#include "engine/chunked/message_reader.hpp"
#include "engine/library/argument_checks.hpp"

namespace phalanx {

ChunkedAead::ChunkedAead(std::string_view name, Bytes key, Bytes context, const EngineOptions& options)
    : key_(std::make_shared<const ChunkedKey>(name, key, context, options)) {}
ChunkedAead::~ChunkedAead() = default;
ChunkedAead::ChunkedAead(ChunkedAead&&) noexcept = default;
ChunkedAead& ChunkedAead::operator=(ChunkedAead&&) noexcept = default;

const std::string& ChunkedAead::name() const { return ChunkedKey::of(*this)->name; }
const std::string& ChunkedAead::engine() const { return ChunkedKey::of(*this)->engine; }

std::uint64_t ChunkedAead::sealed_bytes(std::uint64_t plain_bytes) {
  return message_prefix_bytes + chunks_bytes(plain_bytes);
}
std::uint64_t ChunkedAead::plain_bytes(std::uint64_t sealed_bytes) { return plain_bytes_of_message(sealed_bytes); }

namespace {

void check_room(Bytes in, Bytes out, std::uint64_t needed, const char* function) {
  if (out.size() != needed) {
    fail_usage("the output takes " + text_of(needed) + ", and room for " + std::to_string(out.size()) +
               " was given: " + function + " says how many");
  }
  check_disjoint(in, out);
}

}  // namespace

void ChunkedAead::seal(Bytes in, MutableBytes out) const {
  const ChunkedKey& key = *ChunkedKey::of(*this);
  check_room(in, out, sealed_bytes(in.size()), "sealed_bytes");
  const ChunkedCipher cipher = key.new_message();
  std::ranges::copy(cipher.prefix(), out.begin());
  cipher.seal(0, in, out.subspan(message_prefix_bytes));
}

void ChunkedAead::open(Bytes in, MutableBytes out) const {
  const ChunkedKey& key = *ChunkedKey::of(*this);
  check_room(in, out, plain_bytes(in.size()), "plain_bytes");
  try {
    key.message_of(in.first(message_prefix_bytes)).open(0, in.subspan(message_prefix_bytes), out);
  } catch (...) {
    wipe_memory(out.data(), out.size());
    throw;
  }
}

struct ChunkedSealer::State {
  SealedStream message;
};

ChunkedSealer::ChunkedSealer(const ChunkedAead& aead, Append append) {
  if (!append) fail_usage("a message's sealer needs a function that takes its bytes");
  state_ = std::make_unique<State>(State{SealedStream(std::move(append), ChunkedKey::of(aead)->new_message(), 1,
                                                      "this message is finished, or failed: make another sealer")});
}
ChunkedSealer::~ChunkedSealer() = default;
ChunkedSealer::ChunkedSealer(ChunkedSealer&&) noexcept = default;
ChunkedSealer& ChunkedSealer::operator=(ChunkedSealer&&) noexcept = default;

namespace {

constexpr const char* moved_sealer = "this message's sealer was moved from: use the one that it was moved to";

}  // namespace

void ChunkedSealer::write(Bytes plain) { state_of(state_, moved_sealer).message.write(plain); }
void ChunkedSealer::finish() { state_of(state_, moved_sealer).message.finish(); }

struct ChunkedOpener::State {
  Append append;
  ChunkOpener opener;
  StreamLife life{"this message is finished, or failed: make another opener"};
  SecretBytes plain{};  // what was opened last, and room for as much

  void write(Bytes sealed);
  void finish();

 private:
  MutableBytes room_for(std::size_t size);
};

MutableBytes ChunkedOpener::State::room_for(std::size_t size) {
  if (plain.size() < size) plain = SecretBytes(size);
  return MutableBytes(plain).first(size);
}

void ChunkedOpener::State::write(Bytes sealed) {
  life.begin_call();
  while (!sealed.empty()) {
    const Bytes piece = sealed.first(std::min(sealed.size(), chunks_of_stream_piece * sealed_chunk_bytes));
    const MutableBytes opened = room_for(opener.update_bytes(piece.size()));
    opener.update(piece, opened);
    if (!opened.empty()) append(opened);
    sealed = sealed.subspan(piece.size());
  }
  life.go_on();
}

void ChunkedOpener::State::finish() {
  life.begin_call();
  const MutableBytes opened = room_for(opener.finish_bytes());
  opener.finish(opened);
  if (!opened.empty()) append(opened);
}

ChunkedOpener::ChunkedOpener(const ChunkedAead& aead, Append append) {
  if (!append) fail_usage("a message's opener needs a function that takes the plaintext");
  state_ = std::make_unique<State>(State{std::move(append), ChunkOpener(ChunkedKey::of(aead))});
}
ChunkedOpener::~ChunkedOpener() = default;
ChunkedOpener::ChunkedOpener(ChunkedOpener&&) noexcept = default;
ChunkedOpener& ChunkedOpener::operator=(ChunkedOpener&&) noexcept = default;

namespace {

constexpr const char* moved_opener = "this message's opener was moved from: use the one that it was moved to";

}  // namespace

void ChunkedOpener::write(Bytes sealed) { state_of(state_, moved_opener).write(sealed); }
void ChunkedOpener::finish() { state_of(state_, moved_opener).finish(); }

struct ChunkedReader::State {
  MessageReader message;

  static std::unique_ptr<const State> of(const ChunkedAead& aead, PlacedBytes sealed);
};

std::unique_ptr<const ChunkedReader::State> ChunkedReader::State::of(const ChunkedAead& aead, PlacedBytes sealed) {
  static_cast<void>(plain_bytes_of_message(sealed.size()));
  std::vector<std::uint8_t> buffer;
  ChunkedCipher cipher = ChunkedKey::of(aead)->message_of(sealed.fetch(0, message_prefix_bytes, buffer));
  return std::make_unique<const State>(State{MessageReader(std::move(sealed), message_prefix_bytes, std::move(cipher))});
}

ChunkedReader::ChunkedReader(const ChunkedAead& aead, ReadAt read_at, std::uint64_t sealed_bytes) {
  if (!read_at) fail_usage("a message's reader needs a function that reads");
  state_ = State::of(aead, PlacedBytes(std::move(read_at), sealed_bytes));
}
ChunkedReader::ChunkedReader(const ChunkedAead& aead, Bytes sealed) : state_(State::of(aead, PlacedBytes(sealed))) {}
ChunkedReader::~ChunkedReader() = default;
ChunkedReader::ChunkedReader(ChunkedReader&&) noexcept = default;
ChunkedReader& ChunkedReader::operator=(ChunkedReader&&) noexcept = default;

namespace {

constexpr const char* moved_reader = "this message's reader was moved from: use the one that it was moved to";

}  // namespace

std::uint64_t ChunkedReader::size() const { return state_of(state_, moved_reader).message.plain_bytes(); }

void ChunkedReader::read(std::uint64_t offset, MutableBytes out) const {
  state_of(state_, moved_reader).message.read(offset, out);
}

}  // namespace phalanx

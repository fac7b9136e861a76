#include "files/foreign/asn1/octet_string_pieces.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t room_for_lengths_bytes = std::size_t{32} << 10;  // in the buffer of a piece
constexpr std::uint64_t guess_margin_bytes = 256;
constexpr std::size_t early_window_bytes = std::size_t{128} << 10;
constexpr std::uint8_t indefinite = 0x80;
constexpr std::size_t end_mark_bytes = 2;

}  // namespace

OctetStringPieces::OctetStringPieces(OctetStringPlace place, std::size_t piece_bytes, std::size_t block_bytes)
    : place_(std::move(place)), piece_bytes_(piece_bytes), block_bytes_(block_bytes) {
  state_.position = place_.position;
  state_.open.push_back({.end = place_.end, .is_definite = !place_.has_end_mark});
}

void OctetStringPieces::refuse(const char* what) const {
  throw Error(ErrorCode::format, place_.name + " is damaged, or is another kind of file: " + what, {.name = place_.name});
}

void OctetStringPieces::refuse_end() const {
  throw Error(ErrorCode::truncated, place_.name + " is cut short: it ends within its structure", {.name = place_.name});
}

std::optional<std::uint64_t> OctetStringPieces::expected_pieces() {
  return num_pieces_of(place_.file_end - std::min(place_.file_end, place_.position), piece_bytes_);
}

std::size_t OctetStringPieces::buffer_bytes() {
  const std::uint64_t in_file = place_.file_end - std::min(place_.file_end, place_.position) + end_mark_bytes;
  const std::uint64_t wanted = piece_bytes_ + largest_block_bytes + room_for_lengths_bytes;
  return static_cast<std::size_t>(std::min(in_file, wanted)) + max_padding_bytes;
}

bool OctetStringPieces::has_piece(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return !is_over_ || number < next_number_;
}

void OctetStringPieces::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  wake_all();
}

void OctetStringPieces::wake_all() {
  for (std::condition_variable& place : places_) place.notify_all();
}

// Where it begins if the pieces up to it are as long as the last one that is known.
OctetStringPieces::Guess OctetStringPieces::guess(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  Guess guess{.state = state_, .is_likely = number == next_number_ || is_regular_};
  if (number <= next_number_) return guess;
  const std::uint64_t each = last_raw_bytes_ != 0 ? last_raw_bytes_ : piece_bytes_;
  guess.state.position += (number - next_number_) * each - (guess.is_likely ? 0 : guess_margin_bytes);
  return guess;
}

bool OctetStringPieces::is_as_guessed(const State& guessed) const {
  return guessed.position == state_.position && guessed.octets_left == state_.octets_left && guessed.open.size() == 1 &&
         state_.open.size() == 1;
}

OctetStringPieces::Window OctetStringPieces::read_window(MutableBytes buffer, std::size_t offset, std::uint64_t position,
                                                         std::size_t most_bytes) const {
  const MutableBytes room = buffer.subspan(offset, std::min(buffer.size() - offset, most_bytes));
  if (position >= place_.file_end) return {.bytes = {}, .offset = offset, .position = position, .is_short = true};
  const std::size_t got = read_at(place_.file, room, position, place_.name);
  return {.bytes = room.first(got), .offset = offset, .position = position, .is_short = got < room.size()};
}

bool OctetStringPieces::end_string(State& state, bool has_mark) const {
  if (state.open.size() == 1) {
    state.has_ended = true;  // before its end mark
    return true;
  }
  if (has_mark) state.position += end_mark_bytes;
  state.open.pop_back();
  return true;
}

// Reads what stands before the next octets. False: the window ends before that is known.
bool OctetStringPieces::begin_string(State& state, const Window& window) const {
  const OpenString outer = state.open.back();
  if (outer.is_definite && state.position == outer.end) return end_string(state, false);
  const Bytes left = window.bytes.subspan(static_cast<std::size_t>(state.position - window.position));
  if (outer.end - state.position < end_mark_bytes) refuse("a piece of its content is longer than what it lies in");
  if (left.size() < end_mark_bytes) return false;
  if (!outer.is_definite && left[0] == 0 && left[1] == 0) return end_string(state, true);
  const std::uint8_t tag = left[0], first = left[1];
  const std::size_t num_octets = first > indefinite ? first & 0x7fU : 0;
  if (num_octets > sizeof(std::uint64_t)) refuse("a piece of its content says that it is longer than any file");
  const std::size_t header_bytes = end_mark_bytes + num_octets;
  if (left.size() < header_bytes) return false;
  std::uint64_t size = first < indefinite ? first : 0;
  for (std::size_t i = 0; i < num_octets; ++i) size = size << 8 | left[end_mark_bytes + i];
  if (header_bytes > outer.end - state.position || size > outer.end - state.position - header_bytes)
    refuse("a piece of its content is longer than what it lies in");
  state.position += header_bytes;
  if (tag == ber::octet_string && first != indefinite) {
    state.octets_left = size;
    return true;
  }
  if (tag != (ber::octet_string | ber::constructed_bit)) refuse("a piece of its content is no octet string");
  if (state.open.size() == BerStream::most_depth) refuse("its structure is deeper than that of any message");
  const bool is_definite = first != indefinite;
  state.open.push_back({.end = is_definite ? state.position + size : outer.end, .is_definite = is_definite});
  return true;
}

// Follows the string through a window up to so many octets, or to its end. False: the window is too short.
bool OctetStringPieces::follow(Walk& walk, const Window& window, std::size_t num_bytes) const {
  State& state = walk.state;
  const std::uint64_t window_end = window.position + window.bytes.size();
  while (walk.num_bytes < num_bytes && !state.has_ended) {
    if (state.octets_left == 0) {
      if (!begin_string(state, window)) return false;
      continue;
    }
    const std::uint64_t there = window_end - state.position;
    if (there == 0) return false;
    const auto size =
        static_cast<std::size_t>(std::min({std::uint64_t{num_bytes - walk.num_bytes}, state.octets_left, there}));
    walk.spans.push_back(
        {.offset = window.offset + static_cast<std::size_t>(state.position - window.position), .size = size});
    walk.num_bytes += size;
    state.position += size;
    state.octets_left -= size;
  }
  return true;
}

// Moves the octets to the beginning of the buffer. None goes beyond where it stood.
void OctetStringPieces::gather(Walk& walk, MutableBytes buffer) {
  std::uint8_t* to = buffer.data();
  for (const Span& span : walk.spans) {
    if (to != buffer.data() + span.offset) std::memmove(to, buffer.data() + span.offset, span.size);
    to += span.size;
  }
  walk.spans.assign(1, {.offset = 0, .size = walk.num_bytes});
}

void OctetStringPieces::collect(Walk& walk, Window& window, MutableBytes buffer, std::size_t num_bytes,
                                std::size_t window_bytes) const {
  while (!follow(walk, window, num_bytes)) {
    gather(walk, buffer);
    const std::uint64_t before = walk.state.position;
    window = read_window(buffer, walk.num_bytes, walk.state.position, window_bytes);
    if (follow(walk, window, num_bytes)) return;
    if (window.is_short || walk.state.position == before) refuse_end();
  }
}

void OctetStringPieces::trim(Walk& walk, std::size_t num_bytes) {
  for (std::size_t i = 0, left = num_bytes; i < walk.spans.size(); ++i) {
    walk.spans[i].size = std::min(walk.spans[i].size, left);
    left -= walk.spans[i].size;
  }
  walk.num_bytes = num_bytes;
}

void OctetStringPieces::copy_last(const Walk& walk, Bytes buffer, MutableBytes out) {
  std::size_t wanted = out.size();
  for (std::size_t i = walk.spans.size(); i-- != 0 && wanted != 0;) {
    const Span& span = walk.spans[i];
    const std::size_t size = std::min(span.size, wanted);
    wanted -= size;
    std::ranges::copy(buffer.subspan(span.offset + span.size - size, size), out.subspan(wanted).begin());
  }
}

void OctetStringPieces::give(Piece& piece, const Found& found, Bytes buffer) {
  const Walk& walk = found.walk;
  piece.offset = num_bytes_;
  piece.size = piece.read_bytes = walk.num_bytes;
  piece.last = found.is_last;
  piece.preceding = last_block_;
  num_bytes_ += walk.num_bytes;
  const std::uint64_t raw_bytes = walk.state.position - state_.position;
  is_regular_ = raw_bytes == last_raw_bytes_ && walk.state.octets_left == state_.octets_left && state_.open.size() == 1 &&
                walk.state.open.size() == 1;
  last_raw_bytes_ = raw_bytes;
  state_ = walk.state;
  is_over_ = found.is_last;
  ++next_number_;
  if (block_bytes_ == 0 || walk.num_bytes < block_bytes_) return;
  last_block_.size = block_bytes_;
  copy_last(walk, buffer, MutableBytes(last_block_.bytes).first(block_bytes_));
}

OctetStringPieces::Found OctetStringPieces::find_piece(const State& from, Window window, MutableBytes buffer,
                                                       std::size_t window_bytes) const {
  Found found{.walk = {.state = from}};
  Walk& walk = found.walk;
  collect(walk, window, buffer, piece_bytes_, window_bytes);
  const State after = walk.state;
  // The last piece has up to a block more than others.
  collect(walk, window, buffer, piece_bytes_ + largest_block_bytes, window_bytes);
  found.is_last = walk.num_bytes < piece_bytes_ + largest_block_bytes;
  if (found.is_last) return found;
  trim(walk, piece_bytes_);
  walk.state = after;
  return found;
}

// Octets are gathered while they are in the nearest cache. A wrong guess leads anywhere, and then to an Error.
std::optional<OctetStringPieces::Found> OctetStringPieces::find_early(const State& guessed, MutableBytes buffer) const {
  try {
    const Window window = read_window(buffer, 0, guessed.position, early_window_bytes);
    Found found = find_piece(guessed, window, buffer, early_window_bytes);
    gather(found.walk, buffer);
    return found;
  } catch (const Error&) {
    return std::nullopt;
  }
}

OctetStringPieces::Found OctetStringPieces::find_in_turn(Window window, MutableBytes buffer) const {
  const std::uint64_t window_end = window.position + window.bytes.size();
  const bool is_in_window = state_.position >= window.position && state_.position <= window_end;
  if (!is_in_window) window = read_window(buffer, 0, state_.position, buffer.size());
  return find_piece(state_, window, buffer, buffer.size());
}

bool OctetStringPieces::read(Piece& piece) {
  const MutableBytes buffer = piece.buffer.first(piece.buffer.size() - max_padding_bytes);
  const Guess guessed = guess(piece.number);
  std::optional<Found> found;
  Window window{.bytes = {}, .position = guessed.state.position};
  if (guessed.is_likely) {
    found = find_early(guessed.state, buffer);
  } else {
    window = read_window(buffer, 0, guessed.state.position, buffer.size());
  }
  std::unique_lock lock(mutex_);
  place_of(piece.number).wait(lock, [&] { return is_stopped_ || is_over_ || next_number_ == piece.number; });
  if (next_number_ != piece.number || is_over_) return false;
  if (!found || !is_as_guessed(guessed.state)) found = find_in_turn(window, buffer);
  give(piece, *found, buffer);
  lock.unlock();
  found->is_last ? wake_all() : place_of(piece.number + 1).notify_all();
  gather(found->walk, buffer);
  return true;
}

}  // namespace phalanx

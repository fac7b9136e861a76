#include "files/foreign/openpgp/packets/packet_stream.hpp"

#include <algorithm>
#include <limits>
#include <phalanx/error.hpp>

namespace phalanx {

void PacketStream::refuse_end() const {
  throw Error(ErrorCode::truncated, name_ + " is cut short: it ends within a packet", {.name = name_});
}

// Returns false where the source ends before the first byte.
bool PacketStream::read_header() {
  bool is_first = !header_.has_begun();
  for (;;) {
    std::uint8_t byte = 0;
    if (source_.read({&byte, 1}) == 0) {
      if (is_first) return false;
      refuse_end();
    }
    ++position_;
    is_first = false;
    if (header_.take(byte)) break;
  }
  num_left_ = header_.has_length() ? header_.num_bytes() : std::numeric_limits<std::uint64_t>::max();
  return true;
}

bool PacketStream::next() {
  header_ = PacketHeader();
  if (!read_header()) return false;
  is_in_parts_ = header_.is_followed();
  return true;
}

bool PacketStream::begin_next_part() {
  if (!header_.is_followed()) return false;
  header_.begin_next_part();
  static_cast<void>(read_header());
  return true;
}

std::size_t PacketStream::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (num_left_ == 0) {
      if (!begin_next_part()) break;
      continue;
    }
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(num_left_, out.size() - done));
    const std::size_t got = source_.read(out.subspan(done, wanted));
    if (got < wanted && header_.has_length()) refuse_end();
    num_left_ = got < wanted ? 0 : num_left_ - got;
    position_ += got;
    done += got;
  }
  return done;
}

std::vector<std::uint8_t> PacketStream::take_body() {
  constexpr std::size_t most_bytes = std::size_t{64} << 10;  // of packets that hold a key
  const auto refuse = [&] { throw Error(ErrorCode::format, name_ + " is damaged: a packet is too long", {.name = name_}); };
  if (is_in_parts_ || !has_length() || num_left_ > most_bytes) refuse();
  std::vector<std::uint8_t> body(static_cast<std::size_t>(num_left_));
  body.resize(read(body));
  return body;
}

void PacketStream::skip_body() {
  std::vector<std::uint8_t> passed(std::size_t{16} << 10);
  while (read(passed) == passed.size()) {
  }
}

}  // namespace phalanx

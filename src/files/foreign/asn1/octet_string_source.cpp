#include "files/foreign/asn1/octet_string_source.hpp"

#include <algorithm>
#include <utility>

namespace phalanx {

OctetStringSource::OctetStringSource(BerStream& stream, std::uint8_t primitive_tag) : stream_(stream) {
  const BerHeader header = stream_.read_header();
  if (header.tag == primitive_tag) {
    num_bytes_ = header.num_bytes;
    piece_left_ = *header.num_bytes;
  } else if (header.tag == (primitive_tag | ber::constructed_bit)) {
    stream_.open(header);
    depth_ = 1;
  } else {
    stream_.refuse("its content is no octet string");
  }
}

// Begins the next piece that is not empty. Returns whether there is one.
bool OctetStringSource::begin_piece() {
  while (depth_ != 0 && piece_left_ == 0) {
    if (stream_.is_at_end()) {
      stream_.leave();
      --depth_;
      continue;
    }
    const BerHeader header = stream_.read_header();
    if (header.tag == ber::octet_string) {
      piece_left_ = *header.num_bytes;
    } else if (header.tag == (ber::octet_string | ber::constructed_bit)) {
      stream_.open(header);
      ++depth_;
    } else {
      stream_.refuse("a piece of its content is no octet string");
    }
  }
  return piece_left_ != 0;
}

std::size_t OctetStringSource::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size() && begin_piece()) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, piece_left_));
    stream_.read(out.subspan(done, size));
    piece_left_ -= size;
    done += size;
  }
  has_ended_ = done < out.size();
  return done;
}

void OctetStringSource::skip() {
  stream_.skip(std::exchange(piece_left_, 0));
  has_ended_ = true;
}

void OctetStringSource::skip_pieces(std::uint64_t raw_bytes) {
  stream_.skip(raw_bytes);
  if (begin_piece()) stream_.refuse("its content goes on behind its end");
  has_ended_ = true;
}

}  // namespace phalanx

#include "files/foreign/base64_stream.hpp"

#include <algorithm>

namespace phalanx {
namespace {

constexpr std::size_t text_bytes = std::size_t{1} << 20;

}  // namespace

void Base64Sink::write(Bytes in) {
  text_.resize(std::max(text_.size(), Base64Encoder::max_update_bytes(in.size())));
  const std::size_t size = encoder_.update(in, text_);
  sink_.write(Bytes(text_).first(size));
}

void Base64Sink::finish() {
  text_.resize(std::max(text_.size(), Base64Encoder::max_finish_bytes));
  const std::size_t size = encoder_.finish(text_);
  sink_.write(Bytes(text_).first(size));
  sink_.finish();
}

std::size_t Base64Source::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (num_taken_ == num_decoded_ && !decode_more()) break;
    const std::size_t size = std::min(out.size() - done, num_decoded_ - num_taken_);
    std::copy_n(decoded_.begin() + static_cast<std::ptrdiff_t>(num_taken_), size,
                out.begin() + static_cast<std::ptrdiff_t>(done));
    num_taken_ += size;
    done += size;
  }
  return done;
}

bool Base64Source::decode_more() {
  if (ended_) return false;
  text_.resize(text_bytes);
  decoded_.resize(Base64Decoder::max_update_bytes(text_bytes));
  const std::size_t size = source_.read(text_);
  num_decoded_ = decoder_.update(Bytes(text_).first(size), decoded_);
  num_taken_ = 0;
  if (size < text_bytes) {
    ended_ = true;
    decoder_.finish();
  }
  return true;
}

}  // namespace phalanx

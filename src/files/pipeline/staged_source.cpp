#include "files/pipeline/staged_source.hpp"

#include <algorithm>

namespace phalanx {

std::size_t StagedSource::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t left = piece_.size - num_taken_;
    if (left == 0) {
      if (!advance()) break;
      continue;
    }
    const std::size_t size = std::min(left, out.size() - done);
    std::ranges::copy(piece_.buffer.subspan(num_taken_, size), out.begin() + static_cast<std::ptrdiff_t>(done));
    num_taken_ += size;
    done += size;
  }
  return done;
}

void StagedSource::forget() {
  piece_ = {};
  memory_ = SecretBytes();
}

// The next piece of plaintext; false: there is none.
bool StagedSource::advance() {
  if (is_at_end_) return false;
  if (memory_.size() == 0) memory_ = SecretBytes(reader_.buffer_bytes());
  piece_.buffer = memory_;
  num_taken_ = 0;
  bool there_is_one = reader_.read(piece_);
  while (there_is_one && piece_.lacks_room()) {
    memory_ = SecretBytes(piece_.size + max_padding_bytes);
    piece_.buffer = memory_;
    there_is_one = reader_.read(piece_);
  }
  if (!there_is_one) {
    piece_.size = 0;
    is_at_end_ = true;
    return false;
  }
  stage_.process(piece_);
  ++piece_.number;
  return true;
}

}  // namespace phalanx

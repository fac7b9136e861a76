#include <algorithm>

#include "io/chunk.hpp"

namespace phalanx {

ChunkReader::ChunkReader(ByteSource& source, std::size_t chunk_bytes, std::size_t block_bytes)
    : source_(source), chunk_bytes_(chunk_bytes), block_bytes_(block_bytes) {}

bool ChunkReader::next(Chunk& chunk) {
  if (ended_) return false;
  std::copy_n(ahead_.bytes, num_ahead_, chunk.buffer.begin());
  const std::size_t wanted = chunk_bytes_ + largest_block_bytes;
  std::size_t have = num_ahead_;
  have += source_.read(chunk.buffer.subspan(have, wanted - have));
  ended_ = have < wanted;
  chunk.size = chunk.read_bytes = ended_ ? have : chunk_bytes_;
  chunk.offset = offset_;
  chunk.last = ended_;
  chunk.preceding = last_block_;
  num_ahead_ = have - chunk.size;
  std::copy_n(chunk.buffer.begin() + static_cast<std::ptrdiff_t>(chunk.size), num_ahead_, ahead_.bytes);
  offset_ += chunk.size;
  remember_last_block(chunk);
  return true;
}

void ChunkReader::remember_last_block(const Chunk& chunk) {
  if (chunk.size < block_bytes_) return;
  last_block_.size = block_bytes_;
  std::copy_n(chunk.buffer.begin() + static_cast<std::ptrdiff_t>(chunk.size - block_bytes_), block_bytes_,
              last_block_.bytes.begin());
}

}  // namespace phalanx

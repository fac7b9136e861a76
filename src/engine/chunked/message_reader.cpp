#include "engine/chunked/message_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/library/argument_checks.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

// A reader reads and opens so many chunks at once, which are enough for many threads.
constexpr std::size_t chunks_at_once = 512;

}  // namespace

Bytes PlacedBytes::fetch(std::uint64_t offset, std::size_t size, std::vector<std::uint8_t>& buffer) const {
  if (!read_at_) return memory_.subspan(offset, size);
  buffer.resize(size);
  if (size != 0) read_at_(offset, buffer);
  return buffer;
}

void PlacedBytes::copy_to(std::uint64_t offset, MutableBytes out) const {
  if (read_at_) {
    read_at_(offset, out);
  } else {
    std::memcpy(out.data(), memory_.data() + offset, out.size());
  }
}

Bytes PlacedBytes::fetch_first(std::size_t size, std::vector<std::uint8_t>& buffer) const {
  return fetch(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, size_)), buffer);
}

MessageReader::MessageReader(PlacedBytes sealed, std::uint64_t chunks_offset, ChunkedCipher cipher)
    : sealed_(std::move(sealed)),
      chunks_offset_(chunks_offset),
      cipher_(std::move(cipher)),
      plain_bytes_(plain_bytes_of_chunks(sealed_.size() - chunks_offset)) {
  std::vector<std::uint8_t> buffer;
  SecretBytes last(plain_bytes_ % plain_chunk_bytes);
  open(plain_bytes_ / plain_chunk_bytes, 1, last, buffer);
}

void MessageReader::open(std::uint64_t first_chunk, std::size_t num_chunks, MutableBytes plain,
                         std::vector<std::uint8_t>& buffer) const {
  const std::size_t size = plain.size() + num_chunks * chunk_tag_bytes;
  cipher_.open(first_chunk, sealed_.fetch(chunks_offset_ + first_chunk * sealed_chunk_bytes, size, buffer), plain);
}

void MessageReader::read_chunks(std::uint64_t offset, MutableBytes out) const {
  std::vector<std::uint8_t> buffer;
  SecretBytes chunks;  // those of which `out` takes only a part
  while (!out.empty()) {
    const std::uint64_t first_chunk = offset / plain_chunk_bytes;
    const std::uint64_t start = first_chunk * plain_chunk_bytes;
    const std::size_t skipped = offset - start;
    const std::size_t wanted = std::min(out.size(), chunks_at_once * plain_chunk_bytes - skipped);
    const std::size_t num_chunks = (skipped + wanted + plain_chunk_bytes - 1) / plain_chunk_bytes;
    const std::size_t size = std::min<std::uint64_t>(num_chunks * plain_chunk_bytes, plain_bytes_ - start);
    if (size == wanted) {
      open(first_chunk, num_chunks, out.first(wanted), buffer);
    } else {
      if (chunks.size() < size) chunks = SecretBytes(size);
      open(first_chunk, num_chunks, MutableBytes(chunks).first(size), buffer);
      std::memcpy(out.data(), chunks.data() + skipped, wanted);
    }
    offset += wanted;
    out = out.subspan(wanted);
  }
}

void MessageReader::check_range(std::uint64_t offset, std::size_t num_bytes) const {
  if (offset <= plain_bytes_ && num_bytes <= plain_bytes_ - offset) return;
  fail_usage("the plaintext has " + text_of(plain_bytes_) + ", and " + std::to_string(num_bytes) + " at " +
             std::to_string(offset) + " were asked for");
}

void MessageReader::read_to_device(std::uint64_t offset, void* out, std::size_t num_bytes, void* stream) const {
  check_range(offset, num_bytes);
  if (num_bytes == 0) return;
  const std::uint64_t first_chunk = offset / plain_chunk_bytes;
  const std::uint64_t start = first_chunk * plain_chunk_bytes;
  const std::uint64_t num_chunks = (offset + num_bytes - start + plain_chunk_bytes - 1) / plain_chunk_bytes;
  const std::uint64_t sealed_start = chunks_offset_ + first_chunk * sealed_chunk_bytes;
  SealedChunks chunks{};
  chunks.cutting.chunk_bytes = plain_chunk_bytes;
  chunks.cutting.plain_bytes = std::min(num_chunks * plain_chunk_bytes, plain_bytes_ - start);
  chunks.cutting.num_chunks = num_chunks;
  if (sealed_.memory() != nullptr) chunks.memory = sealed_.memory() + sealed_start;
  chunks.read = [this, sealed_start](std::uint64_t at, MutableBytes sealed) { sealed_.copy_to(sealed_start + at, sealed); };
  chunks.skipped_bytes = offset - start;
  chunks.wanted_bytes = num_bytes;
  cipher_.open_to_device(first_chunk, std::move(chunks), out, stream);
}

void MessageReader::read(std::uint64_t offset, MutableBytes out) const {
  check_range(offset, out.size());
  try {
    read_chunks(offset, out);
  } catch (...) {
    wipe_memory(out.data(), out.size());
    throw;
  }
}

}  // namespace phalanx

#include "files/foreign/ciphertext_tail.hpp"

#include <algorithm>
#include <string>

#include "files/foreign/base64_stream.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/pipeline/piece.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_end_bytes = 2 * largest_block_bytes;

// A place in a base64 text does not show how many bytes stand before it, so all of the text is decoded.
CiphertextEnd decode_to_the_end(Input& input) {
  CiphertextEnd end;
  Base64Source ciphertext(input);
  std::vector<std::uint8_t> buffer(default_piece_bytes);
  while (const std::size_t got = ciphertext.read(buffer)) {
    end.num_bytes += got;
    const std::size_t kept = std::min(got, most_end_bytes);
    end.last.insert(end.last.end(), buffer.begin() + static_cast<std::ptrdiff_t>(got - kept),
                    buffer.begin() + static_cast<std::ptrdiff_t>(got));
    const std::size_t surplus = end.last.size() - std::min(end.last.size(), most_end_bytes);
    end.last.erase(end.last.begin(), end.last.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  return end;
}

}  // namespace

CiphertextEnd read_ciphertext_end(Input& input, std::uint64_t start, bool base64) {
  const std::uint64_t before = input.position();
  input.seek(start);
  CiphertextEnd end;
  if (base64) {
    end = decode_to_the_end(input);
  } else {
    end.num_bytes = input.remaining_bytes().value_or(0);
    end.last.resize(static_cast<std::size_t>(std::min<std::uint64_t>(end.num_bytes, most_end_bytes)));
    end.last.resize(read_at(input.descriptor(), end.last, start + end.num_bytes - end.last.size(), input.name()));
  }
  input.seek(before);
  return end;
}

Bytes last_blocks_of(const CiphertextEnd& end, std::size_t header_bytes, std::size_t block_bytes) {
  const std::uint64_t size = end.num_bytes - std::min<std::uint64_t>(end.num_bytes, header_bytes);
  if (size == 0) throw Error(ErrorCode::truncated, "the ciphertext is truncated: it is empty");
  if (size % block_bytes != 0 || end.last.size() < std::min<std::uint64_t>(size, 2 * block_bytes)) {
    throw Error(ErrorCode::truncated, describe_broken_blocks(size, block_bytes));
  }
  return Bytes(end.last).last(static_cast<std::size_t>(std::min<std::uint64_t>(size, 2 * block_bytes)));
}

}  // namespace phalanx

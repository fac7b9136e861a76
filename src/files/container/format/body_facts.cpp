#include "files/container/format/body_facts.hpp"

#include <algorithm>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/header.hpp"

namespace phalanx {

Sha256Digest digest_header(Bytes header) {
  Sha256 digest;
  digest.update(header);
  return digest.finish_bytes();
}

// One call reads a header of a usual size, and the salt behind it.
BodyFacts shown_body_facts(const ReadAt& read_at, std::uint64_t file_bytes) {
  constexpr std::uint64_t usual_bytes = 1024;
  std::vector<std::uint8_t> beginning(static_cast<std::size_t>(std::min(usual_bytes, file_bytes)));
  read_at(0, beginning);
  const std::size_t position = header_bytes(beginning);
  if (file_bytes < position + message_prefix_bytes) throw Error(ErrorCode::truncated, "the container is truncated");
  BodyFacts facts;
  facts.plain_bytes = plain_bytes_of_chunks(file_bytes - position - message_prefix_bytes);
  const std::size_t end = position + message_prefix_bytes, known = beginning.size();
  beginning.resize(end);
  if (known < end) read_at(known, MutableBytes(beginning).subspan(known));
  facts.header = digest_header(Bytes(beginning).first(position));
  std::copy_n(beginning.begin() + static_cast<std::ptrdiff_t>(position), facts.prefix.size(), facts.prefix.begin());
  read_at(file_bytes - chunk_tag_bytes, facts.last_tag);
  return facts;
}

BodyFacts authentic_body_facts(const ChunkedCipher& cipher, const ReadAt& read_at, std::uint64_t position,
                               std::uint64_t file_bytes) {
  if (file_bytes < position + message_prefix_bytes) throw Error(ErrorCode::truncated, "the container is truncated");
  BodyFacts facts;
  facts.plain_bytes = plain_bytes_of_chunks(file_bytes - position - message_prefix_bytes);
  facts.prefix = cipher.prefix();
  const std::size_t last_bytes = static_cast<std::size_t>(facts.plain_bytes % plain_chunk_bytes);
  std::vector<std::uint8_t> sealed(last_bytes + chunk_tag_bytes);
  read_at(file_bytes - sealed.size(), sealed);
  SecretBytes plain(last_bytes);
  cipher.open(facts.plain_bytes / plain_chunk_bytes, sealed, plain);
  std::copy_n(sealed.end() - chunk_tag_bytes, chunk_tag_bytes, facts.last_tag.begin());
  return facts;
}

Sha256Digest digest_body(const ReadAt& read_at, std::uint64_t position, std::uint64_t file_bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  std::vector<std::uint8_t> buffer;
  Sha256 digest;
  while (position < file_bytes) {
    buffer.resize(static_cast<std::size_t>(std::min(most_bytes, file_bytes - position)));
    read_at(position, buffer);
    digest.update(buffer);
    position += buffer.size();
  }
  return digest.finish_bytes();
}

}  // namespace phalanx

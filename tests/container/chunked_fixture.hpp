// What the tests of ChunkedAead share: messages, and the ways to open them.
#pragma once

#include <phalanx/chunked.hpp>

#include "container_fixture.hpp"
#include "tests/library/tested_engines.hpp"

namespace phalanx::test {

constexpr const char* chunked_names[] = {"cobblestone-128", "cobblestone-256", "serpent-256", "twofish-256"};

inline std::size_t key_bytes_of(std::string_view name) { return name == "cobblestone-128" ? 16 : 32; }

/// Around every end of a chunk, and more chunks than a stream works on at once.
inline const std::vector<std::size_t> lengths_around_chunks = {
    0, 1, 15, 16, 17, 16383, 16384, 16385, 32767, 32768, 32769, 5 * 16384 + 77, 257 * 16384, 300 * 16384 + 5};

struct SealedMessage {
  ByteVector key;
  ByteVector context;
  ByteVector plain;
  ChunkedAead aead;
  ByteVector sealed;

  SealedMessage(const std::string& name, std::size_t plain_bytes, std::uint64_t seed, const EngineOptions& options = {})
      : key(Random(seed).bytes(key_bytes_of(name))),
        context(bytes_of("a context")),
        plain(Random(seed + 1).bytes(plain_bytes)),
        aead(name, key, context, options),
        sealed(ChunkedAead::sealed_bytes(plain_bytes)) {
    aead.seal(plain, sealed);
  }
};

inline ByteVector open_whole(const ChunkedAead& aead, Bytes sealed) {
  ByteVector plain(ChunkedAead::plain_bytes(sealed.size()));
  aead.open(sealed, plain);
  return plain;
}

/// Takes what is appended.
inline Append appends_to(ByteVector& all) {
  return [&all](Bytes bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
}

/// Gives `bytes` to write() in pieces of these sizes, over and over.
template <class Stream>
void write_in_pieces(Stream& stream, Bytes bytes, const std::vector<std::size_t>& pieces) {
  for (std::size_t i = 0; !bytes.empty(); ++i) {
    const std::size_t size = std::min(bytes.size(), pieces[i % pieces.size()]);
    stream.write(bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

inline const std::vector<std::vector<std::size_t>> awkward_pieces = {
    {55}, {56}, {57}, {1, 16399}, {16384}, {16399}, {16400}, {16401}, {16400 + 56, 3}, {5000, 0, 70001}, {SIZE_MAX}};

}  // namespace phalanx::test

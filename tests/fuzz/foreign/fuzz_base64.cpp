// Base64 of any bytes, in any pieces: what decodes is its text without white space, and what is encoded decodes again.
#include <algorithm>

#include "engine/text/base64.hpp"
#include "files/foreign/base64_stream.hpp"
#include "tests/fuzz/driver/memory_streams.hpp"

namespace phalanx::fuzz {
namespace {

// The pieces in which a stream comes: one size after another, from the seed.
class Pieces {
 public:
  explicit Pieces(std::size_t seed) : state_(static_cast<std::uint32_t>(seed)) {}
  Bytes next(Bytes& rest) {
    state_ = state_ * 1664525 + 1013904223;
    const Bytes piece = rest.first(std::min<std::size_t>(rest.size(), (state_ >> 24) % 80));
    rest = rest.subspan(piece.size());
    return piece;
  }

 private:
  std::uint32_t state_;
};

Buffer decode(Bytes text, Pieces pieces) {
  Base64Decoder decoder;
  Buffer decoded;
  while (!text.empty()) {
    const Bytes piece = pieces.next(text);
    Buffer out(Base64Decoder::max_update_bytes(piece.size()));
    out.resize(decoder.update(piece, out));
    decoded.insert(decoded.end(), out.begin(), out.end());
  }
  decoder.finish();
  return decoded;
}

Buffer encode(Bytes bytes, Pieces pieces) {
  Base64Encoder encoder;
  Buffer encoded;
  while (!bytes.empty()) {
    const Bytes piece = pieces.next(bytes);
    Buffer out(Base64Encoder::max_update_bytes(piece.size()));
    out.resize(encoder.update(piece, out));
    encoded.insert(encoded.end(), out.begin(), out.end());
  }
  Buffer out(Base64Encoder::max_finish_bytes);
  out.resize(encoder.finish(out));
  encoded.insert(encoded.end(), out.begin(), out.end());
  return encoded;
}

Buffer decode_stream(Bytes text) {
  MemorySource source(text);
  Base64Source decoded(source);
  Buffer all;
  Buffer piece(50);
  for (std::size_t size = piece.size(); size == piece.size();) {
    size = decoded.read(piece);
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return all;
}

Buffer encode_stream(Bytes bytes, Pieces pieces) {
  MemorySink text;
  Base64Sink sink(text);
  while (!bytes.empty()) sink.write(pieces.next(bytes));
  sink.finish();
  return text.bytes;
}

Buffer without_white_space(Bytes text) {
  Buffer kept;
  std::ranges::copy_if(text, std::back_inserter(kept),
                       [](std::uint8_t byte) { return byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n'; });
  return kept;
}

void check_decoding(Bytes text, std::size_t seed) {
  Buffer whole;
  Buffer in_pieces;
  const auto error = error_of([&] { whole = decode(text, Pieces(1)); });
  const auto error_in_pieces = error_of([&] { in_pieces = decode(text, Pieces(seed)); });
  require(error == error_in_pieces, "how a stream is cut does not change whether it decodes");
  Buffer of_source;
  require(error == error_of([&] { of_source = decode_stream(text); }), "nor does a stream of streams");
  if (error) return;
  require(whole == in_pieces && whole == of_source, "nor what it decodes to");
  require(without_white_space(encode(whole, Pieces(seed))) == without_white_space(text),
          "what decodes is the one text of its bytes");
}

void check_round_trip(Bytes bytes, std::size_t seed) {
  const Buffer text = encode(bytes, Pieces(seed));
  require(text == encode(bytes, Pieces(1)), "how a stream is cut does not change its text");
  require(text == encode_stream(bytes, Pieces(seed)), "nor does a stream of streams");
  require(text.empty() || text.back() == '\n', "a text ends in a line end");
  std::size_t column = 0;
  for (const std::uint8_t character : text) {
    column = character == '\n' ? 0 : column + 1;
    require(column <= Base64Encoder::line_characters, "no line is longer than OpenSSL's");
  }
  require(same(decode(text, Pieces(seed + 1)), bytes), "what is encoded decodes to itself");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t seed = input.below(256);
  const phalanx::Bytes bytes = input.take_rest();
  check_decoding(bytes, seed);
  check_round_trip(bytes, seed);
  return 0;
}

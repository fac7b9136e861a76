// What a file is recognised as, for any bytes: never read beyond their end, and named in words of one line.
#include <cstring>
#include <string>

#include "engine/text/json_line.hpp"
#include "engine/text/utf8.hpp"
#include "files/foreign/base64_text.hpp"
#include "files/recognition/inflated_beginning.hpp"
#include "files/recognition/recognise.hpp"
#include "files/recognition/utf16_text.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

void check_words(const RecognisedFile& file) {
  const std::string words = words_of(file);
  require(is_plain_text(bytes_of(words)) && words.find('\n') == std::string::npos, "what is said is one line");
  require(words.size() < 500, "and not a long one");
  require(std::strlen(name_of(file.kind)) != 0 && std::strlen(name_of(file.protection)) != 0, "a kind has a name");
  require(!file.description.empty(), "and a description");
  require(is_named(file) || file.kind != FileKind::container, "a container is certain");
}

void check_base64(Bytes bytes) {
  const auto text = read_base64(bytes);
  if (!text) return;
  require(text->decoded.size() <= bytes.size() / 4 * 3, "four characters are three bytes");
  const std::string salted = "Salted__";
  const bool is_salted =
      text->decoded.size() >= salted.size() && same(Bytes(text->decoded).first(salted.size()), bytes_of(salted));
  require(!is_salted || begins_as_salted_base64(bytes), "a salt is seen before all is decoded");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  if (size == 0) return 0;
  const Buffer bytes(data, data + size);  // of exactly this size, for AddressSanitizer
  check_words(recognise(glimpse_of(bytes)));
  const std::size_t end_bytes = size / 2;
  const Bytes end = Bytes(bytes).last(end_bytes);
  check_words(recognise({.beginning = Bytes(bytes).first(size - end_bytes), .end = end, .num_bytes = 100'000 + size}));
  const RecognisedFile part = recognise({.beginning = bytes, .end = {}, .num_bytes = unknown_size});
  check_words(part);
  require(!part.is_cut, "nothing is cut that may go on");
  check_base64(bytes);
  if (const auto text = read_utf16(bytes)) require(!text->empty() && is_utf8(*text), "text of UTF-16 is UTF-8");
  const auto inflated = inflate_beginning(bytes, 300);
  require(!inflated || (!inflated->empty() && inflated->size() <= 300), "no more comes out than was asked for");
  return 0;
}

#include "files/foreign/search/sniff.hpp"

#include <algorithm>

#include "engine/text/base64.hpp"
#include "files/foreign/search/plaintext_kind.hpp"

namespace phalanx {
namespace {

constexpr std::size_t kept_bytes = 32;  // the longest header, or an iv
// Random bytes are all of base64's alphabet about once in 10^19 times where there are so many.
constexpr std::size_t surely_base64_bytes = 32;

SniffedFormat wrap(Bytes beginning) {
  const Bytes kept = beginning.first(std::min(beginning.size(), kept_bytes));
  return {
      .possible = true, .salted = openssl_encoding_of(kept) == OpensslEncoding::binary, .bytes = {kept.begin(), kept.end()}};
}

// Text in base64's alphabet that has spaces between its words is prose; `openssl enc` writes line ends only.
bool has_blanks(Bytes text) {
  return std::ranges::any_of(text, [](std::uint8_t byte) { return byte == ' ' || byte == '\t'; });
}

// A file that is cut or damaged further on is still base64: reading it says what is wrong.
SniffedFormat decode(Bytes beginning) {
  if (beginning.empty()) return {};
  std::vector<std::uint8_t> decoded(Base64Decoder::max_update_bytes(beginning.size()));
  try {
    decoded.resize(Base64Decoder().update(beginning, decoded));
  } catch (const Error&) {
    const bool begins_salted = openssl_encoding_of(beginning) == OpensslEncoding::base64;
    return {.possible = begins_salted, .salted = begins_salted, .bytes = {}};
  }
  SniffedFormat wrapped = wrap(decoded);
  wrapped.possible = !has_blanks(beginning);
  return wrapped;
}

}  // namespace

SniffedFile::SniffedFile(Input& input) {
  const std::uint64_t before = input.position();
  std::vector<std::uint8_t> beginning(recognised_from_bytes);
  const std::size_t size = input.read(beginning);
  const bool whole = size < beginning.size();
  beginning.resize(size);
  input.seek(before);
  encoded_ = decode(beginning);
  raw_ = wrap(beginning);
  is_empty_ = size == 0;
  raw_.possible = !encoded_.possible || (size < surely_base64_bytes && !encoded_.salted);
  const char* const kind = raw_.salted || encoded_.possible ? nullptr : recognise_plaintext(beginning, whole);
  if (kind != nullptr) plaintext_kind_ = kind;
}

}  // namespace phalanx

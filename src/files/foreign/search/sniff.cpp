#include "files/foreign/search/sniff.hpp"

#include <algorithm>
#include <optional>

#include "files/foreign/base64_text.hpp"
#include "files/recognition/recognise.hpp"

namespace phalanx {
namespace {

constexpr std::size_t kept_bytes = 32;  // room for the longest header, and for any iv

SniffedFormat wrap(Bytes beginning) {
  const Bytes kept = beginning.first(std::min(beginning.size(), kept_bytes));
  return {
      .possible = true, .salted = openssl_encoding_of(kept) == OpensslEncoding::binary, .bytes = {kept.begin(), kept.end()}};
}

// A text that begins salted is base64 even if it is cut or damaged further on: reading it says what is wrong.
SniffedFormat decode(Bytes beginning) {
  if (const std::optional<Base64Text> text = read_base64(beginning)) return wrap(text->decoded);
  const bool begins_salted = openssl_encoding_of(beginning) == OpensslEncoding::base64;
  return {.possible = begins_salted, .salted = begins_salted, .bytes = {}};
}

}  // namespace

SniffedFile::SniffedFile(Input& input) {
  const FileEnds ends = read_ends(input, input.position()).value_or(FileEnds());
  const Bytes beginning = ends.beginning;
  encoded_ = decode(beginning);
  raw_ = wrap(beginning);
  is_empty_ = beginning.empty();
  raw_.possible = !encoded_.possible || (beginning.size() < surely_base64_bytes && !encoded_.salted);
  if (!is_empty_) recognised_ = recognise(ends.glimpse());
}

}  // namespace phalanx

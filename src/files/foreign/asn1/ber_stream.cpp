#include "files/foreign/asn1/ber_stream.hpp"

#include <algorithm>
#include <limits>
#include <phalanx/error.hpp>
#include <utility>

#include "files/foreign/asn1/der_text.hpp"

namespace phalanx {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
constexpr std::size_t first_buffer_bytes = std::size_t{4} << 10;  // a structure may be short
constexpr std::uint8_t indefinite = 0x80, high_tag_number = 0x1f;
constexpr std::size_t end_mark_bytes = 2;

}  // namespace

BerStream::BerStream(ByteSource& source, std::string name, SkippingSource* skipping)
    : source_(source), skipping_(skipping), name_(std::move(name)), buffer_(first_buffer_bytes) {}

void BerStream::refuse(const std::string& what) const {
  throw Error(ErrorCode::format, name_ + " is damaged, or is another kind of file: " + what, {.name = name_});
}

void BerStream::refuse_end() const {
  throw Error(ErrorCode::truncated, name_ + " is cut short: it ends within its structure", {.name = name_});
}

std::uint64_t BerStream::bytes_to_end() const {
  return (open_.empty() ? std::numeric_limits<std::uint64_t>::max() : open_.back().end) - position_;
}

// Reads on if fewer bytes are in the buffer, which has room for so many. Returns whether they are there.
bool BerStream::fill(std::size_t num_bytes) {
  if (end_ - begin_ >= num_bytes) return true;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= std::exchange(begin_, 0);
  if (!has_ended_) {
    const MutableBytes rest = MutableBytes(buffer_).subspan(end_);
    const std::size_t got = source_.read(rest);
    has_ended_ = got < rest.size();
    end_ += got;
    if (buffer_.size() < buffer_bytes) buffer_.resize(buffer_bytes);
  }
  return end_ >= num_bytes;
}

std::uint8_t BerStream::take_byte() {
  if (bytes_to_end() == 0) refuse("an element is longer than what it lies in");
  if (!fill(1)) refuse_end();
  ++position_;
  return buffer_[begin_++];
}

// X.690, section 8.1.5, has two zeros as the end mark.
bool BerStream::is_end_mark_next() {
  if (bytes_to_end() < end_mark_bytes) refuse("an element without a length has no end");
  if (!fill(end_mark_bytes)) refuse_end();
  return buffer_[begin_] == 0 && buffer_[begin_ + 1] == 0;
}

bool BerStream::is_at_end() {
  if (open_.empty()) return false;
  return open_.back().is_definite ? bytes_to_end() == 0 : is_end_mark_next();
}

bool BerStream::is_next(std::uint8_t tag) {
  if (is_at_end()) return false;
  if (!fill(1)) refuse_end();
  return buffer_[begin_] == tag;
}

std::uint64_t BerStream::read_long_length(std::uint8_t first) {
  std::uint64_t length = 0;
  for (unsigned left = first & 0x7fU; left != 0; --left) {
    if (length >> 55 != 0) refuse("an element says that it is longer than any file");
    length = length << 8 | take_byte();
  }
  return length;
}

BerHeader BerStream::read_header() {
  BerHeader header{.tag = take_byte()};
  if ((header.tag & high_tag_number) == high_tag_number) refuse("its structure has a tag that no message has");
  const std::uint8_t first = take_byte();
  if (first == indefinite) {
    if (!header.is_constructed()) refuse("an element that has no parts has no length");
    return header;
  }
  header.num_bytes = first < indefinite ? first : read_long_length(first);
  if (*header.num_bytes > bytes_to_end()) refuse("an element is longer than what it lies in");
  return header;
}

void BerStream::open(const BerHeader& header) {
  if (!header.is_constructed()) refuse("an element has no parts, and should have some");
  if (open_.size() == most_depth) refuse("its structure is deeper than that of any message");
  const std::uint64_t limit = open_.empty() ? std::numeric_limits<std::uint64_t>::max() : open_.back().end;
  open_.push_back(
      {.end = header.num_bytes ? position_ + *header.num_bytes : limit, .is_definite = header.num_bytes.has_value()});
}

void BerStream::enter(std::uint8_t tag, const char* what) {
  if (!is_next(tag)) refuse(std::string(what) + " should stand where something else does");
  open(read_header());
}

void BerStream::leave() {
  if (!is_at_end()) refuse("its structure has more in it than its standard says");
  if (!open_.back().is_definite) {
    begin_ += end_mark_bytes;
    position_ += end_mark_bytes;
  }
  open_.pop_back();
}

void BerStream::leave_early() {
  while (!is_at_end()) {
    const BerHeader header = read_header();
    if (!header.num_bytes) {
      open(header);
      leave_early();
    } else {
      skip(*header.num_bytes);
    }
  }
  leave();
}

void BerStream::count_small(std::uint64_t num_bytes) {
  if (num_bytes > most_small_bytes - small_bytes_) refuse("what stands beside its content is longer than 16 MiB");
  small_bytes_ += num_bytes;
}

std::vector<std::uint8_t> BerStream::take_element() {
  std::vector<std::uint8_t> element;
  append_element(element);
  return element;
}

// The depth of the recursion is that of the open elements, which is limited.
void BerStream::append_element(std::vector<std::uint8_t>& out) {
  const BerHeader header = read_header();
  count_small(end_mark_bytes);
  std::vector<std::uint8_t> content;
  if (header.is_constructed()) {
    open(header);
    while (!is_at_end()) append_element(content);
    leave();
  } else {
    count_small(*header.num_bytes);
    content.resize(static_cast<std::size_t>(*header.num_bytes));
    read(content);
  }
  append_der_header(out, header.tag, content.size());
  out.insert(out.end(), content.begin(), content.end());
}

void BerStream::read(MutableBytes out) {
  if (out.size() > bytes_to_end()) refuse("an element is longer than what it lies in");
  position_ += out.size();
  const std::size_t ready = std::min(out.size(), end_ - begin_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), ready, out.begin());
  begin_ += ready;
  out = out.subspan(ready);
  // A long rest is read into `out` at once, and not through the buffer.
  if (out.size() >= buffer_.size()) {
    if (has_ended_ || source_.read(out) < out.size()) refuse_end();
    return;
  }
  if (!out.empty() && !fill(out.size())) refuse_end();
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), out.size(), out.begin());
  begin_ += out.size();
}

void BerStream::skip(std::uint64_t num_bytes) {
  if (num_bytes > bytes_to_end()) refuse("an element is longer than what it lies in");
  const auto ready = static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, end_ - begin_));
  begin_ += ready;
  position_ += num_bytes;
  num_bytes -= ready;
  if (skipping_ != nullptr && num_bytes != 0 && !has_ended_) return skipping_->skip(num_bytes);
  while (num_bytes != 0) {
    if (!fill(1)) refuse_end();
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, end_ - begin_));
    begin_ += part;
    num_bytes -= part;
  }
}

}  // namespace phalanx

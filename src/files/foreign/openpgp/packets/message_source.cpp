#include "files/foreign/openpgp/packets/message_source.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string_view>

namespace phalanx {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;  // an armor begins in so many, too
constexpr std::uint8_t is_packet = 0x80;

// Takes the next line, without its end. Nothing is left of a text without one.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last == line.npos ? std::string_view() : line.substr(0, last + 1);
}

}  // namespace

void MessageSource::Buffered::fill() {
  if (has_ended_) return;
  bytes.resize(buffer_bytes);
  bytes.resize(source_.read(bytes));
  num_taken = 0;
  has_ended_ = bytes.size() < buffer_bytes;
}

std::size_t MessageSource::Buffered::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (num_taken == bytes.size()) {
      if (has_ended_) break;
      fill();
      continue;
    }
    const std::size_t size = std::min(out.size() - done, bytes.size() - num_taken);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(num_taken), size,
                out.begin() + static_cast<std::ptrdiff_t>(done));
    num_taken += size;
    done += size;
  }
  return done;
}

std::size_t MessageSource::ArmorBody::read(MutableBytes out) {
  if (has_ended_) return 0;
  const std::size_t got = source_.read(out);
  for (std::size_t i = 0; i < got; ++i) {
    const std::uint8_t character = out[i];
    has_ended_ = character == '-' || (is_line_beginning_ && character == '=');
    if (has_ended_) return i;
    is_line_beginning_ = character == '\n' || (is_line_beginning_ && character == '\r');
  }
  has_ended_ = got < out.size();
  return got;
}

MessageSource::MessageSource(ByteSource& source, const std::string& name)
    : buffered_(source), body_(buffered_), decoded_(body_) {
  buffered_.fill();
  if (buffered_.bytes.empty()) throw Error(ErrorCode::truncated, name + " is empty", {.name = name});
  if ((buffered_.bytes.front() & is_packet) == 0 || buffered_.bytes.front() == 0xef) find_armor(name);
}

// An armor has a first line, headers, and an empty line before its base64 (section 6.2).
void MessageSource::find_armor(const std::string& name) {
  constexpr std::string_view first_line = "-----BEGIN PGP MESSAGE-----";
  const std::string_view all(reinterpret_cast<const char*>(buffered_.bytes.data()), buffered_.bytes.size());
  std::string_view text = all;
  while (!text.empty()) {
    if (take_line(text) != first_line) continue;
    while (!text.empty() && !take_line(text).empty()) {
    }
    buffered_.num_taken = all.size() - text.size();
    is_armored_ = true;
    return;
  }
  throw Error(ErrorCode::format, name + " is no message of OpenPGP", {.name = name});
}

std::size_t MessageSource::read(MutableBytes out) { return is_armored_ ? decoded_.read(out) : buffered_.read(out); }

}  // namespace phalanx

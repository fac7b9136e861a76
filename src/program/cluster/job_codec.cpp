#include "program/cluster/job_codec.hpp"

#include <algorithm>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {
namespace {

constexpr std::size_t first_memory_bytes = 512;

}  // namespace

void JobEncoder::append(Bytes bytes) {
  if (size_ + bytes.size() > memory_.size()) {
    SecretBytes larger(std::max(first_memory_bytes, 2 * (size_ + bytes.size())));
    std::copy_n(memory_.begin(), size_, larger.begin());
    memory_ = std::move(larger);
  }
  std::ranges::copy(bytes, memory_.begin() + size_);
  size_ += bytes.size();
}

void JobEncoder::put(std::uint64_t number) {
  std::uint8_t bytes[sizeof number];
  store_u64(bytes, number);
  append(bytes);
}

void JobEncoder::put(Bytes bytes) {
  put(static_cast<std::uint64_t>(bytes.size()));
  append(bytes);
}

void JobDecoder::refuse() { throw Error(ErrorCode::runtime, "a part of a job came in another form than ours"); }

Bytes JobDecoder::take(std::size_t size) {
  if (size > rest_.size()) JobDecoder::refuse();
  const Bytes taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::uint64_t JobDecoder::number() { return load_u64(take(sizeof(std::uint64_t)).data()); }

std::uint64_t JobDecoder::number_up_to(std::uint64_t most) {
  const std::uint64_t found = number();
  if (found > most) refuse();
  return found;
}

bool JobDecoder::flag() { return number_up_to(1) != 0; }

ErrorCode JobDecoder::error_code() {
  const ErrorCode code = choice(ErrorCode::format);
  if (code < ErrorCode::runtime) refuse();
  return code;
}

Bytes JobDecoder::bytes_of(std::size_t size) {
  const Bytes found = bytes();
  if (found.size() != size) refuse();
  return found;
}

void JobDecoder::finish() const {
  if (!rest_.empty()) refuse();
}

Bytes JobDecoder::bytes() {
  const std::uint64_t size = number();
  if (size > rest_.size()) JobDecoder::refuse();
  return take(static_cast<std::size_t>(size));
}

std::string JobDecoder::text() {
  const Bytes text = bytes();
  return {text.begin(), text.end()};
}

}  // namespace phalanx

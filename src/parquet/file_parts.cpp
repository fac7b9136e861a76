#include "parquet/file_parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <phalanx/error.hpp>
#include <string>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

FilePart PartSource::claim(std::int64_t offset, std::int64_t num_bytes) {
  if (offset < 0 || num_bytes < 0) fail_parquet("an offset or a length is negative");
  const FilePart part{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(num_bytes)};
  if (part.offset > num_bytes_ || part.num_bytes > num_bytes_ - part.offset) fail_parquet("a part lies behind its end");
  if (part.num_bytes > unclaimed_bytes_) fail_parquet("its parts are longer than the file");
  unclaimed_bytes_ -= part.num_bytes;
  return part;
}

void PartSource::read_at(std::uint64_t offset, MutableBytes out) const {
  if (offset > num_bytes_ || out.size() > num_bytes_ - offset) fail_parquet("a part lies behind its end");
  read_within(offset, out);
}

Buffer PartSource::read(const FilePart& part) const {
  Buffer bytes(part.num_bytes);
  read_at(part.offset, bytes);
  return bytes;
}

void MemorySource::read_within(std::uint64_t offset, MutableBytes out) const {
  std::ranges::copy(bytes_.subspan(offset, out.size()), out.begin());
}

namespace {

std::uint64_t size_of(const Input& input) {
  const std::optional<std::uint64_t> size = input.remaining_bytes();
  if (!size) {
    throw Error(ErrorCode::usage, input.name() + " cannot be read at any place, as Parquet is: write it to a file first");
  }
  return *size;
}

}  // namespace

InputSource::InputSource(const Input& input) : PartSource(size_of(input)), input_(input) {}

void InputSource::read_within(std::uint64_t offset, MutableBytes out) const {
  while (!out.empty()) {
    const ssize_t got = pread(input_.descriptor(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error("read", input_.name());
    if (got == 0) throw Error(ErrorCode::truncated, input_.name() + " has become shorter while it was read");
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

}  // namespace phalanx

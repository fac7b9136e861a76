// A Parquet file is read from a source and written to a sink: memory, or files by position.
#pragma once

#include <cstdint>

#include "files/system/input.hpp"
#include "files/system/output/output.hpp"
#include "parquet/compact_protocol.hpp"

namespace phalanx {

/// A part of a file: where it begins, and how long it is.
struct FilePart {
  std::uint64_t offset = 0;
  std::uint64_t num_bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + num_bytes; }
};

/// Reads parts of a file. None lies outside of the file, and together they are no longer than it. So a file cannot make
/// us read, keep or write more than it has, whatever it says of itself.
class PartSource {
 public:
  explicit PartSource(std::uint64_t num_bytes) : num_bytes_(num_bytes), unclaimed_bytes_(num_bytes) {}
  virtual ~PartSource() = default;
  PartSource(const PartSource&) = delete;
  PartSource& operator=(const PartSource&) = delete;

  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

  /// Checks the part, once, before it is read. Throws Error (format): it lies outside, or is of no length that a number can
  /// have, or parts overlap, since all are longer than the file.
  FilePart claim(std::int64_t offset, std::int64_t num_bytes);

  /// Within the file. Throws Error: format if it is not; truncated where the file has become shorter; runtime.
  void read_at(std::uint64_t offset, MutableBytes out) const;
  [[nodiscard]] Buffer read(const FilePart& part) const;

 protected:
  virtual void read_within(std::uint64_t offset, MutableBytes out) const = 0;

 private:
  std::uint64_t num_bytes_;
  std::uint64_t unclaimed_bytes_;
};

class MemorySource : public PartSource {
 public:
  explicit MemorySource(Bytes bytes) : PartSource(bytes.size()), bytes_(bytes) {}

 private:
  void read_within(std::uint64_t offset, MutableBytes out) const override;

  Bytes bytes_;
};

class InputSource : public PartSource {
 public:
  /// Throws Error (usage) for what is no file: the end of a Parquet file is read first.
  explicit InputSource(const Input& input);

 private:
  void read_within(std::uint64_t offset, MutableBytes out) const override;

  const Input& input_;
};

class PageTaker;

/// Writes one part after the other, and knows where it is.
class PartSink {
 public:
  /// `taker` takes the pages of column chunks instead (chunk_pages.hpp).
  explicit PartSink(ByteSink& sink, PageTaker* taker = nullptr) : sink_(sink), taker_(taker) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] PageTaker* taker() const { return taker_; }

  /// Where it was written.
  FilePart write(Bytes bytes) {
    sink_.write(bytes);
    return skip(bytes.size());
  }
  /// Where the taker writes so many bytes.
  FilePart skip(std::uint64_t num_bytes) {
    position_ += num_bytes;
    return {position_ - num_bytes, num_bytes};
  }

 private:
  ByteSink& sink_;
  PageTaker* taker_;
  std::uint64_t position_ = 0;
};

class MemorySink : public ByteSink {
 public:
  void write(Bytes in) override { bytes.insert(bytes.end(), in.begin(), in.end()); }

  Buffer bytes;
};

}  // namespace phalanx

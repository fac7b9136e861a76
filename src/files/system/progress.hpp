// Progress is told how far a run has come, or how far it is with one file.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace phalanx {

/// Any number of threads may call it at once. This one ignores what it is told.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void add(std::uint64_t /*num_bytes*/) {}
};

/// Counts the bytes of a file once, however often it and its container are read: each reading is an equal part. Any number
/// of threads may add to it.
class FileProgress : public Progress {
 public:
  FileProgress(Progress& progress, std::uint64_t file_bytes, unsigned num_readings)
      : progress_(progress), file_bytes_(file_bytes), num_readings_(num_readings) {}

  void add(std::uint64_t num_bytes) override {
    const std::uint64_t before = read_bytes_.fetch_add(num_bytes);
    progress_.add(counted(before + num_bytes) - counted(before));
  }

  /// Counts the missing bytes of a file that was not read whole, or to no end.
  void finish() { progress_.add(file_bytes_ - counted(read_bytes_)); }

 private:
  [[nodiscard]] std::uint64_t counted(std::uint64_t read_bytes) const {
    return std::min(read_bytes / num_readings_, file_bytes_);
  }

  Progress& progress_;
  std::uint64_t file_bytes_;
  unsigned num_readings_;
  std::atomic<std::uint64_t> read_bytes_{0};
};

/// This is told of bytes that are read to compare, and counts none of them. They are counted once it is known whether they
/// are read again.
class UncountedProgress : public Progress {
 public:
  explicit UncountedProgress(Progress& progress) : progress_(progress) {}
  void add(std::uint64_t /*num_bytes*/) override { progress_.add(0); }

 private:
  Progress& progress_;
};

}  // namespace phalanx

// The bytes of a volume, or of its header, lie in a file or in memory.
#pragma once

#include <cstdint>
#include <phalanx/bytes.hpp>
#include <string>
#include <utility>

namespace phalanx {

/// Any number of threads may read at once.
class VolumeBytes {
 public:
  VolumeBytes() = default;
  VolumeBytes(const VolumeBytes&) = delete;
  VolumeBytes& operator=(const VolumeBytes&) = delete;
  virtual ~VolumeBytes() = default;

  /// Returns the name for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::uint64_t num_bytes() const = 0;

  /// Reads all of `out`. Throws Error: truncated where fewer bytes are there, runtime where reading fails.
  void read(std::uint64_t offset, MutableBytes out) const;

 private:
  /// Reads a part that lies within num_bytes(). Returns the bytes read.
  virtual std::size_t read_part(std::uint64_t offset, MutableBytes out) const = 0;
};

/// Reads the part of a file or a block device from `start` on. Its descriptor stays the caller's.
class VolumeFile : public VolumeBytes {
 public:
  VolumeFile(int descriptor, std::string name, std::uint64_t start, std::uint64_t num_bytes)
      : descriptor_(descriptor), name_(std::move(name)), start_(start), num_bytes_(num_bytes) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::uint64_t num_bytes() const override { return num_bytes_; }

 private:
  std::size_t read_part(std::uint64_t offset, MutableBytes out) const override;

  int descriptor_;
  std::string name_;
  std::uint64_t start_, num_bytes_;
};

/// The memory stays the caller's. It is the beginning of what has `num_bytes`, and reading behind it throws Error
/// (truncated).
class VolumeMemory : public VolumeBytes {
 public:
  VolumeMemory(Bytes memory, std::string name, std::uint64_t num_bytes)
      : memory_(memory), name_(std::move(name)), num_bytes_(num_bytes) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::uint64_t num_bytes() const override { return num_bytes_; }

 private:
  std::size_t read_part(std::uint64_t offset, MutableBytes out) const override;

  Bytes memory_;
  std::string name_;
  std::uint64_t num_bytes_;
};

}  // namespace phalanx

// A file is written through a mapping of it, where that is faster: on tmpfs, whose write(2) lets one thread in at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <string>

namespace phalanx {

/// Allows mappings from now on. The handler of SIGBUS in this process must call replace_lost_page. Without this call there
/// are none: a library leaves its host's signals alone.
void allow_output_mappings();

/// This is for a handler of SIGBUS, with the address that it gets. Says whether that is a page of an OutputMapping which the
/// file has no longer, or has no room for. Then the page is memory that belongs to nobody from now on. The write that failed
/// goes on there, and OutputMapping::write throws.
[[nodiscard]] bool replace_lost_page(void* address) noexcept;

/// Says how many threads of this process and of others on this machine write one file at once. The default is as many as the
/// processors of this process can run.
void expect_writers(std::size_t num_writers);

/// Writes to the mapping. Any number of threads may write at once.
class OutputMapping {
 public:
  /// Makes a mapping of the file's first num_bytes, all of which are reserved. Returns nullptr where mappings are not
  /// allowed, of no use on this file system, or not to be had. The file stays the caller's.
  [[nodiscard]] static std::unique_ptr<OutputMapping> make(int file, std::uint64_t num_bytes);

  ~OutputMapping();
  OutputMapping(const OutputMapping&) = delete;
  OutputMapping& operator=(const OutputMapping&) = delete;

  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }

  /// Writes within the mapping. Throws Error (runtime) where the file has become shorter. `name` is for messages.
  void write(Bytes in, std::uint64_t position, const std::string& name);

 private:
  OutputMapping(std::uint8_t* memory, std::uint64_t num_bytes, std::size_t place);

  std::uint8_t* memory_;
  std::uint64_t num_bytes_;
  std::size_t place_;
};

/// Writes by the mapping where there is one that reaches so far, else at its place in the file. Throws Error (runtime).
void write_by(OutputMapping* mapping, int file, Bytes in, std::uint64_t position, const std::string& name);

}  // namespace phalanx

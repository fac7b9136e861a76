// A run over pieces, described in bytes: what one process tells others, so that they do some of the pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/phalanx.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "files/file_descriptor.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

class Progress;

/// Numbers and strings of bytes, one after another, in memory that is wiped: a description holds keys.
class JobEncoder {
 public:
  void put(std::uint64_t number);
  template <class Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) { put(static_cast<std::uint64_t>(value)); }
  void put(Bytes bytes);
  void put(std::string_view text) { put(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())); }
  [[nodiscard]] Bytes bytes() const { return Bytes(memory_).first(size_); }

 private:
  void append(Bytes bytes);

  SecretBytes memory_;
  std::size_t size_ = 0;
};

/// Longer than any file, and short enough that two such numbers and a piece have a sum.
inline constexpr std::uint64_t most_job_bytes = std::uint64_t{1} << 61;

/// What a JobEncoder wrote, or somebody in its place: no number is a size, a place or a choice before it was checked. Throws
/// Error (runtime) where there is not what is asked for.
class JobDecoder {
 public:
  /// The bytes stay the caller's.
  explicit JobDecoder(Bytes bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::uint64_t number_up_to(std::uint64_t most);
  bool flag();
  /// A value of the enumeration, up to `last`.
  template <class Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(number_up_to(static_cast<std::uint64_t>(last)));
  }
  ErrorCode error_code();
  Bytes bytes();  ///< a part of what was given
  Bytes bytes_of(std::size_t size);
  std::string text();

  /// Nothing else was written.
  void finish() const;

  /// What was written is not ours.
  [[noreturn]] static void refuse();

 private:
  Bytes take(std::size_t size);

  Bytes rest_;
};

/// The first field of each part's description.
enum class JobPart : std::uint8_t {
  file_pieces = 1,
  piece_cipher,
  seal,
  open,
  plaintext_mac,
  plaintext_kind,
  nowhere,
  file,
  sealed_records,
  written_records,
};

/// A file that every process of a group opens by itself, and must find the same.
struct SharedFile {
  std::string path;
  std::uint64_t inode = 0;
  std::uint64_t num_bytes = 0;
};

void put_file(JobEncoder& job, const SharedFile& file);
/// Opens it, with flags of open(2). Throws Error (runtime) if it is another one, no regular file, or cannot be opened.
[[nodiscard]] FileDescriptor open_shared(JobDecoder& job, int flags, std::string& path);
/// For a file that is open; its path made absolute. False if the path does not lead to it: standard input, say.
[[nodiscard]] bool describe_file(JobEncoder& job, int descriptor, const std::string& path);

/// Holds its lock together with the rest of the group. Throws Error (usage) where another run holds it.
void share_written(int descriptor, const std::string& path);

class WrittenFile;
/// The same for the file that a run writes, whose lock the group holds together from now on: a process that outlives the one
/// that asked, because that was killed, keeps the next run away until its own last byte is written. Throws Error (usage)
/// where another run holds it.
[[nodiscard]] bool describe_written(JobEncoder& job, const WrittenFile& file);

/// What one process of a group did.
struct JobShare {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t failed_piece = none;  ///< the first that failed
  ErrorCode code{};
  std::string message;  ///< of the Error
  SecretBytes report;   ///< what stages and sink tell the process that asked, if nothing failed
};

/// Where the time of a share went, in seconds of all its threads together.
struct ShareTimes {
  double reading = 0, crypting = 0, writing = 0, waiting = 0;
  std::uint64_t num_bytes = 0;
};

/// Processes that share runs over pieces. Any number of threads asks it.
class WorkerGroup {
 public:
  virtual ~WorkerGroup() = default;

  /// Does all pieces of a described run. Returns the reports of all workers. Throws the Error of the first piece that
  /// failed.
  virtual std::vector<SecretBytes> run(Bytes description, std::uint64_t num_pieces, std::uint64_t num_bytes,
                                       Progress& progress) = 0;

  [[nodiscard]] virtual std::size_t num_workers() const = 0;

  /// Runs of so many bytes in all are to come, side by side: one of less than a worker's even part of that may be one
  /// worker's.
  virtual void plan_bytes(std::uint64_t num_bytes) = 0;

  /// A run came that this process does alone, since its pieces cannot be taken apart.
  virtual void warn_serial() = 0;

  /// That of this process; nullptr: it works alone.
  static WorkerGroup* of_process();
  /// Stays the caller's. Before there are other threads.
  static void set_of_process(WorkerGroup* workers);
};

}  // namespace phalanx

// This sink writes each sealed piece only once it is recorded, as resume_record.hpp demands.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "files/container/file/resume_record.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/checkpoints.hpp"

namespace phalanx {

/// Makes records durable for many threads at once. Records that come while a disk is at work make the next group. The slower
/// the disk, the fewer syncs there are.
class DurableRecords {
 public:
  explicit DurableRecords(RecordFile& records) : records_(records) {}

  /// Returns when the record is durable.
  void add(RecordFile::Record record);

 private:
  void write_group(std::unique_lock<std::mutex>& lock);

  RecordFile& records_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecordFile::Record> group_;
  std::uint64_t num_given_ = 0, num_durable_ = 0;
  bool is_writing_ = false;
  std::exception_ptr failure_;
};

/// Returns the tags of a sealed piece's chunks.
[[nodiscard]] std::vector<std::uint8_t> tags_of(Bytes sealed);

class RecordedSink : public PieceSink {
 public:
  struct Target {
    WrittenFile& file;  ///< the caller's
    std::uint64_t body_position = 0;
    std::string force_name;  ///< the caller's word for `replace`

    [[noreturn]] void throw_differs() const;  ///< Error (usage): the content is another
  };

  /// Says which pieces are wanted. Pieces that an earlier run recorded are compared by their tags. They are written if the
  /// record does not say that they are on the disk.
  enum class Take : std::uint8_t {
    all,
    compare_recorded,  ///< nothing is written
    missing,           ///< recorded pieces that are not on the disk
    unrecorded,
  };

  RecordedSink(Target target, RecordFile& records, Take take, bool in_order);

  [[nodiscard]] bool in_order() const override { return in_order_; }
  [[nodiscard]] bool wants(std::uint64_t number) override;

  /// Throws Error (usage) for a piece that was recorded with other tags.
  void write(const Piece& piece) override;

  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const RecordFile& records() const { return records_; }
  [[nodiscard]] Take take() const { return take_; }

  [[nodiscard]] std::uint64_t end() const { return end_; }                ///< where the written part of the file ends
  [[nodiscard]] std::uint64_t num_pieces() const { return num_pieces_; }  ///< one more than the last piece's number
  /// Returns one more than the number of the last piece that an earlier run recorded.
  [[nodiscard]] std::uint64_t num_found() const { return num_found_; }
  /// Takes over these numbers from another process, which had other pieces.
  void merge(std::uint64_t end, std::uint64_t num_pieces) { extend(end, num_pieces); }

 private:
  [[nodiscard]] std::optional<TagMacs> find(std::uint64_t piece) const;
  void put(const Piece& piece, std::uint64_t position);
  void extend(std::uint64_t end, std::uint64_t num_pieces);

  Target target_;
  RecordFile& records_;
  Take take_;
  std::uint64_t num_found_;
  bool in_order_;
  DurableRecords durable_;
  std::mutex mutex_;
  std::uint64_t end_ = 0;
  std::uint64_t num_pieces_ = 0;
  Checkpoints<std::uint64_t> checkpoints_;
};

}  // namespace phalanx

// Writing pieces of plaintext, and recording from time to time those that are on the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "container/file/resume_record.hpp"
#include "pipeline/piece_sinks.hpp"
#include "pipeline/plaintext_mac.hpp"

namespace phalanx {

/// What an earlier run recorded is read back, and not wanted again where it is as it was recorded.
class CheckpointedSink : public FileSink {
 public:
  /// All stay the caller's. `sealed_bytes` are those of all chunks; `progress` hears of pieces that are there already.
  CheckpointedSink(WrittenFile& file, RecordFile& records, const PlaintextMacKey& key, std::uint64_t sealed_bytes,
                   Progress& progress);

  [[nodiscard]] bool wants(std::uint64_t number) override;
  void write(const Piece& piece) override;

  [[nodiscard]] const RecordFile& records() const { return records_; }
  [[nodiscard]] const PlaintextMacKey& key() const { return key_; }
  [[nodiscard]] std::uint64_t sealed_bytes() const { return sealed_bytes_; }

 private:
  [[nodiscard]] bool is_there(std::uint64_t number) const;
  void record(const std::vector<RecordFile::Record>& written);

  RecordFile& records_;
  const PlaintextMacKey& key_;
  std::uint64_t sealed_bytes_;
  std::uint64_t num_found_;
  Progress& progress_;
  std::mutex mutex_;
  std::vector<RecordFile::Record> written_;  // not yet recorded
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool is_recording_ = false;
};

}  // namespace phalanx

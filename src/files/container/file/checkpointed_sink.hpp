// Writing pieces of plaintext, and recording from time to time those that are on the disk.
#pragma once

#include <cstdint>

#include "files/container/file/resume_record.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/output/checkpoints.hpp"

namespace phalanx {

/// What an earlier run recorded is not wanted again: whoever goes on has read it back before (believed_pieces).
class CheckpointedSink : public FileSink {
 public:
  /// All stay the caller's. `sealed_bytes` are those of all chunks, 0 where nothing is believed; `progress` hears of pieces
  /// that are there already.
  CheckpointedSink(WrittenFile& file, RecordFile& records, const PlaintextMacKey& key, std::uint64_t sealed_bytes,
                   Progress& progress);

  [[nodiscard]] bool wants(std::uint64_t number) override;
  void write(const Piece& piece) override;

  [[nodiscard]] const RecordFile& records() const { return records_; }
  [[nodiscard]] const PlaintextMacKey& key() const { return key_; }
  [[nodiscard]] std::uint64_t sealed_bytes() const { return sealed_bytes_; }

 private:
  RecordFile& records_;
  const PlaintextMacKey& key_;
  std::uint64_t sealed_bytes_;
  std::uint64_t num_found_;
  Progress& progress_;
  Checkpoints<RecordFile::Record> checkpoints_;
};

}  // namespace phalanx

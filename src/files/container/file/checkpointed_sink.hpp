// This sink writes pieces of plaintext, and records from time to time those that are on the disk.
#pragma once

#include <cstdint>

#include "files/container/file/resume_record.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/output/checkpoints.hpp"

namespace phalanx {

/// The sink does not want pieces that an earlier run recorded: the run has read them back before (believed_pieces).
class CheckpointedSink : public FileSink {
 public:
  /// All arguments stay the caller's. `sealed_bytes` is the size of all chunks, or 0 where nothing is trusted. `progress` is
  /// told of pieces that are there already.
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

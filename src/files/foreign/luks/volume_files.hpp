// This decrypts IN, a volume, as OUT: the whole of it, or a part.
#pragma once

#include <functional>
#include <string>

#include "files/foreign/luks/luks_volume.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/pipeline/slice.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// This is a part of a volume's plaintext, and the sectors that are read for it.
class VolumeSlice {
 public:
  /// The volume stays the caller's. Throws Error (usage) where the slice ends behind it.
  VolumeSlice(const LuksVolume& volume, const Slice& slice);

  [[nodiscard]] std::uint64_t num_bytes() const { return end_ - begin_; }
  /// Returns how many bytes are read for the slice.
  [[nodiscard]] std::uint64_t read_bytes() const { return end_of_reading_ - first_read_; }

  /// Decrypts the slice, and commits the output, which is open. The watch is of the file with the data. `on_input_change`
  /// hears in a line how that file changed meanwhile, and may be empty. Throws Error as LuksVolume, InputWatch and Output
  /// do.
  void decrypt(InputWatch& watch, Output& output, const RunOptions& options,
               const std::function<void(const std::string& what)>& on_input_change, Progress& progress) const;

 private:
  const LuksVolume& volume_;
  std::uint64_t begin_, end_;
  std::uint64_t first_read_, end_of_reading_;
};

}  // namespace phalanx

// Checkpoints record from time to time the written bytes of a file, once a sync says that they are on the disk.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "files/system/output/atomic_file.hpp"

namespace phalanx {

/// A kill costs at most about this much work. It is seldom enough to cost nothing.
inline constexpr std::chrono::seconds between_checkpoints{5};

/// Takes items from any number of threads. Each item tells of bytes that were written to the file before.
template <class Item>
class Checkpoints {
 public:
  using Record = std::function<void(const std::vector<Item>&)>;

  /// The file stays the caller's. One thread at a time calls `record`, with items whose content is on the disk.
  Checkpoints(WrittenFile& file, Record record) : file_(file), record_(std::move(record)) {}

  /// Throws Error (runtime) where a sync fails, and in every later call: a later sync may not speak for the same bytes.
  void add(Item item) {
    std::vector<Item> written;
    {
      const std::lock_guard lock(mutex_);
      written_.push_back(std::move(item));
      const auto now = std::chrono::steady_clock::now();
      if (now - last_ < between_checkpoints || is_recording_) return;
      last_ = now;
      is_recording_ = true;  // stays true where it fails
      written.swap(written_);
    }
    file_.sync();
    record_(written);
    const std::lock_guard lock(mutex_);
    is_recording_ = false;
  }

 private:
  WrittenFile& file_;
  Record record_;
  std::mutex mutex_;
  std::vector<Item> written_;  // not yet recorded
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool is_recording_ = false;
};

}  // namespace phalanx

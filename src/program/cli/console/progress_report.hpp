// This shows how far a run is: a line on a terminal for people, lines of JSON for programs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "files/system/progress.hpp"

namespace phalanx {

struct MessageOptions;

enum class ProgressStyle : unsigned char { none, bar, json };

/// Takes "auto" (a bar if standard error is a terminal), "bar", "json" or "none". Throws Error (usage) for any other.
[[nodiscard]] ProgressStyle parse_progress_style(std::string_view name);

/// Returns the style that a command's options name, or none where it is to be quiet. Throws as parse_progress_style does,
/// quiet or not.
[[nodiscard]] ProgressStyle style_of(const MessageOptions& messages);

/// Returns the style, but none for a bar, where the terminal gets text.
[[nodiscard]] constexpr ProgressStyle without_bar(ProgressStyle style) {
  return style == ProgressStyle::bar ? ProgressStyle::none : style;
}

/// While it lives no bar is drawn, and one that stands there is cleared first. It is for what else a terminal gets during a
/// run: a line, or a question until it is answered. A thread has one at a time.
class BarPause {
 public:
  BarPause();
  BarPause(const BarPause&) = delete;
  BarPause& operator=(const BarPause&) = delete;

 private:
  std::unique_lock<std::mutex> line_;
};

/// Reports to standard error while it lives: bytes done, bytes in all if known, bytes per second, seconds left if known.
class ProgressReport final : public Progress {
 public:
  ProgressReport(ProgressStyle style, std::optional<std::uint64_t> total_bytes);
  ~ProgressReport() override;  ///< stops, and clears an unfinished line
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  void add(std::uint64_t bytes) override { done_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  /// Is called when the run is complete. Prints the last report, with the whole time.
  void finish();

 private:
  void run();
  void stop();
  void report(bool finished);
  [[nodiscard]] std::string bar_line(double seconds, bool finished) const;
  [[nodiscard]] std::string redrawn(std::string line);
  [[nodiscard]] std::string json_line(double seconds, bool finished) const;

  ProgressStyle style_;
  std::optional<std::uint64_t> total_bytes_;
  std::atomic<std::uint64_t> done_bytes_{0};
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool shown_ = false;           // a bar was drawn
  std::size_t shown_width_ = 0;  // columns of the last bar
  std::thread thread_;
};

}  // namespace phalanx

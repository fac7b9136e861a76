#include "program/cli/console/progress_report.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <phalanx/error.hpp>
#include <system_error>
#include <vector>

#include "program/cli/console/message_options.hpp"
#include "program/cli/console/signal_handlers.hpp"

namespace phalanx {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_bar{300}, bar_interval{200}, json_interval{500};
constexpr const char* clear_line = "\r\033[K";
constexpr std::size_t usual_columns = 80;

std::mutex line_in_use;   // held by the thread that writes to the terminal's line
bool bar_stands = false;  // in the terminal's line

std::string readable_bytes(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.95 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string readable_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void put(const std::string& line) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// A terminal that does not know its width says 0.
std::size_t columns_of_terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

// A dumb terminal knows no escape sequences.
bool is_dumb() {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

const char* end_of_bar() { return is_dumb() ? "\n" : clear_line; }

// Returns as many of the parts as fit. A carriage return does not take back a line that wraps, and the last column wraps on
// some terminals.
std::string fitting(const std::vector<std::string>& parts) {
  const std::size_t most = columns_of_terminal() - 1;
  std::string line = parts.front().substr(0, most);
  for (auto part = parts.begin() + 1; part != parts.end() && line.size() + 2 + part->size() <= most; ++part) {
    line += ", " + *part;
  }
  return line;
}

}  // namespace

ProgressStyle parse_progress_style(std::string_view name) {
  if (name == "auto") return isatty(STDERR_FILENO) == 1 ? ProgressStyle::bar : ProgressStyle::none;
  if (name == "bar") return ProgressStyle::bar;
  if (name == "json") return ProgressStyle::json;
  if (name == "none") return ProgressStyle::none;
  throw Error(ErrorCode::usage, fmt::format("--progress {} is unknown: give auto, bar, json or none", name));
}

ProgressStyle style_of(const MessageOptions& messages) {
  const ProgressStyle style = parse_progress_style(messages.progress);
  return messages.quiet ? ProgressStyle::none : style;
}

BarPause::BarPause() : line_(line_in_use) {
  if (bar_stands) put(end_of_bar());
  bar_stands = false;
}

ProgressReport::ProgressReport(ProgressStyle style, std::optional<std::uint64_t> total_bytes)
    : style_(style), total_bytes_(total_bytes), start_(std::chrono::steady_clock::now()) {
  if (style_ == ProgressStyle::none) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // The system gives no more threads. The run goes on, and only the end of JSON is reported.
  }
}

ProgressReport::~ProgressReport() {
  stop();
  if (!shown_) return;
  const BarPause cleared;
  end_line_on_interruption(nullptr);
}

void ProgressReport::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ProgressReport::finish() {
  stop();
  if (style_ == ProgressStyle::json || shown_) report(true);
  shown_ = false;
}

void ProgressReport::run() {
  const auto interval = style_ == ProgressStyle::bar ? bar_interval : json_interval;
  auto wait = style_ == ProgressStyle::bar ? first_bar : interval;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, wait, [this] { return stopping_; })) {
    report(false);
    wait = interval;
  }
}

void ProgressReport::report(bool finished) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (style_ == ProgressStyle::json) {
    put(json_line(seconds, finished));
    return;
  }
  std::unique_lock line(line_in_use, std::defer_lock);
  if (finished) line.lock();
  if (!finished && !line.try_lock()) return;
  if (!finished) end_line_on_interruption(end_of_bar());  // before the bar stands: a signal may come at once
  put(redrawn(bar_line(seconds, finished)) + (finished ? "\n" : ""));
  shown_ = true;
  bar_stands = !finished;
  if (finished) end_line_on_interruption(nullptr);
}

// Returns what puts the line in the place of the one before.
std::string ProgressReport::redrawn(std::string line) {
  if (!is_dumb()) return clear_line + line;
  const std::size_t width = line.size();
  if (width < shown_width_) line.append(shown_width_ - width, ' ');
  shown_width_ = width;
  return '\r' + line;
}

std::string ProgressReport::bar_line(double seconds, bool finished) const {
  const auto done = static_cast<double>(done_bytes_.load());
  const double rate = seconds > 0 ? done / seconds : 0;
  std::vector<std::string> parts{readable_bytes(done)};
  if (total_bytes_ && *total_bytes_ > 0 && !finished) {
    const auto total = static_cast<double>(*total_bytes_);
    parts.front() += fmt::format(" of {}", readable_bytes(total));
    parts.push_back(fmt::format("{:.0f} %", 100 * std::min(1.0, done / total)));
  }
  parts.push_back(readable_bytes(rate) + "/s");
  if (finished) {
    parts.push_back(fmt::format("{:.1f} s", seconds));
  } else if (total_bytes_ && rate > 0) {
    const double left = std::max(0.0, static_cast<double>(*total_bytes_) - done) / rate;
    parts.push_back(readable_time(left) + " left");
  }
  return fitting(parts);
}

std::string ProgressReport::json_line(double seconds, bool finished) const {
  const std::uint64_t done = done_bytes_.load();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  nlohmann::ordered_json line;
  line["bytes"] = done;
  line["total_bytes"] = total_bytes_ ? nlohmann::ordered_json(*total_bytes_) : nlohmann::ordered_json(nullptr);
  line["bytes_per_second"] = static_cast<std::uint64_t>(rate);
  line["seconds"] = seconds;
  line["seconds_left"] = nullptr;
  if (total_bytes_ && rate > 0) {
    line["seconds_left"] = std::max(0.0, static_cast<double>(*total_bytes_) - static_cast<double>(done)) / rate;
  }
  line["finished"] = finished;
  return line.dump() + "\n";
}

}  // namespace phalanx

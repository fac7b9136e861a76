#include "program/cluster/worker.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <optional>

#include "files/pipeline/scheduler.hpp"
#include "files/system/progress.hpp"
#include "program/cluster/worker_share.hpp"

namespace phalanx {
namespace {

// More pieces are asked for when so few are left: while they come, these are done.
constexpr std::uint64_t few_pieces = 16;

// More than rank 0 has at work at once.
constexpr std::size_t most_shares = 256;

constexpr std::chrono::milliseconds between_reports{100};

std::uint64_t microseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e6); }

}  // namespace

// The pieces that rank 0 has given to this rank.
class RankQueue : public WorkQueue {
 public:
  RankQueue(std::uint64_t first, std::uint64_t end, bool may_ask, std::function<void()> ask)
      : next_(first), end_(end), may_ask_(may_ask), ask_(std::move(ask)) {}

  std::optional<std::uint64_t> next() override {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (stopped_) return std::nullopt;
      ask_for_more();
      if (next_ < end_) return next_++;
      if (later_next_ < later_end_) {
        next_ = later_next_;
        end_ = later_end_;
        later_next_ = later_end_ = 0;
        continue;
      }
      if (!may_ask_) return std::nullopt;
      changed_.wait(lock);
    }
  }

  void grant(std::uint64_t first, std::uint64_t end) {
    const std::lock_guard lock(mutex_);
    if (!asked_ || first > end) JobDecoder::refuse();
    asked_ = false;
    if (first == end) may_ask_ = false;
    later_next_ = first;
    later_end_ = end;
    changed_.notify_all();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  void ask_for_more() {
    if (!may_ask_ || asked_ || later_next_ < later_end_ || end_ - next_ > few_pieces) return;
    asked_ = true;
    ask_();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_, end_;
  std::uint64_t later_next_ = 0, later_end_ = 0;
  bool may_ask_;
  bool asked_ = false;
  bool stopped_ = false;
  std::function<void()> ask_;
};

namespace {

// Tells rank 0 now and then.
class ReportedProgress : public Progress {
 public:
  ReportedProgress(std::uint64_t share, const std::function<void(Bytes)>& say) : share_(share), say_(say) {}

  void add(std::uint64_t num_bytes) override {
    num_bytes_ += num_bytes;
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < between_reports) return;
    last_ = now;
    report();
  }

  void report() {
    JobEncoder message;
    message.put(MessageType::progress);
    message.put(share_);
    message.put(num_bytes_.exchange(0));
    say_(message.bytes());
  }

 private:
  std::uint64_t share_;
  const std::function<void(Bytes)>& say_;
  std::atomic<std::uint64_t> num_bytes_{0};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

struct Worker::Share {
  std::uint64_t number;
  SecretBytes description;
  RankQueue queue;
  std::thread thread{};
  std::atomic<bool> is_finished{false};

  Share(std::uint64_t own_number, Bytes own_description, std::uint64_t first, std::uint64_t end, bool may_ask,
        std::function<void()> ask)
      : number(own_number), description(own_description), queue(first, end, may_ask, std::move(ask)) {}
};

Worker::Worker(WorkerOptions own, std::string host, std::function<void(Bytes)> say)
    : own_(std::move(own)), host_(std::move(host)), say_(std::move(say)) {}

Worker::~Worker() {
  for (auto& [number, share] : shares_) {
    share->queue.stop();
    share->thread.join();
  }
}

void Worker::on_message(Bytes message) {
  JobDecoder reader(message);
  const MessageType word = word_of(reader);
  if (word != MessageType::job && word != MessageType::grant && word != MessageType::stop) JobDecoder::refuse();
  const std::uint64_t number = reader.number();
  const std::lock_guard lock(mutex_);
  if (word == MessageType::job) return begin(number, reader);
  const auto found = shares_.find(number);
  const std::uint64_t first = word == MessageType::grant ? reader.number() : 0;
  const std::uint64_t end = word == MessageType::grant ? reader.number() : 0;
  reader.finish();
  if (found == shares_.end()) return;  // it failed, and is over
  if (word == MessageType::grant) {
    found->second->queue.grant(first, end);
  } else {
    found->second->queue.stop();
  }
}

void Worker::begin(std::uint64_t number, JobDecoder& job) {
  clear_finished();
  const std::uint64_t first = job.number();
  const std::uint64_t end = job.number();
  const bool may_ask = job.flag();
  const Bytes description = job.bytes();
  job.finish();
  if (first > end || number < next_number_ || number == UINT64_MAX || shares_.size() >= most_shares) JobDecoder::refuse();
  next_number_ = number + 1;
  const auto ask = [this, number] {
    JobEncoder question;
    question.put(MessageType::ask);
    question.put(number);
    say_(question.bytes());
  };
  auto& share = shares_[number];
  share = std::make_unique<Share>(number, description, first, end, may_ask, ask);
  share->thread = std::thread([this, &own_share = *share] { work(own_share); });
}

void Worker::work(Share& share) {
  ReportedProgress progress(share.number, say_);
  PieceTimes times;
  const JobShare done = run_worker_share(share.description, own_, share.queue, progress, times);
  progress.report();
  JobEncoder message;
  message.put(MessageType::done);
  message.put(share.number);
  message.put(done.failed_piece);
  message.put(done.code);
  message.put(done.message);
  message.put(Bytes(done.report));
  for (const double seconds : {times.reading, times.crypting, times.writing, times.waiting})
    message.put(microseconds(seconds));
  message.put(times.num_bytes);
  message.put(host_);
  share.description = SecretBytes();
  say_(message.bytes());
  share.is_finished = true;
}

void Worker::clear_finished() {
  std::erase_if(shares_, [](auto& entry) {
    if (!entry.second->is_finished) return false;
    entry.second->thread.join();
    return true;
  });
}

}  // namespace phalanx

#include "files/pipeline/scheduler.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "engine/threads/brief_wait.hpp"
#include "engine/threads/run_on_threads.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {
namespace {

// Besides those that crypt, threads that read or write, or wait for a disk: the more pieces are recorded at once, the fewer
// times we wait for it.
constexpr std::size_t more_threads = 2;
constexpr std::size_t fewest_threads = 12;

// Pieces that wait for a GPU go to it together.
constexpr std::size_t bytes_on_gpu = std::size_t{32} << 20;
constexpr std::size_t fewest_on_gpu = 2, most_on_gpu = 64;

class AllPieces : public WorkQueue {
 public:
  explicit AllPieces(std::optional<std::uint64_t> num_pieces)
      : num_pieces_(num_pieces.value_or(std::numeric_limits<std::uint64_t>::max())) {}
  std::optional<std::uint64_t> next() override {
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    return number < num_pieces_ ? std::optional(number) : std::nullopt;
  }

 private:
  std::uint64_t num_pieces_;
  std::atomic<std::uint64_t> next_{0};
};

// This knows how far a run may go on: until a piece fails, and then up to that piece.
class RunState {
 public:
  [[nodiscard]] bool has_failed() const { return end_.load() != no_piece; }
  [[nodiscard]] bool is_over(std::uint64_t number) const { return number >= end_.load(); }

  void fail(std::uint64_t number, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (number >= end_.load()) return;
    end_.store(number);
    failure_ = std::move(failure);
  }

  [[nodiscard]] std::exception_ptr failure() const { return failure_; }
  [[nodiscard]] std::uint64_t failed_piece() const { return failure_ ? end_.load() : no_piece; }

 private:
  std::atomic<std::uint64_t> end_{no_piece};
  std::mutex mutex_;
  std::exception_ptr failure_;  // of the piece `end_`
};

// Lets pieces pass one at a time, in the order of their numbers.
class InOrderGate {
 public:
  InOrderGate(const RunState& state, std::uint64_t first) : state_(state), next_(first) {}

  // False if the run ends before that piece.
  [[nodiscard]] bool wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    place_of(number).wait(lock, [&] { return next_ == number || state_.is_over(number); });
    return !state_.is_over(number);
  }
  void finish(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      next_ = number + 1;
    }
    place_of(number + 1).notify_all();
  }
  void wake_all() {
    { const std::lock_guard lock(mutex_); }  // whoever looked before the run ended is waiting now
    for (std::condition_variable& place : places_) place.notify_all();
  }

 private:
  std::condition_variable& place_of(std::uint64_t number) { return places_[number % places_.size()]; }

  const RunState& state_;
  std::uint64_t next_;
  std::mutex mutex_;
  std::array<std::condition_variable, 64> places_;  // where pieces wait: a turn wakes one, not all
};

// This limits how many pieces are crypted at once. It is no std::counting_semaphore: that of libstdc++ 12
// (bits/semaphore_base.h) wakes nobody unless the number of free places was zero. A thread may find the last place
// taken, and fall asleep just after it became free. Then it sleeps on, and the pieces behind its own wait for it.
class CryptingPlaces {
 public:
  void open(std::size_t num_places) { num_free_ = num_places; }
  // Most are free soon: whoever sleeps at once, is woken late.
  void take() {
    if (wait_briefly(looks_before_sleep, [this] { return try_take(); })) return;
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return num_free_ != 0; });
    --num_free_;
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      ++num_free_;
    }
    freed_.notify_one();
  }

 private:
  static constexpr int looks_before_sleep = 4;

  bool try_take() {
    const std::lock_guard lock(mutex_);
    if (num_free_ == 0) return false;
    --num_free_;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t num_free_ = 0;
};

class Scheduler {
 public:
  Scheduler(PieceReader& reader, std::span<PipelineStage* const> stages, PieceSink& sink, Progress& progress,
            WorkQueue& queue)
      : reader_(reader), stages_(stages), sink_(sink), progress_(progress), queue_(queue) {}

  [[nodiscard]] SomePieces run(const PieceThreads& threads);
  void add_times(PieceTimes& times) const;

 private:
  using Nanoseconds = std::atomic<std::int64_t>;

  struct Slot {
    SecretBytes memory, spare;
    std::vector<std::unique_ptr<PageLock>> locks;  // of both
  };

  [[nodiscard]] std::size_t num_workers(std::size_t num_crypting) const;
  void make_turns(std::uint64_t first);
  void work(std::optional<std::uint64_t> first);
  void take_through(Slot& slot, std::uint64_t number);
  [[nodiscard]] bool read(Slot& slot, Piece& piece);
  [[nodiscard]] bool process(std::size_t stage, Piece& piece);
  [[nodiscard]] bool write(const Piece& piece);
  void provide(Slot& slot, Piece& piece, std::size_t buffer_bytes) const;
  void end(std::uint64_t number, const std::exception_ptr& failure);

  PieceReader& reader_;
  std::span<PipelineStage* const> stages_;
  PieceSink& sink_;
  Progress& progress_;
  WorkQueue& queue_;
  std::size_t buffer_bytes_ = 0;
  RunState state_;
  std::vector<std::unique_ptr<InOrderGate>>
      turns_;  // of reading, of each stage, of writing; nullptr where there is no order
  CryptingPlaces places_;
  bool works_alone_ = false;
  std::atomic<std::uint64_t> total_bytes_{0};
  Nanoseconds reading_{0}, crypting_time_{0}, writing_{0}, all_{0};
};

// Adds to a time what passes while it lives.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<std::int64_t>& sum) : sum_(sum) {}
  ~Stopwatch() {
    sum_ += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<std::int64_t>& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void Scheduler::add_times(PieceTimes& times) const {
  const auto seconds = [](const Nanoseconds& sum) { return static_cast<double>(sum.load()) / 1e9; };
  times.reading += seconds(reading_);
  times.crypting += seconds(crypting_time_);
  times.writing += seconds(writing_);
  times.waiting += seconds(all_) - seconds(reading_) - seconds(crypting_time_) - seconds(writing_);
  times.num_bytes += total_bytes_;
}

std::size_t Scheduler::num_workers(std::size_t num_crypting) const {
  const std::size_t wanted = std::max(num_crypting + more_threads, fewest_threads);
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, reader_.expected_pieces().value_or(wanted)));
}

void Scheduler::make_turns(std::uint64_t first) {
  const auto add = [&](bool in_order) {
    turns_.push_back(in_order ? std::make_unique<InOrderGate>(state_, first) : nullptr);
  };
  add(reader_.in_order());
  for (const PipelineStage* stage : stages_) add(stage->in_order());
  add(sink_.in_order());
}

SomePieces Scheduler::run(const PieceThreads& threads) {
  buffer_bytes_ = reader_.buffer_bytes();
  const auto num_threads = static_cast<std::size_t>(thread_count(threads.num_threads));
  const std::size_t num_on_gpu = std::clamp(bytes_on_gpu / buffer_bytes_, fewest_on_gpu, most_on_gpu);
  const std::size_t num_crypting = threads.on_gpu ? num_on_gpu : num_threads;
  places_.open(num_crypting);
  // Fewer pieces than threads: then threads help each other.
  works_alone_ = !threads.on_gpu && reader_.expected_pieces().value_or(num_threads) >= num_threads;
  const std::size_t workers = num_workers(num_crypting);
  const std::optional<std::uint64_t> first = queue_.next();
  if (first) {
    make_turns(*first);
    work_on_threads(workers, [&](std::size_t thread) { work(thread == 0 ? first : std::nullopt); });
  }
  return {.num_bytes = total_bytes_, .failed_piece = state_.failed_piece(), .failure = state_.failure()};
}

void Scheduler::work(std::optional<std::uint64_t> first) {
  std::optional<SerialSection> alone;
  if (works_alone_) alone.emplace();
  Slot slot;
  for (std::optional<std::uint64_t> number = first ? first : queue_.next(); number; number = queue_.next()) {
    try {
      if (!sink_.wants(*number)) continue;
      const Stopwatch all(all_);
      take_through(slot, *number);
    } catch (...) {
      end(*number, std::current_exception());
    }
    if (state_.has_failed()) return;
  }
}

void Scheduler::end(std::uint64_t number, const std::exception_ptr& failure) {
  state_.fail(number, failure);
  reader_.stop();
  for (const auto& turns : turns_) {
    if (turns) turns->wake_all();
  }
}

void Scheduler::provide(Slot& slot, Piece& piece, std::size_t buffer_bytes) const {
  if (slot.memory.size() < buffer_bytes) {
    std::size_t spare_bytes = 0;
    for (const PipelineStage* stage : stages_) spare_bytes = std::max(spare_bytes, stage->spare_bytes(buffer_bytes));
    slot.locks.clear();
    slot.memory = SecretBytes(buffer_bytes);
    if (spare_bytes != 0) slot.spare = SecretBytes(spare_bytes);
    for (const PipelineStage* stage : stages_) {
      for (const MutableBytes memory : {MutableBytes(slot.memory), MutableBytes(slot.spare)}) {
        if (auto lock = stage->lock_pages(memory)) slot.locks.push_back(std::move(lock));
      }
    }
  }
  piece.buffer = slot.memory;
  piece.spare = slot.spare;
}

void Scheduler::take_through(Slot& slot, std::uint64_t number) {
  Piece piece;
  piece.number = number;
  if (!reader_.has_piece(number)) return end(number, nullptr);
  provide(slot, piece, buffer_bytes_);
  if (!read(slot, piece)) return;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    if (!process(stage, piece)) return;
  }
  if (!write(piece)) return;
  total_bytes_ += piece.read_bytes;
  progress_.add(piece.read_bytes);
}

bool Scheduler::read(Slot& slot, Piece& piece) {
  InOrderGate* const turns = turns_.front().get();
  if (turns != nullptr && !turns->wait_for(piece.number)) return false;
  const bool there_is_one = [&] {
    const Stopwatch reading(reading_);
    bool is_there = reader_.read(piece);
    while (is_there && piece.lacks_room()) {
      provide(slot, piece, piece.size + max_padding_bytes);
      is_there = reader_.read(piece);
    }
    return is_there;
  }();
  if (turns != nullptr) turns->finish(piece.number);
  if (!there_is_one) end(piece.number, nullptr);
  return there_is_one;
}

bool Scheduler::process(std::size_t stage, Piece& piece) {
  InOrderGate* const turns = turns_[stage + 1].get();
  if (turns != nullptr) {
    if (!turns->wait_for(piece.number)) return false;
    const Stopwatch crypting(crypting_time_);
    stages_[stage]->process(piece);
    turns->finish(piece.number);
    return true;
  }
  struct Place {
    explicit Place(CryptingPlaces& places) : of(places) { of.take(); }
    ~Place() { of.give_back(); }
    CryptingPlaces& of;
  };
  if (state_.is_over(piece.number)) return false;
  const Place place(places_);
  const Stopwatch crypting(crypting_time_);
  stages_[stage]->process(piece);
  return true;
}

bool Scheduler::write(const Piece& piece) {
  InOrderGate* const turns = turns_.back().get();
  if (turns != nullptr && !turns->wait_for(piece.number)) return false;
  if (state_.is_over(piece.number)) return false;
  const Stopwatch writing(writing_);
  sink_.write(piece);
  if (turns != nullptr) turns->finish(piece.number);
  return true;
}

}  // namespace

PieceThreads piece_threads(const RunOptions& options, std::string_view engine) {
  return {.num_threads = options.num_threads,
          .on_gpu = is_gpu(engine),
          .executor = options.executor,
          .asked_engine = options.engine};
}

SomePieces run_some_pieces(PieceReader& reader, std::span<PipelineStage* const> stages, PieceSink& sink, Progress& progress,
                           const PieceThreads& threads, WorkQueue& queue, PieceTimes* times) {
  Scheduler run(reader, stages, sink, progress, queue);
  SomePieces done = run.run(threads);
  if (times != nullptr) run.add_times(*times);
  return done;
}

std::uint64_t run_pieces(PieceReader& reader, std::span<PipelineStage* const> stages, PieceSink& sink, Progress& progress,
                         const PieceThreads& threads) {
  std::optional<std::uint64_t> num_bytes;
  if (threads.executor != nullptr) num_bytes = threads.executor->run({reader, stages, sink}, threads.asked_engine, progress);
  if (!num_bytes) {
    AllPieces all(reader.num_pieces());
    const SomePieces done = run_some_pieces(reader, stages, sink, progress, threads, all);
    if (done.failure) std::rethrow_exception(done.failure);
    num_bytes = done.num_bytes;
  }
  reader.finish();
  sink.finish();
  return *num_bytes;
}

}  // namespace phalanx

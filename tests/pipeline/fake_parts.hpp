// Readers, stages and sinks that write down their calls, and that wait where a test says so: the orders of threads are made,
// not hoped for.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx::test {

using Pieces = std::vector<std::uint64_t>;

/// 0 to num_pieces - 1.
inline Pieces all_pieces(std::uint64_t num_pieces) {
  Pieces pieces(num_pieces);
  for (std::uint64_t number = 0; number < num_pieces; ++number) pieces[number] = number;
  return pieces;
}

/// Something that happens once.
class Event {
 public:
  void set() {
    flag_.test_and_set();
    flag_.notify_all();
  }
  void wait() const { flag_.wait(false); }

 private:
  std::atomic_flag flag_;
};

/// Lets others run, so that what must not happen would. Not for long where the machine is busy: there each turn takes a while.
inline void let_others_run() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  for (int i = 0; i < 200 && std::chrono::steady_clock::now() < end; ++i) std::this_thread::yield();
}

/// The calls of one part: which pieces came, in which order, and how many were within at once.
class Calls {
 public:
  std::function<void(std::uint64_t piece)> act;  ///< during a call; may wait and throw

  void take(std::uint64_t piece) {
    const Inside inside(*this);
    {
      const std::lock_guard lock(mutex_);
      pieces_.push_back(piece);
    }
    if (act) act(piece);
  }

  [[nodiscard]] Pieces pieces() const {
    const std::lock_guard lock(mutex_);
    return pieces_;
  }
  [[nodiscard]] Pieces sorted() const {
    Pieces sorted = pieces();
    std::ranges::sort(sorted);
    return sorted;
  }
  [[nodiscard]] bool has(std::uint64_t piece) const {
    const Pieces came = pieces();
    return std::ranges::find(came, piece) != came.end();
  }
  [[nodiscard]] int most_inside() const { return most_inside_; }

 private:
  struct Inside {
    explicit Inside(Calls& of) : calls(of) {
      const int now = ++calls.num_inside_;
      for (int most = calls.most_inside_; most < now && !calls.most_inside_.compare_exchange_weak(most, now);) {
      }
    }
    ~Inside() { --calls.num_inside_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Calls& calls;
  };

  mutable std::mutex mutex_;
  Pieces pieces_;
  std::atomic<int> num_inside_{0}, most_inside_{0};
};

inline constexpr std::size_t fake_piece_bytes = 8;

/// What the reader puts into each byte of a piece.
inline std::uint8_t byte_of(std::uint64_t piece) { return static_cast<std::uint8_t>(3 * piece + 1); }

class FakeReader : public PieceReader {
 public:
  explicit FakeReader(std::uint64_t num_pieces) : num_pieces_(num_pieces) {}

  bool is_in_order = false;
  bool knows_its_end = true;                      ///< else only reading shows it
  bool says_what_it_has = true;                   ///< by has_piece
  std::uint64_t large_piece = ~std::uint64_t{0};  ///< which needs a buffer of large_bytes
  static constexpr std::size_t large_bytes = 1000;
  Calls asked, read_calls;
  Event stopped;
  std::atomic<int> num_finished{0};

  [[nodiscard]] bool in_order() const override { return is_in_order; }
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override {
    return knows_its_end ? std::optional(num_pieces_) : std::nullopt;
  }
  [[nodiscard]] std::size_t buffer_bytes() override { return fake_piece_bytes + max_padding_bytes; }
  [[nodiscard]] bool has_piece(std::uint64_t number) override {
    asked.take(number);
    return !says_what_it_has || number < num_pieces_;
  }
  bool read(Piece& piece) override {
    read_calls.take(piece.number);
    if (piece.number >= num_pieces_) return false;
    piece.size = piece.number == large_piece ? large_bytes : fake_piece_bytes;
    if (piece.lacks_room()) return true;
    piece.read_bytes = piece.size;
    piece.offset = piece.number * fake_piece_bytes;
    piece.last = piece.number + 1 == num_pieces_;
    std::ranges::fill(piece.buffer.first(piece.size), byte_of(piece.number));
    return true;
  }
  void stop() override { stopped.set(); }
  void finish() override { ++num_finished; }

 private:
  std::uint64_t num_pieces_;
};

class FakeStage : public PipelineStage {
 public:
  bool is_in_order = false;
  std::size_t wanted_spare_bytes = 0;
  Calls calls;
  std::function<std::uint8_t(std::uint8_t)> change;  ///< of each byte

  [[nodiscard]] bool in_order() const override { return is_in_order; }
  [[nodiscard]] std::size_t spare_bytes(std::size_t /*buffer_bytes*/) const override { return wanted_spare_bytes; }
  void process(Piece& piece) override {
    calls.take(piece.number);
    if (!change) return;
    for (std::uint8_t& byte : piece.buffer.first(piece.size)) byte = change(byte);
  }
};

class FakeSink : public PieceSink {
 public:
  bool is_in_order = false;
  std::function<bool(std::uint64_t)> wanted;
  Calls calls;
  std::function<void(const Piece&)> look;
  std::atomic<int> num_finished{0};

  [[nodiscard]] bool in_order() const override { return is_in_order; }
  [[nodiscard]] bool wants(std::uint64_t number) override { return !wanted || wanted(number); }
  void write(const Piece& piece) override {
    calls.take(piece.number);
    if (look) look(piece);
  }
  void finish() override { ++num_finished; }
};

class CountedProgress : public Progress {
 public:
  std::function<void()> act;
  std::atomic<std::uint64_t> num_bytes{0};
  void add(std::uint64_t more) override {
    num_bytes += more;
    if (act) act();
  }
};

}  // namespace phalanx::test

// The scheduler over parts that write down their calls: each piece once, through all stages, in order where that is asked.
#include "files/pipeline/scheduler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <map>
#include <mutex>
#include <vector>

#include "engine/threads/threads.hpp"
#include "tests/pipeline/fake_parts.hpp"

namespace phalanx::test {
namespace {

constexpr std::uint64_t num_pieces = 40;
constexpr int num_threads = 4;

class SchedulerTest : public testing::Test {
 protected:
  FakeReader reader{num_pieces};
  FakeStage first, second;
  FakeSink sink;
  CountedProgress progress;

  void SetUp() override { alarm(30); }  // what waits for ever has failed
  void TearDown() override { alarm(0); }

  std::uint64_t run(const PieceThreads& threads = {.num_threads = num_threads}) {
    PipelineStage* const stages[] = {&first, &second};
    return run_pieces(reader, stages, sink, progress, threads);
  }
};

TEST_F(SchedulerTest, TakesEachPieceOnceThroughAllStages) {
  first.change = [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte + 5); };
  second.change = [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte * 7); };
  std::mutex mutex;
  std::map<std::uint64_t, std::uint8_t> written;
  sink.look = [&](const Piece& piece) {
    const std::lock_guard lock(mutex);
    ASSERT_EQ(piece.size, fake_piece_bytes);
    written[piece.number] = piece.content().back();
  };
  EXPECT_EQ(run(), num_pieces * fake_piece_bytes);
  for (const Calls* calls : {&reader.read_calls, &first.calls, &second.calls, &sink.calls}) {
    EXPECT_EQ(calls->sorted(), all_pieces(num_pieces));
  }
  for (const auto& [piece, byte] : written) EXPECT_EQ(byte, static_cast<std::uint8_t>((byte_of(piece) + 5) * 7)) << piece;
  EXPECT_EQ(progress.num_bytes, num_pieces * fake_piece_bytes);
  EXPECT_EQ(reader.num_finished, 1);
  EXPECT_EQ(sink.num_finished, 1);
}

// Piece 0 comes to the part that has an order only when others are waiting there.
class HoldsBackTheFirst {
 public:
  std::function<void(std::uint64_t)> in(Calls& part, const Calls& ordered) {
    part.act = [this, &ordered](std::uint64_t piece) {
      if (piece != 0 && piece < num_threads) others_.count_down();
      if (piece != 0) return;
      others_.wait();
      let_others_run();
      EXPECT_TRUE(ordered.pieces().empty()) << "came before piece 0: " << ordered.pieces().front();
    };
    return part.act;
  }

 private:
  std::latch others_{num_threads - 1};
};

void one_at_a_time(Calls& calls) {
  calls.act = [](std::uint64_t /*piece*/) { let_others_run(); };
}

void expect_in_order(const Calls& calls) {
  EXPECT_EQ(calls.pieces(), all_pieces(num_pieces));
  EXPECT_EQ(calls.most_inside(), 1);
}

TEST_F(SchedulerTest, ReadsInOrderWhereTheReaderAsks) {
  reader.is_in_order = true;
  HoldsBackTheFirst hold;
  hold.in(reader.asked, reader.read_calls);
  one_at_a_time(reader.read_calls);
  run();
  expect_in_order(reader.read_calls);
  EXPECT_EQ(sink.calls.sorted(), all_pieces(num_pieces));
}

TEST_F(SchedulerTest, ProcessesInOrderWhereAStageAsks) {
  second.is_in_order = true;
  HoldsBackTheFirst hold;
  hold.in(first.calls, second.calls);
  one_at_a_time(second.calls);
  run();
  expect_in_order(second.calls);
  EXPECT_EQ(sink.calls.sorted(), all_pieces(num_pieces));
}

TEST_F(SchedulerTest, WritesInOrderWhereTheSinkAsks) {
  sink.is_in_order = true;
  HoldsBackTheFirst hold;
  hold.in(second.calls, sink.calls);
  one_at_a_time(sink.calls);
  run();
  expect_in_order(sink.calls);
}

TEST_F(SchedulerTest, AllPartsMayHaveAnOrder) {
  reader.is_in_order = first.is_in_order = second.is_in_order = sink.is_in_order = true;
  run();
  for (const Calls* calls : {&reader.read_calls, &first.calls, &second.calls, &sink.calls}) expect_in_order(*calls);
}

// Pieces that wait for one another: they are within at once.
void meet(Calls& calls, std::latch& together) {
  calls.act = [&](std::uint64_t piece) {
    if (piece < num_threads) together.arrive_and_wait();
  };
}

TEST_F(SchedulerTest, WhatHasNoOrderIsDoneSideBySide) {
  reader.is_in_order = sink.is_in_order = true;
  std::latch together(num_threads);
  meet(first.calls, together);
  run();
  EXPECT_EQ(sink.calls.pieces(), all_pieces(num_pieces));
}

TEST_F(SchedulerTest, ReadsAndWritesSideBySideToo) {
  std::latch reading(num_threads), writing(num_threads);
  meet(reader.read_calls, reading);
  meet(sink.calls, writing);
  run();
  EXPECT_EQ(sink.calls.sorted(), all_pieces(num_pieces));
}

TEST_F(SchedulerTest, NoMoreCryptAtOnceThanWasAsked) {
  first.calls.act = second.calls.act = [](std::uint64_t /*piece*/) { let_others_run(); };
  run({.num_threads = 2});
  EXPECT_LE(first.calls.most_inside(), 2);
  EXPECT_LE(second.calls.most_inside(), 2);
}

// Its engine takes them one after another: they wait for it together.
TEST_F(SchedulerTest, ManyGoToAGpuAtOnceHoweverFewThreadsCrypt) {
  std::latch together(8);
  first.calls.act = [&](std::uint64_t piece) {
    if (piece < 8) together.arrive_and_wait();
  };
  run({.num_threads = 1, .on_gpu = true});
  EXPECT_GE(first.calls.most_inside(), 8);
}

// A stage that cuts its piece for threads: into how many parts it was cut.
class CuttingStage : public PipelineStage {
 public:
  std::atomic<int> num_parts{0};
  void process(Piece& /*piece*/) override {
    run_parallel(2, 8, [&](std::size_t /*first*/, std::size_t /*last*/) { ++num_parts; });
  }
};

int parts_of_each(std::uint64_t pieces, const PieceThreads& threads) {
  FakeReader reader(pieces);
  CuttingStage stage;
  FakeSink sink;
  Progress progress;
  PipelineStage* const stages[] = {&stage};
  run_pieces(reader, stages, sink, progress, threads);
  return stage.num_parts / static_cast<int>(pieces);
}

TEST(SchedulerThreads, HelpEachOtherOnlyWhereThereAreFewerPiecesThanThreads) {
  EXPECT_EQ(parts_of_each(8, {.num_threads = 4}), 1);
  EXPECT_EQ(parts_of_each(4, {.num_threads = 4}), 1);
  EXPECT_EQ(parts_of_each(3, {.num_threads = 4}), 8);
  EXPECT_EQ(parts_of_each(8, {.num_threads = 4, .on_gpu = true}), 8);
}

TEST(SchedulerThreads, LeaveThisThreadsOwnLoopsAsTheyWere) {
  EXPECT_EQ(parts_of_each(8, {.num_threads = 4}), 1);
  std::atomic<int> num_parts{0};
  run_parallel(2, 8, [&](std::size_t /*first*/, std::size_t /*last*/) { ++num_parts; });
  EXPECT_EQ(num_parts, 8);
}

TEST_F(SchedulerTest, EndsWhereTheReaderHasNoMore) {
  for (const bool by_asking : {true, false}) {
    FakeReader ending(7);
    ending.knows_its_end = false;
    ending.is_in_order = true;
    ending.says_what_it_has = by_asking;
    FakeSink written;
    EXPECT_EQ(run_pieces(ending, {}, written, progress, {.num_threads = num_threads}), 7 * fake_piece_bytes);
    EXPECT_EQ(written.calls.sorted(), all_pieces(7));
    EXPECT_EQ(ending.num_finished + written.num_finished, 2);
  }
}

TEST_F(SchedulerTest, ReadsOnlyWhatTheSinkWants) {
  sink.wanted = [](std::uint64_t piece) { return piece % 3 == 0; };
  EXPECT_EQ(run(), 14 * fake_piece_bytes);
  for (const Calls* calls : {&reader.read_calls, &first.calls, &sink.calls}) {
    EXPECT_EQ(calls->pieces().size(), 14U);
    for (const std::uint64_t piece : calls->pieces()) EXPECT_EQ(piece % 3, 0U);
  }
  EXPECT_EQ(sink.num_finished, 1);
}

// A file that has grown since its size was asked.
TEST_F(SchedulerTest, ReadsAgainWithALargerBufferWhatLacksRoom) {
  reader.large_piece = 5;
  std::atomic<std::size_t> found{0};
  sink.look = [&](const Piece& piece) {
    if (piece.number != 5) return;
    EXPECT_GE(piece.buffer.size(), FakeReader::large_bytes + max_padding_bytes);
    found = piece.size;
  };
  run();
  EXPECT_EQ(found, FakeReader::large_bytes);
  EXPECT_EQ(reader.read_calls.pieces().size(), num_pieces + 1);
  EXPECT_EQ(sink.calls.sorted(), all_pieces(num_pieces));
}

TEST_F(SchedulerTest, GivesTheSpareMemoryThatTheGreediestStageWants) {
  first.wanted_spare_bytes = 100;
  second.wanted_spare_bytes = 300;
  sink.look = [](const Piece& piece) { EXPECT_GE(piece.spare.size(), 300U); };
  run();
}

// The pieces of a range, as another process has asked.
class RangeOfPieces : public WorkQueue {
 public:
  RangeOfPieces(std::uint64_t first, std::uint64_t end) : next_(first), end_(end) {}
  std::optional<std::uint64_t> next() override {
    const std::uint64_t number = next_++;
    return number < end_ ? std::optional(number) : std::nullopt;
  }

 private:
  std::atomic<std::uint64_t> next_;
  std::uint64_t end_;
};

TEST_F(SchedulerTest, DoesTheGivenPiecesAloneAndFinishesNothing) {
  sink.is_in_order = true;
  RangeOfPieces queue(10, 15);
  PipelineStage* const stages[] = {&first};
  const SomePieces done = run_some_pieces(reader, stages, sink, progress, {.num_threads = num_threads}, queue);
  EXPECT_EQ(sink.calls.pieces(), (Pieces{10, 11, 12, 13, 14}));
  EXPECT_EQ(done.num_bytes, 5 * fake_piece_bytes);
  EXPECT_FALSE(done.failure);
  EXPECT_EQ(reader.num_finished + sink.num_finished, 0);
}

TEST_F(SchedulerTest, DoesNothingWhereThereAreNoPiecesToDo) {
  RangeOfPieces queue(10, 10);
  EXPECT_EQ(run_some_pieces(reader, {}, sink, progress, {.num_threads = num_threads}, queue).num_bytes, 0U);
  EXPECT_TRUE(reader.read_calls.pieces().empty());
}

}  // namespace
}  // namespace phalanx::test

// Runs that fail: whose error it is, what is still done, and what is not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <stdexcept>
#include <string>

#include "tests/pipeline/fake_parts.hpp"

namespace phalanx::test {
namespace {

constexpr std::uint64_t num_pieces = 30;
const PieceThreads four_threads{.num_threads = 4};

struct FakeRun {
  FakeReader reader{num_pieces};
  FakeStage stage;
  FakeSink sink;
  CountedProgress progress;

  void start() {
    PipelineStage* const stages[] = {&stage};
    run_pieces(reader, stages, sink, progress, four_threads);
  }
  [[nodiscard]] std::string error() {
    try {
      start();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] int num_finished() const { return reader.num_finished + sink.num_finished; }
};

[[noreturn]] void fail(std::uint64_t piece) { throw Error(ErrorCode::runtime, "piece " + std::to_string(piece)); }

class SchedulerFailure : public testing::Test {
 protected:
  void SetUp() override { alarm(30); }  // what waits for ever has failed
  void TearDown() override { alarm(0); }
};

enum class Part { reader, stage, sink };

Calls& calls_of(FakeRun& run, Part part) {
  if (part == Part::reader) return run.reader.read_calls;
  return part == Part::stage ? run.stage.calls : run.sink.calls;
}

// One part fails at one piece, while any of the parts has an order.
void expect_failure_at(Part part, std::uint64_t piece, Part ordered) {
  FakeRun run;
  run.reader.is_in_order = ordered == Part::reader;
  run.stage.is_in_order = ordered == Part::stage;
  run.sink.is_in_order = ordered == Part::sink;
  calls_of(run, part).act = [&](std::uint64_t number) {
    if (number == piece) fail(piece);
  };
  EXPECT_EQ(run.error(), "piece " + std::to_string(piece));
  Pieces written = run.sink.calls.sorted();
  if (part == Part::sink) std::erase(written, piece);
  for (std::uint64_t before = 0; before < piece; ++before) EXPECT_EQ(written.at(before), before);
  if (run.sink.is_in_order) {
    EXPECT_EQ(written.size(), piece) << "nothing comes behind the failure";
  }
  EXPECT_EQ(run.num_finished(), 0);
}

TEST_F(SchedulerFailure, OfAnyPartAtAnyPieceIsThrownAndAllBeforeItIsDone) {
  for (const Part part : {Part::reader, Part::stage, Part::sink}) {
    for (const std::uint64_t piece : {std::uint64_t{0}, num_pieces / 2, num_pieces - 1}) {
      for (const Part ordered : {Part::reader, Part::stage, Part::sink}) {
        SCOPED_TRACE("part " + std::to_string(static_cast<int>(part)) + ", piece " + std::to_string(piece) + ", order of " +
                     std::to_string(static_cast<int>(ordered)));
        expect_failure_at(part, piece, ordered);
      }
    }
  }
}

TEST_F(SchedulerFailure, OfAnEarlierPieceWinsThoughItComesLater) {
  FakeRun run;
  run.stage.calls.act = [&](std::uint64_t piece) {
    if (piece == 3) fail(3);
    if (piece != 1) return;
    run.reader.stopped.wait();  // piece 3 has failed
    fail(1);
  };
  EXPECT_EQ(run.error(), "piece 1");
}

TEST_F(SchedulerFailure, OfALaterPieceIsNotTaken) {
  FakeRun run;
  Event has_begun;
  run.stage.calls.act = [&](std::uint64_t piece) {
    if (piece == 1) {
      has_begun.wait();
      fail(1);
    } else if (piece == 3) {
      has_begun.set();
      run.reader.stopped.wait();
      fail(3);
    }
  };
  EXPECT_EQ(run.error(), "piece 1");
}

TEST_F(SchedulerFailure, LeavesThePieceBeforeItToBeDone) {
  for (const bool in_order : {true, false}) {
    FakeRun run;
    run.sink.is_in_order = in_order;
    run.reader.read_calls.act = [&](std::uint64_t piece) {
      if (piece == 2) fail(2);
      if (piece == 0) run.reader.stopped.wait();
    };
    EXPECT_EQ(run.error(), "piece 2");
    EXPECT_TRUE(run.stage.calls.has(0));
    EXPECT_TRUE(run.sink.calls.has(0));
  }
}

TEST_F(SchedulerFailure, EndsThePiecesBehindIt) {
  for (const bool in_order : {true, false}) {
    FakeRun run;
    run.sink.is_in_order = in_order;
    run.reader.read_calls.act = [&](std::uint64_t piece) {
      if (piece == 0) fail(0);
      run.reader.stopped.wait();
    };
    EXPECT_EQ(run.error(), "piece 0");
    EXPECT_EQ(run.stage.calls.pieces(), Pieces());
    EXPECT_EQ(run.sink.calls.pieces(), Pieces());
  }
}

TEST_F(SchedulerFailure, KeepsWhatWasProcessedBehindItFromBeingWritten) {
  FakeRun run;
  std::latch have_begun(2);
  run.stage.calls.act = [&](std::uint64_t piece) {
    if (piece == 0) {
      have_begun.wait();
      fail(0);
    } else if (piece < 3) {  // and leave places to the others
      have_begun.count_down();
      run.reader.stopped.wait();
    }
  };
  EXPECT_EQ(run.error(), "piece 0");
  EXPECT_FALSE(run.sink.calls.has(1));
  EXPECT_FALSE(run.sink.calls.has(2));
}

// Each of the others has one piece at most: the one that it had when the first failed.
TEST_F(SchedulerFailure, LetsNoMorePiecesBegin) {
  FakeRun run;
  run.reader.read_calls.act = [&](std::uint64_t piece) {
    if (piece == 0) fail(0);
    run.reader.stopped.wait();
  };
  EXPECT_EQ(run.error(), "piece 0");
  EXPECT_LE(run.reader.read_calls.pieces().size(), 12U) << "the threads of a run that crypts by four";
}

TEST_F(SchedulerFailure, WakesThoseWhoWaitForTheirTurn) {
  for (const Part ordered : {Part::reader, Part::stage, Part::sink}) {
    FakeRun run;
    run.reader.is_in_order = ordered == Part::reader;
    run.stage.is_in_order = ordered == Part::stage;
    run.sink.is_in_order = ordered == Part::sink;
    calls_of(run, ordered).act = [&](std::uint64_t piece) {
      let_others_run();  // they wait
      if (piece == 0) fail(0);
    };
    EXPECT_EQ(run.error(), "piece 0");
    EXPECT_EQ(calls_of(run, ordered).pieces(), Pieces{0});
  }
}

TEST_F(SchedulerFailure, MayBeAnyException) {
  FakeRun run;
  run.stage.calls.act = [](std::uint64_t piece) {
    if (piece == 4) throw std::logic_error("no Error");
  };
  EXPECT_THROW(run.start(), std::logic_error);
  FakeRun other;
  other.stage.calls.act = [](std::uint64_t piece) {
    if (piece == num_pieces - 1) throw 7;
  };
  EXPECT_THROW(other.start(), int);
}

TEST_F(SchedulerFailure, OfWhatIsToldOfProgressEndsTheRun) {
  FakeRun run;
  run.progress.act = [] { throw Error(ErrorCode::runtime, "given up"); };
  EXPECT_EQ(run.error(), "given up");
  EXPECT_EQ(run.num_finished(), 0);
}

TEST_F(SchedulerFailure, OfTheSinksChoiceEndsTheRun) {
  FakeRun run;
  run.sink.wanted = [](std::uint64_t piece) -> bool {
    if (piece == 6) fail(6);
    return true;
  };
  EXPECT_EQ(run.error(), "piece 6");
  EXPECT_FALSE(run.reader.read_calls.has(6));
}

class FirstPieces : public WorkQueue {
 public:
  std::optional<std::uint64_t> next() override {
    const std::uint64_t number = next_++;
    return number < num_pieces ? std::optional(number) : std::nullopt;
  }

 private:
  std::atomic<std::uint64_t> next_{0};
};

TEST_F(SchedulerFailure, IsReturnedWithItsPieceWhereSomePiecesAreRun) {
  FakeRun run;
  run.stage.calls.act = [](std::uint64_t piece) {
    if (piece == 9) fail(9);
  };
  FirstPieces queue;
  PipelineStage* const stages[] = {&run.stage};
  const SomePieces done = run_some_pieces(run.reader, stages, run.sink, run.progress, four_threads, queue);
  EXPECT_EQ(done.failed_piece, 9U);
  EXPECT_THROW(std::rethrow_exception(done.failure), Error);
}

}  // namespace
}  // namespace phalanx::test

// Runs that are given an executor: it is asked first, and what it takes is done by it and by nothing else.
#include "files/pipeline/run_executor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/pipeline/fake_parts.hpp"

namespace phalanx::test {
namespace {

class FakeExecutor : public RunExecutor {
 public:
  bool takes = true, fails = false;
  int num_asked = 0;
  std::string engine;
  const PieceReader* reader = nullptr;
  const PieceSink* sink = nullptr;
  std::size_t num_stages = 0;

  std::optional<std::uint64_t> run(const RunParts& parts, std::string_view asked_engine, Progress& progress) override {
    ++num_asked;
    engine = asked_engine;
    reader = &parts.reader;
    sink = &parts.sink;
    num_stages = parts.stages.size();
    if (!takes) return std::nullopt;
    if (fails) throw Error(ErrorCode::authentication, "chunk 7");
    progress.add(5);
    return 123;
  }
  [[nodiscard]] std::size_t num_workers() const override { return 3; }
  void plan_bytes(std::uint64_t /*num_bytes*/) override {}
};

class RunExecutorTest : public testing::Test {
 protected:
  FakeExecutor executor;
  FakeReader reader{20};
  FakeStage stage;
  FakeSink sink;
  CountedProgress progress;

  std::uint64_t run() {
    PipelineStage* const stages[] = {&stage};
    const RunOptions options({.engine = "cuda", .num_threads = 2}, &executor);
    return run_pieces(reader, stages, sink, progress, piece_threads(options, "cuda:0"));
  }
};

TEST_F(RunExecutorTest, DoesWhatItTakesAndThisProcessFinishesIt) {
  EXPECT_EQ(run(), 123U);
  EXPECT_EQ(executor.num_asked, 1);
  EXPECT_EQ(executor.engine, "cuda") << "as it was asked for: each has its own";
  EXPECT_EQ(executor.reader, &reader);
  EXPECT_EQ(executor.sink, &sink);
  EXPECT_EQ(executor.num_stages, 1U);
  EXPECT_EQ(progress.num_bytes, 5U);
  EXPECT_EQ(reader.read_calls.pieces(), Pieces());
  EXPECT_EQ(sink.calls.pieces(), Pieces());
  EXPECT_EQ(reader.num_finished, 1);
  EXPECT_EQ(sink.num_finished, 1);
}

TEST_F(RunExecutorTest, LeavesTheRestToThisProcess) {
  executor.takes = false;
  EXPECT_EQ(run(), 20 * fake_piece_bytes);
  EXPECT_EQ(executor.num_asked, 1);
  EXPECT_EQ(sink.calls.sorted(), all_pieces(20));
  EXPECT_EQ(sink.num_finished, 1);
}

TEST_F(RunExecutorTest, ThrowsWhatWentWrongAndNothingIsFinished) {
  executor.fails = true;
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(reader.num_finished + sink.num_finished, 0);
  EXPECT_EQ(reader.read_calls.pieces(), Pieces());
}

TEST_F(RunExecutorTest, IsNotAskedWhereThereIsNone) {
  FakeSink other;
  const RunOptions options({.engine = "cpu", .num_threads = 2});
  EXPECT_EQ(run_pieces(reader, {}, other, progress, piece_threads(options, "cpu:scalar")), 20 * fake_piece_bytes);
  EXPECT_EQ(executor.num_asked, 0);
}

}  // namespace
}  // namespace phalanx::test

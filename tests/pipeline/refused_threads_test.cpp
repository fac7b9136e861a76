// Runs over pieces where the system gives fewer threads than were asked for: as many as it gives do all of it. This program
// decides which threads can be made.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "tests/pipeline/fake_parts.hpp"

namespace {

std::atomic<int> threads_left{-1};  // below 0: any number

bool is_refused() {
  if (threads_left < 0) return false;
  if (threads_left == 0) return true;
  --threads_left;
  return false;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return is_refused() ? EAGAIN : create(thread, attributes, start, argument);
}

namespace phalanx::test {
namespace {

constexpr std::uint64_t num_pieces = 50;

class RefusedThreads : public testing::TestWithParam<int> {
 protected:
  void TearDown() override { threads_left = -1; }
};

TEST_P(RefusedThreads, LeaveAllPiecesToTheOthers) {
  threads_left = GetParam();
  FakeReader reader(num_pieces);
  FakeStage stage;
  FakeSink sink;
  Progress progress;
  reader.is_in_order = sink.is_in_order = true;
  PipelineStage* const stages[] = {&stage};
  EXPECT_EQ(run_pieces(reader, stages, sink, progress, {.num_threads = 4}), num_pieces * fake_piece_bytes);
  EXPECT_EQ(sink.calls.pieces(), all_pieces(num_pieces));
  EXPECT_LE(stage.calls.most_inside(), GetParam() + 1);
  EXPECT_EQ(sink.num_finished, 1);
}

TEST_P(RefusedThreads, LeaveAnErrorAsItIs) {
  threads_left = GetParam();
  FakeReader reader(num_pieces);
  FakeSink sink;
  Progress progress;
  sink.is_in_order = true;
  reader.read_calls.act = [](std::uint64_t piece) {
    if (piece == 20) throw Error(ErrorCode::runtime, "piece 20");
  };
  EXPECT_THROW(run_pieces(reader, {}, sink, progress, {.num_threads = 4}), Error);
  EXPECT_EQ(sink.calls.pieces(), all_pieces(20));
}

INSTANTIATE_TEST_SUITE_P(From, RefusedThreads, testing::Values(0, 1, 2, 5, 11));

}  // namespace
}  // namespace phalanx::test

// Writing a file on tmpfs by a mapping: where it is taken, what it writes, and what becomes of it when the file gets shorter.
#include "files/system/output/output_mapping.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "files/system/file_descriptor.hpp"

namespace phalanx::test {
namespace {

using ByteVector = std::vector<std::uint8_t>;

constexpr std::size_t num_bytes = (std::size_t{3} << 20) + 4097;

// As the program's.
extern "C" void save_page(int number, siginfo_t* info, void* /*context*/) {
  if (!replace_lost_page(info->si_addr)) signal(number, SIG_DFL);
}

class WritesByAMapping : public testing::Test {
 protected:
  const FileDescriptor file{memfd_create("mapped", MFD_CLOEXEC)};  // of tmpfs, on every machine

  void SetUp() override {
    ASSERT_GE(file.get(), 0);
    ASSERT_EQ(ftruncate(file.get(), num_bytes), 0);
    struct sigaction action {};
    action.sa_sigaction = save_page;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(sigaction(SIGBUS, &action, nullptr), 0);
    allow_output_mappings();
  }
  void TearDown() override { expect_writers(0); }
};

ByteVector random_content() {
  std::mt19937 random(20261123);
  ByteVector content(num_bytes);
  std::generate(content.begin(), content.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return content;
}

TEST_F(WritesByAMapping, WhereManyWriteAtOnceThoughThisProcessHasOneProcessor) {
  expect_writers(4);
  EXPECT_NE(OutputMapping::make(file.get(), num_bytes), nullptr);
}

TEST_F(WritesByAMapping, AnyRangesFromSeveralThreads) {
  expect_writers(4);
  const auto mapping = OutputMapping::make(file.get(), num_bytes);
  ASSERT_NE(mapping, nullptr);
  const ByteVector content = random_content();
  constexpr std::size_t num_threads = 4;
  constexpr std::size_t step = 70001;  // ranges share pages
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < num_threads; ++number) {
    threads.emplace_back([&, number] {
      for (std::size_t begin = number * step; begin < num_bytes; begin += num_threads * step)
        write_by(mapping.get(), file.get(), Bytes(content).subspan(begin, std::min(step, num_bytes - begin)), begin,
                 "mapped");
    });
  }
  for (std::thread& thread : threads) thread.join();
  ByteVector found(num_bytes);
  ASSERT_EQ(pread(file.get(), found.data(), found.size(), 0), static_cast<ssize_t>(num_bytes));
  EXPECT_EQ(found, content);
}

TEST_F(WritesByAMapping, WhatTheFileHasNoLongerIsAnError) {
  expect_writers(4);
  const auto mapping = OutputMapping::make(file.get(), num_bytes);
  ASSERT_NE(mapping, nullptr);
  ASSERT_EQ(ftruncate(file.get(), 4096), 0);
  const ByteVector content(8192, 7);
  try {
    mapping->write(content, 0, "mapped");
    ADD_FAILURE() << "it wrote behind the end of the file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::runtime);
    EXPECT_NE(std::string(error.what()).find("made it shorter"), std::string::npos) << error.what();
  }
}

TEST_F(WritesByAMapping, NotOnAFileOfAnotherKind) {
  expect_writers(4);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  EXPECT_EQ(OutputMapping::make(writing.get(), num_bytes), nullptr);
}

}  // namespace
}  // namespace phalanx::test

// Runs a function in a process that is forked here, and gives what it returned.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <phalanx/error.hpp>
#include <stdexcept>
#include <string>

#include "tests/threads_of_a_child.hpp"

namespace phalanx::test {

/// For tests whose children start threads.
class ForkedProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_threads_of_a_child()) GTEST_SKIP() << no_threads_of_a_child;
  }
};

/// By a raw clone no handler of pthread_atfork runs.
enum class Forked : unsigned char { by_fork, by_clone };

inline pid_t fork_as(Forked how) {
  return how == Forked::by_fork ? fork() : static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
}

/// What `run` returns there, a text; of an Error its text behind "refused: ".
template <class Run>
std::string in_child(Forked how, const Run& run) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork_as(how);
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    std::string told;
    try {
      told = run();
    } catch (const std::exception& error) {
      told = std::string("refused: ") + error.what();
    }
    _exit(write(ends[1], told.data(), told.size()) == static_cast<ssize_t>(told.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string told;
  char part[4096];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof part)) > 0;) told.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("the child ended with " + std::to_string(status));
  return told;
}

}  // namespace phalanx::test

// Whether a process that is forked here can start threads. On every machine it can. QEMU 7.2, which emulates another machine's processes,
// ends it by an assertion of its own where the parent had threads.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace phalanx::test {

inline constexpr const char* no_threads_of_a_child = "the emulator ends a forked process that starts a thread";

inline bool has_threads_of_a_child() {
  std::promise<void> ended;
  std::thread beside([&ended] { ended.get_future().wait(); });
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] {}).join();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ended.set_value();
  beside.join();
  return status == 0;
}

}  // namespace phalanx::test

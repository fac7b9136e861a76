// A stack that a test can look into: what a call has left on it once it has returned.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <phalanx/phalanx.hpp>

namespace phalanx::test {

/// Sanitizers lay out frames of their own and do not know this stack.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_plain_stacks = false;
#elif defined(__has_feature)  // clang's way to say it
inline constexpr bool has_plain_stacks = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
inline constexpr bool has_plain_stacks = true;
#endif

class OwnStack {
 public:
  OwnStack() {
    void* const memory = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::uint8_t*>(memory);
  }
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  ~OwnStack() { munmap(memory_, num_bytes); }

  /// Paints the stack, and runs the work on it. What the work throws comes out here.
  void run(const std::function<void()>& work) {
    std::fill_n(memory_, num_bytes, paint);
    Job job{&work, nullptr};
    ucontext_t here;
    ucontext_t there;
    getcontext(&there);
    clear_saved_registers(there);
    there.uc_stack.ss_sp = memory_;
    there.uc_stack.ss_size = num_bytes;
    there.uc_link = &here;
    const auto address = reinterpret_cast<std::uintptr_t>(&job);
    makecontext(&there, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address & 0xffffffff));
    swapcontext(&here, &there);
    if (job.failure) std::rethrow_exception(job.failure);
  }

  /// All of it that the last run has touched, from a cache line's beginning on; none of it is in use.
  [[nodiscard]] Bytes remains() const {
    const std::uint8_t* const first = std::find_if(memory_, memory_ + num_bytes, [](auto byte) { return byte != paint; });
    return {memory_ + (first - memory_) / 64 * 64, memory_ + num_bytes};
  }
  /// All of it.
  [[nodiscard]] Bytes memory() const { return {memory_, num_bytes}; }

 private:
  static constexpr std::size_t num_bytes = std::size_t{1} << 20;
  static constexpr std::uint8_t paint = 0xa5;

  struct Job {
    const std::function<void()>* work;
    std::exception_ptr failure;
  };
  /// Those of the caller, which the first function would push.
  static void clear_saved_registers([[maybe_unused]] ucontext_t& context) {
#if defined(__x86_64__)
    for (const int i : {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15}) context.uc_mcontext.gregs[i] = 0;
#elif defined(__aarch64__)
    for (int i = 19; i <= 28; ++i) context.uc_mcontext.regs[i] = 0;
#endif
  }
  static void begin(unsigned high, unsigned low) {
    Job& job = *reinterpret_cast<Job*>(std::uintptr_t{high} << 32 | low);
    try {
      (*job.work)();
    } catch (...) {
      job.failure = std::current_exception();
    }
  }

  std::uint8_t* memory_;
};

}  // namespace phalanx::test

// Memory between two pages that nobody may touch: whoever reads or writes a byte too far is caught at once, and named.
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <phalanx/phalanx.hpp>

namespace phalanx::test {

/// At which of the two pages a buffer lies: exactly before the one, or exactly behind the other.
enum class Edge { end, beginning };
inline constexpr Edge both_edges[] = {Edge::end, Edge::beginning};

class GuardedMemory {
 public:
  /// Room for so many bytes; what is there at first is random enough.
  explicit GuardedMemory(std::size_t most_bytes) {
    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_bytes_ = (most_bytes + page_bytes - 1) / page_bytes * page_bytes;
    mapped_bytes_ = inner_bytes_ + 2 * page_bytes;
    void* const memory = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mapped_ = static_cast<std::uint8_t*>(memory);
    inner_ = mapped_ + page_bytes;
    if (inner_bytes_ != 0 && mprotect(inner_, inner_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    for (std::size_t i = 0; i < inner_bytes_; ++i) inner_[i] = static_cast<std::uint8_t>(i * 167 + i / 256);
  }
  GuardedMemory(GuardedMemory&& other) noexcept
      : mapped_(other.mapped_), inner_(other.inner_), inner_bytes_(other.inner_bytes_), mapped_bytes_(other.mapped_bytes_) {
    other.mapped_ = nullptr;
  }
  GuardedMemory& operator=(GuardedMemory&&) = delete;
  ~GuardedMemory() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
  }

  [[nodiscard]] std::uint8_t* at(Edge edge, std::size_t num_bytes) const {
    return edge == Edge::beginning ? inner_ : inner_ + inner_bytes_ - num_bytes;
  }
  [[nodiscard]] MutableBytes bytes(Edge edge, std::size_t num_bytes) const { return {at(edge, num_bytes), num_bytes}; }

 private:
  std::uint8_t* mapped_;
  std::uint8_t* inner_;
  std::size_t inner_bytes_;
  std::size_t mapped_bytes_;
};

/// While it lives, touches_guards says of a call whether it was caught, rather than that the process dies.
class GuardWatch {
 public:
  GuardWatch() {
    struct sigaction action = {};
    action.sa_sigaction = [](int /*signal*/, siginfo_t* /*info*/, void* /*context*/) { siglongjmp(before_call, 1); };
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &old_action_);
  }
  GuardWatch(const GuardWatch&) = delete;
  GuardWatch& operator=(const GuardWatch&) = delete;
  ~GuardWatch() { sigaction(SIGSEGV, &old_action_, nullptr); }

  /// On this thread. What the call held when it was caught is lost.
  template <class Call>
  [[nodiscard]] bool touches_guards(const Call& call) const {
    if (sigsetjmp(before_call, 1) != 0) return true;
    call();
    return false;
  }

 private:
  static inline sigjmp_buf before_call;
  struct sigaction old_action_;
};

}  // namespace phalanx::test

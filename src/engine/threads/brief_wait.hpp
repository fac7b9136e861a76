// A short wait before a thread sleeps.
#pragma once

#include <thread>

namespace phalanx {

/// Looks up to `most_looks` times whether what is about to come true did: to be woken takes longer. On a busy machine others
/// run meanwhile. Returns whether it did.
template <class Condition>
bool wait_briefly(int most_looks, const Condition& condition) {
  for (int looks = 0; looks < most_looks; ++looks) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace phalanx

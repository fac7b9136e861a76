// Loads that miss the L1 data cache, counted by the processor where Linux lets a program ask (perf_event_open); virtual
// machines often do not.
#pragma once

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace papers::lin2017 {

class LoadMissCounter {
 public:
  LoadMissCounter() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HW_CACHE;
    attributes.config = PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    descriptor_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  }
  LoadMissCounter(const LoadMissCounter&) = delete;
  LoadMissCounter& operator=(const LoadMissCounter&) = delete;
  ~LoadMissCounter() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] bool usable() const { return descriptor_ >= 0; }

  /// How many `work` makes.
  template <class Work>
  std::uint64_t count(const Work& work) const {
    ioctl(descriptor_, PERF_EVENT_IOC_RESET, 0);
    ioctl(descriptor_, PERF_EVENT_IOC_ENABLE, 0);
    work();
    ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
    std::uint64_t misses = 0;
    return read(descriptor_, &misses, sizeof misses) == sizeof misses ? misses : 0;
  }

 private:
  int descriptor_;
};

}  // namespace papers::lin2017

#include "engine/engines/cuda/staging/page_locks.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>

namespace phalanx {
namespace {

// Less is copied sooner than locked.
constexpr std::size_t least_locked_bytes = std::size_t{256} << 10;

// What is locked now, by its beginning. CUDA could say it too, but takes as long for it as for copying a message.
struct LockedRanges {
  std::mutex mutex;
  std::map<const std::uint8_t*, std::size_t> sizes;  // guarded by mutex
};

LockedRanges& locked_ranges() {
  static LockedRanges& all_locked = *new LockedRanges;  // never destroyed: what static objects hold is unlocked after it
  return all_locked;
}

class HostPagesLock final : public PageLock {
 public:
  explicit HostPagesLock(MutableBytes memory) : begin_(memory.data()) {
    LockedRanges& ranges = locked_ranges();
    const std::lock_guard lock(ranges.mutex);
    ranges.sizes.emplace(begin_, memory.size());
  }
  ~HostPagesLock() override {
    {
      LockedRanges& ranges = locked_ranges();
      const std::lock_guard lock(ranges.mutex);
      ranges.sizes.erase(begin_);
    }
    (void)cudaHostUnregister(begin_);
  }

 private:
  std::uint8_t* begin_;
};

}  // namespace

std::unique_ptr<PageLock> lock_host_pages(MutableBytes memory) {
  if (memory.size() < least_locked_bytes) return nullptr;
  if (cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable) != cudaSuccess) {
    (void)cudaGetLastError();  // which would be taken for that of the next kernel
    return nullptr;
  }
  return std::make_unique<HostPagesLock>(memory);
}

bool lies_in_locked_pages(const std::uint8_t* begin, std::size_t num_bytes) {
  LockedRanges& ranges = locked_ranges();
  const std::lock_guard lock(ranges.mutex);
  auto range = ranges.sizes.upper_bound(begin);
  if (range == ranges.sizes.begin()) return false;
  --range;
  const auto offset = static_cast<std::size_t>(begin - range->first);
  return offset <= range->second && num_bytes <= range->second - offset;
}

}  // namespace phalanx

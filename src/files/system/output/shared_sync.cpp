#include "files/system/output/shared_sync.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "files/system/output/cached_pages.hpp"

namespace phalanx {
namespace {

// A batch is full with so many files, or bytes. More files save little, and a kill costs what a batch has.
constexpr std::size_t full_batch_files = 256;
constexpr std::uint64_t full_batch_bytes = std::uint64_t{64} << 20;

// While one batch is on its way to the disk, the next one is made.
constexpr std::size_t most_files_together = 2 * full_batch_files;
constexpr std::size_t descriptors_of_file = 5;     // at most, of a file on its way
constexpr std::size_t descriptors_of_others = 64;  // of the rest of the process

// Where others write much, syncfs waits for their bytes too.
constexpr std::chrono::milliseconds slow_sync{500};
constexpr std::size_t num_alone_after_slow = 4096;

constexpr auto xfs_magic = 0x58465342UL;  // linux/magic.h has none of it
constexpr std::array<unsigned long, 4> file_systems_that_report{EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
                                                                xfs_magic};

// Since 5.8 syncfs(2) reports what failed since the descriptor was opened.
bool does_system_report() {
  utsname system{};
  int major = 0, minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return std::pair(major, minor) >= std::pair(5, 8);
}

}  // namespace

SharedSync::SharedSync(std::size_t num_working, std::size_t num_files)
    : num_files_(num_files), num_free_(std::max<std::size_t>(num_working, 1)) {}

std::size_t SharedSync::num_files_together() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= descriptors_of_others) return 1;
  const auto num_possible = static_cast<std::size_t>((limit.rlim_cur - descriptors_of_others) / descriptors_of_file);
  return std::clamp<std::size_t>(num_possible, 1, most_files_together);
}

SharedSync::Presence::Presence(SharedSync* shared) : shared_(shared) {
  if (shared_ == nullptr) return;
  const std::lock_guard lock(shared_->mutex_);
  ++shared_->num_present_;
}

SharedSync::Presence::~Presence() {
  if (shared_ != nullptr) shared_->leave();
}

void SharedSync::leave() {
  std::unique_lock lock(mutex_);
  --num_present_;
  give_places_to_new();
  lead_if_due(lock);
}

SharedSync::Turn::Turn(SharedSync* shared, std::uint64_t num_bytes) : shared_(shared) {
  if (shared_ == nullptr) return;
  if (is_large(num_bytes)) {
    shared_->leave();  // a batch does not wait for those who wait for their turn
    large_ = std::unique_lock(shared_->large_);
  }
  std::unique_lock lock(shared_->mutex_);
  shared_->take_place(lock, shared_->new_);
}

SharedSync::Turn::~Turn() {
  if (shared_ == nullptr) return;
  const std::lock_guard lock(shared_->mutex_);
  shared_->give_place_back();
  if (large_.owns_lock()) ++shared_->num_present_;
}

void SharedSync::take_place(std::unique_lock<std::mutex>& lock, std::deque<Waiter*>& queue) {
  if (num_free_ != 0) {
    --num_free_;
    return;
  }
  const OpenFile none{};
  Waiter waiter{.file = none, .state = Waiter::State::for_a_place};
  queue.push_back(&waiter);
  waiter.woken.wait(lock, [&] { return waiter.state == Waiter::State::working; });
}

void SharedSync::let_work(Waiter& waiter) {
  waiter.state = Waiter::State::working;
  waiter.woken.notify_one();
}

// The place goes to whoever has waited longest behind a sync. Otherwise it is left to this thread, for its next file. So
// where no file waits for a disk, no thread is woken.
void SharedSync::give_place_back() {
  ++num_free_;
  give_free_places();
}

void SharedSync::give_free_places() {
  for (; num_free_ != 0 && !ready_.empty(); --num_free_) {
    let_work(*ready_.front());
    ready_.pop_front();
  }
}

// This thread takes no file for now.
void SharedSync::give_places_to_new() {
  for (; num_free_ != 0 && !new_.empty(); --num_free_) {
    let_work(*new_.front());
    new_.pop_front();
  }
}

SharedSync::FileSystem& SharedSync::file_system_of(const OpenFile& file) {
  using Kind = FileSystem::Kind;
  const auto [place, is_new] = file_systems_.try_emplace(file.device);
  FileSystem& system = place->second;
  if (!is_new) return system;
  if (lies_in_memory(file.descriptor)) {
    system.kind = Kind::in_memory;
    return system;
  }
  struct statfs status {};
  if (fstatfs(file.descriptor, &status) != 0) return system;
  const auto type = static_cast<unsigned long>(status.f_type);
  if (std::ranges::find(file_systems_that_report, type) == file_systems_that_report.end() || !does_system_report())
    return system;
  system.file = FileDescriptor(fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0));
  if (system.file.is_open()) system.kind = Kind::together;
  return system;
}

SharedSync::Synced SharedSync::sync(const OpenFile& file, const SyncAlone& alone) {
  using State = Waiter::State;
  std::unique_lock lock(mutex_);
  FileSystem& system = file_system_of(file);
  if (system.kind == FileSystem::Kind::in_memory) {
    lock.unlock();
    return (alone ? alone() : sync_whole(file.descriptor)) ? Synced::file : Synced::failed;
  }
  give_place_back();
  give_places_to_new();
  if (system.kind == FileSystem::Kind::alone || system.num_alone != 0 || is_large(file.num_bytes)) {
    system.num_alone -= std::min<std::size_t>(system.num_alone, 1);
    return sync_alone(lock, file, alone);
  }
  Waiter waiter{.file = file};
  batch_.push_back(&waiter);
  batch_bytes_ += file.num_bytes;
  lead_if_due(lock);
  const auto is_woken = [&] { return waiter.state == State::working || waiter.state == State::alone || waiter.is_to_lead; };
  for (waiter.woken.wait(lock, is_woken); std::exchange(waiter.is_to_lead, false); waiter.woken.wait(lock, is_woken))
    lead_if_due(lock);
  return waiter.state == State::working ? Synced::file_system : sync_alone(lock, file, alone);
}

// Threads that sync at the same time share the work of the file system's journal, where it has one.
SharedSync::Synced SharedSync::sync_alone(std::unique_lock<std::mutex>& lock, const OpenFile& file, const SyncAlone& alone) {
  lock.unlock();
  const bool is_durable = alone ? alone() : sync_whole(file.descriptor);
  const int error = errno;
  lock.lock();
  take_place(lock, ready_);
  errno = error;
  return is_durable ? Synced::file : Synced::failed;
}

// A batch goes to the disk where half of the threads wait for it. The others make the next one meanwhile.
bool SharedSync::is_due() const {
  if (is_syncing_ || batch_.empty()) return false;
  const std::size_t full = std::clamp<std::size_t>(num_present_ / 2, 1, full_batch_files);
  return batch_.size() >= full || batch_bytes_ >= full_batch_bytes;
}

// This thread leads one batch. If the next one is due by then, one of that leads it.
void SharedSync::lead_if_due(std::unique_lock<std::mutex>& lock) {
  if (!is_due()) return;
  const Batch batch = std::exchange(batch_, {});
  batch_bytes_ = 0;
  is_syncing_ = true;
  lock.unlock();
  const std::set<dev_t> durable = sync_batch(batch);
  lock.lock();
  is_syncing_ = false;
  end_batch(batch, durable);
  if (!is_due()) return;
  batch_.front()->is_to_lead = true;
  batch_.front()->woken.notify_one();
}

std::set<dev_t> SharedSync::sync_batch(const Batch& batch) {
  std::set<dev_t> devices;
  for (const Waiter* waiter : batch) devices.insert(waiter->file.device);
  std::erase_if(devices, [&](dev_t device) { return !sync_together(batch, device); });
  return devices;
}

void SharedSync::end_batch(const Batch& batch, const std::set<dev_t>& durable) {
  for (Waiter* waiter : batch) {
    if (durable.contains(waiter->file.device)) {
      waiter->state = Waiter::State::for_a_place;
      ready_.push_back(waiter);
    } else {
      waiter->state = Waiter::State::alone;
      waiter->woken.notify_one();
    }
  }
  give_free_places();
}

// One file alone is synced by itself: no other program's bytes are waited for.
bool SharedSync::sync_together(const Batch& batch, dev_t device) {
  const auto is_there = [device](const Waiter* waiter) { return waiter->file.device == device; };
  if (std::ranges::count_if(batch, is_there) == 1) return false;
  std::unique_lock lock(mutex_);
  FileSystem& system = file_systems_.at(device);  // stays where it is, and open
  if (system.kind != FileSystem::Kind::together) return false;
  lock.unlock();
  const int of_one = (*std::ranges::find_if(batch, is_there))->file.descriptor;
  const auto start = std::chrono::steady_clock::now();
  const bool is_durable = syncfs(system.file.get()) == 0 && sync_whole(of_one);
  const bool is_slow = std::chrono::steady_clock::now() - start > slow_sync;
  lock.lock();
  if (!is_durable) system.kind = FileSystem::Kind::alone;
  if (is_slow) system.num_alone = num_alone_after_slow;
  return is_durable;
}

}  // namespace phalanx

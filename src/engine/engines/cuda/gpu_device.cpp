#include "engine/engines/cuda/gpu_device.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

std::atomic<cudaError_t (*)()> injected_gpu_fault{nullptr};
std::atomic<bool> takes_each_gpu_twice{false};

GpuKey::GpuKey(GpuDevice& device, const GpuKernel& kernel, const void* schedule) : device_(device), kernel_(kernel) {
  static std::atomic<std::uint64_t> last_id{0};
  id_ = ++last_id;
  const CurrentDevice current(device.id());
  schedule_ = device.keep_secret(schedule, kernel.schedule_bytes);
  device_.add_user();
}

GpuKey::~GpuKey() {
  try {
    const CurrentDevice current(device_.id());
    device_.forget_key(*this);
    device_.remove_user();
    device_.drop_secret(schedule_, kernel_.schedule_bytes);
  } catch (const Error&) {  // the device is gone, and the key with it
  }
}

GpuDevice::KeyPlace& GpuDevice::place_key(const GpuKey& key, cudaStream_t stream, std::uint64_t stream_id) {
  if (const auto fault = injected_gpu_fault.load()) check_cuda(fault(), "starting a kernel");
  const GpuKernel& kernel = key.kernel();
  KeyPlace& place = places_->of_kernels[&kernel];
  if (stream_id == CudaStream::no_id || stream_id != place.last_stream) {
    place.key_stays = false;
    place.last_use.delay(stream);
  }
  if (place.owner == key.id()) return place;
  place.key_stays = false;
  if (place.address == nullptr) check_cuda(kernel.key_address(&place.address), "finding the place of a key");
  place.owner = 0;
  check_cuda(cudaMemcpyAsync(place.address, key.schedule(), kernel.schedule_bytes, cudaMemcpyDeviceToDevice, stream),
             "copying a key");
  place.owner = key.id();
  return place;
}

void GpuDevice::forget_key(const GpuKey& key) noexcept {
  const std::lock_guard lock(places_->mutex);
  const auto found = places_->of_kernels.find(&key.kernel());
  if (found == places_->of_kernels.end()) return;
  found->second.last_use.synchronize();  // behind which is all work with keys of this kernel, this one's too
  if (found->second.owner != key.id()) return;
  const std::lock_guard secrets_lock(secrets_mutex_);  // which has a stream, if there was a key
  (void)cudaMemsetAsync(found->second.address, 0, key.kernel().schedule_bytes, secrets_stream_->get());
  (void)cudaStreamSynchronize(secrets_stream_->get());
  found->second.owner = 0;
}

cudaStream_t GpuDevice::secrets_stream() {
  if (secrets_stream_ == nullptr) {
    secrets_staging_ = PinnedBuffer(std::size_t{1} << 14);
    secrets_stream_ = std::make_unique<CudaStream>();
  }
  return secrets_stream_->get();
}

void GpuDevice::copy_secret(std::uint8_t* to, const void* secret, std::size_t num_bytes) {
  const std::lock_guard lock(secrets_mutex_);
  const cudaStream_t stream = secrets_stream();
  // From page-locked memory, which the driver copies from directly: no secret stays in memory of its own.
  for (std::size_t done = 0; done < num_bytes; done += secrets_staging_.size()) {
    const std::size_t part = std::min(num_bytes - done, secrets_staging_.size());
    std::memcpy(secrets_staging_.data(), static_cast<const std::uint8_t*>(secret) + done, part);
    cudaError_t error = cudaMemcpyAsync(to + done, secrets_staging_.data(), part, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    wipe_memory(secrets_staging_.data(), part);
    check_cuda(error, "copying to the GPU");
  }
}

std::uint8_t* GpuDevice::keep_secret(const void* secret, std::size_t num_bytes) {
  const cudaMemPool_t pool = memory_pool();
  void* memory = nullptr;
  {
    const std::lock_guard lock(secrets_mutex_);
    check_cuda(cudaMallocFromPoolAsync(&memory, num_bytes, pool, secrets_stream()), "allocating device memory");
  }
  auto* const kept = static_cast<std::uint8_t*>(memory);
  copy_secret(kept, secret, num_bytes);
  return kept;
}

void GpuDevice::drop_secret(std::uint8_t* kept, std::size_t num_bytes) noexcept {
  const std::lock_guard lock(secrets_mutex_);
  (void)cudaMemsetAsync(kept, 0, num_bytes, secrets_stream_->get());
  (void)cudaFreeAsync(kept, secrets_stream_->get());
}

GpuDevice::SlotsLock GpuDevice::lock_slots(Slots*& slots, SlotUse use) {
  const auto make = [] {
    auto made = std::make_unique<Slots>();
    for (GpuSlot& slot : *made) {
      slot.host = PinnedBuffer(slot_bytes);
      slot.device = DeviceBuffer(slot_bytes);
    }
    return made;
  };
  std::unique_lock lock(slots_mutex_);
  slots_change_.wait(lock, [this] { return !has_slots_user_ || slots_use_ == SlotUse::calls_back; });
  if (has_slots_user_) {
    lock.unlock();
    SlotsLock own(make());
    slots = own.own_.get();
    return own;
  }
  if (slots_ == nullptr) slots_ = make();
  has_slots_user_ = true;
  slots_use_ = use;
  slots = slots_.get();
  slots_change_.notify_all();  // if this one calls back, others need not wait for it
  return SlotsLock(*this);
}

void GpuDevice::unlock_slots() noexcept {
  const std::lock_guard lock(slots_mutex_);
  if (wipes_slots_later_) wipe_slots();
  wipes_slots_later_ = has_slots_user_ = false;
  slots_change_.notify_all();
}

void GpuDevice::wipe_slots() noexcept {
  for (GpuSlot& slot : *slots_) {
    slot.host.wipe(slot.used_bytes);
    slot.device.wipe(std::max(slot.used_bytes, slot.used_device_bytes));
    slot.used_bytes = slot.used_device_bytes = 0;
  }
}

cudaMemPool_t GpuDevice::memory_pool() {
  const std::lock_guard lock(pool_mutex_);
  if (pool_ != nullptr) return pool_;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, id_};
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaMemPoolCreate(&pool, &properties), "making a pool of memory");
  std::uint64_t kept_bytes = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes), "setting up a pool of memory");
  pool_ = pool;
  return pool_;
}

cudaStream_t GpuDevice::returning_stream() {
  const std::lock_guard lock(pool_mutex_);
  if (returning_stream_ == nullptr) returning_stream_ = std::make_unique<CudaStream>();
  return returning_stream_->get();
}

void GpuDevice::add_user() {
  const std::lock_guard lock(users_mutex_);
  ++num_users_;
}

void GpuDevice::remove_user() noexcept {
  const std::lock_guard lock(users_mutex_);
  if (--num_users_ != 0) return;
  const std::lock_guard slots_lock(slots_mutex_);
  if (slots_ == nullptr) return;
  if (has_slots_user_) {
    wipes_slots_later_ = true;
  } else {
    wipe_slots();
  }
}

}  // namespace phalanx

// One GPU: the keys in its constant memory, and the staging buffers through which data of the host goes.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/engines/cuda/cuda_memory.hpp"
#include "engine/engines/cuda/gpu_kernel.hpp"
#include "engine/modes/chaining.hpp"

namespace phalanx {

class GpuDevice;

/// An expanded key in a device's memory.
class GpuKey {
 public:
  /// `schedule` has kernel.schedule_bytes.
  GpuKey(GpuDevice& device, const GpuKernel& kernel, const void* schedule);
  GpuKey(const GpuKey&) = delete;
  GpuKey& operator=(const GpuKey&) = delete;
  ~GpuKey();

  [[nodiscard]] GpuDevice& device() const { return device_; }
  [[nodiscard]] const GpuKernel& kernel() const { return kernel_; }
  [[nodiscard]] const std::uint8_t* schedule() const { return schedule_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  GpuDevice& device_;
  const GpuKernel& kernel_;
  std::uint8_t* schedule_;
  std::uint64_t id_;  ///< no other key's, ever
};

/// A staging buffer: data of the host on their way through the device.
struct GpuSlot {
  PinnedBuffer host;
  DeviceBuffer device;
  CudaStream stream;
  CudaEvent copied_in, crypted, copied_out;  ///< of what is in the buffers, if it goes by several streams (gpu_pipeline.hpp)
  // Since it was last wiped: of both buffers, and of the device's alone.
  std::size_t used_bytes = 0, used_device_bytes = 0;
  PinnedBuffer small;  ///< keys and ivs of batches: who takes it leaves it wiped
};

/// Scratch memory of a launch under one kernel's key, unused by any other until its work is done.
struct GpuScratch {
  std::uint8_t* share_states;  ///< as GpuRange has it
  std::uint8_t* short_block;   ///< two blocks, aligned to one
  const void* schedule;        ///< the key in place: GpuRange::schedule
  bool key_stays;              ///< as GpuRange has it
};

/// Whether who holds the staging buffers calls functions of its caller meanwhile, which may come for staging buffers too.
enum class SlotUse : std::uint8_t { alone, calls_back };

class GpuDevice {
 public:
  static constexpr std::size_t num_slots = 3;
  static constexpr std::size_t slot_bytes = std::size_t{16} << 20;

  GpuDevice(int id, std::string name) : GpuDevice(id, std::move(name), std::make_shared<KeyPlaces>()) {}
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  /// For tests: another one on the same GPU, with staging buffers, streams and secrets of its own. Never destroyed.
  [[nodiscard]] GpuDevice* make_second() const { return new GpuDevice(id_, name_, places_); }

  [[nodiscard]] int id() const { return id_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Puts the key in place and enqueues launch(scratch), scratch a GpuScratch. The device is the current one. All work with
  /// keys of one kernel runs in the order of these calls, whatever their streams: it shares the constant memory.
  /// starts_kernel: it certainly starts one.
  template <class Launch>
  void run_with_key(const GpuKey& key, cudaStream_t stream, Launch launch, bool starts_kernel = false) {
    const std::lock_guard lock(places_->mutex);
    const std::uint64_t stream_id = CudaStream::id_of(stream);
    KeyPlace& place = place_key(key, stream, stream_id);
    const cudaError_t error =
        launch(GpuScratch{place.scratch.data(), place.scratch.data() + max_gpu_shares * 16, place.address, place.key_stays});
    place.last_use.record(stream);  // also where it failed: the key may be on its way
    place.last_stream = stream_id;
    place.key_stays = error == cudaSuccess && (place.key_stays || starts_kernel);
    check_cuda(error, "starting a kernel");
  }
  /// Waits for all work under the key, and overwrites it where it is in place.
  void forget_key(const GpuKey& key) noexcept;

  /// A copy of a secret in the device's memory, aligned to 16; given back, it is wiped. Waits for no work of others. The
  /// device is the current one.
  std::uint8_t* keep_secret(const void* secret, std::size_t num_bytes);
  void drop_secret(std::uint8_t* kept, std::size_t num_bytes) noexcept;
  /// Copies a secret to memory of the device that nobody uses yet, and waits for that.
  void copy_secret(std::uint8_t* to, const void* secret, std::size_t num_bytes);

  using Slots = std::array<GpuSlot, num_slots>;

  /// Staging buffers, while one user has them.
  class SlotsLock {
   public:
    SlotsLock(SlotsLock&& other) noexcept : device_(std::exchange(other.device_, nullptr)), own_(std::move(other.own_)) {}
    SlotsLock& operator=(SlotsLock&&) = delete;
    ~SlotsLock() {
      if (device_ != nullptr) device_->unlock_slots();
    }

   private:
    friend class GpuDevice;
    explicit SlotsLock(GpuDevice& device) : device_(&device) {}
    explicit SlotsLock(std::unique_ptr<Slots> own) : own_(std::move(own)) {}

    GpuDevice* device_ = nullptr;
    std::unique_ptr<Slots> own_;
  };

  /// The staging buffers, for one user at a time. Where one has them that calls back, others get buffers of their own: to
  /// wait for it could be to wait for oneself. The device is the current one, also when they are given back. Throws Error
  /// (runtime) if there is no memory.
  [[nodiscard]] SlotsLock lock_slots(Slots*& slots, SlotUse use = SlotUse::alone);

  /// Memory for the work of calls, given out and taken back in the order of streams: no wait for the device. What was given
  /// back stays with the process for later calls.
  cudaMemPool_t memory_pool();
  /// Where memory of the pool goes back that no stream uses any more.
  cudaStream_t returning_stream();

  /// Ciphers under which data go through the staging buffers: when the last is gone they are wiped.
  void add_user();
  void remove_user() noexcept;

 private:
  /// The constant memory of one kernel's key.
  struct KeyPlace {
    std::uint64_t owner = 0;
    void* address = nullptr;
    CudaEvent last_use;
    std::uint64_t last_stream = CudaStream::no_id;
    bool key_stays = false;  ///< for a kernel that follows on that stream
    DeviceBuffer scratch{max_gpu_shares * 16 + 32};
  };
  struct KeyPlaces {
    std::mutex mutex;
    std::map<const GpuKernel*, KeyPlace> of_kernels;  ///< guarded by mutex
  };

  GpuDevice(int id, std::string name, std::shared_ptr<KeyPlaces> places)
      : id_(id), name_(std::move(name)), places_(std::move(places)) {}

  KeyPlace& place_key(const GpuKey& key, cudaStream_t stream, std::uint64_t stream_id);
  void unlock_slots() noexcept;
  void wipe_slots() noexcept;
  cudaStream_t secrets_stream();  ///< under secrets_mutex_

  int id_;
  std::string name_;
  std::shared_ptr<KeyPlaces> places_;  ///< of the GPU
  std::mutex slots_mutex_;
  std::condition_variable slots_change_;
  // All guarded by slots_mutex_.
  std::unique_ptr<Slots> slots_;
  bool has_slots_user_ = false;
  SlotUse slots_use_ = SlotUse::alone;  ///< of that user
  bool wipes_slots_later_ = false;      ///< when that user has done
  std::mutex pool_mutex_;
  cudaMemPool_t pool_ = nullptr;                  ///< guarded by pool_mutex_; as the device, never destroyed
  std::unique_ptr<CudaStream> returning_stream_;  ///< guarded by pool_mutex_
  std::mutex secrets_mutex_;
  std::unique_ptr<CudaStream> secrets_stream_;  ///< guarded by secrets_mutex_
  PinnedBuffer secrets_staging_;                ///< guarded by secrets_mutex_: zeros between calls
  std::mutex users_mutex_;
  std::size_t num_users_ = 0;  ///< guarded by users_mutex_
};

/// For tests: what every start of a kernel asks first; null: nothing. Its error is taken for the kernel's own.
extern std::atomic<cudaError_t (*)()> injected_gpu_fault;
/// For tests, before anybody asks for an engine: whether the engine cuda takes each GPU for two.
extern std::atomic<bool> takes_each_gpu_twice;

}  // namespace phalanx

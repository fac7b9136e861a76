#include "engine/engines/cuda/cuda_device_gcm.hpp"

#include <algorithm>
#include <cstring>
#include <phalanx/error.hpp>

#include "engine/engines/cuda/cuda_verdicts.hpp"
#include "engine/engines/cuda/gpu_gcm.hpp"
#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/cuda/run_each.hpp"
#include "engine/engines/cuda/staging/gpu_chunks.hpp"
#include "engine/engines/cuda/staging/gpu_host_messages.hpp"
#include "engine/engines/cuda/stream_memory.hpp"
#include "engine/engines/hash_subkey.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

constexpr const char* starting = "starting a kernel";

// The arrays of one message, made of what the host has: numbers, nonce and associated data.
struct MessageNumbers {
  std::uint64_t in_offset = 0, length, associated_offsets[2];
  std::uint8_t nonce[24];
};

}  // namespace

// The key on one device: that of the cipher, and that of the hash.
class CudaDeviceGcm::DeviceKey {
 public:
  // Its memory is the pool's: messages of chunked encryption have a key each, and cudaMalloc would take longer than they do.
  DeviceKey(GpuDevice& device, const GpuKernel& kernel, const void* schedule, const std::uint8_t* hash_subkey)
      : cipher_(device, kernel, schedule) {
    const CurrentDevice current(device.id());
    const CudaStream stream;
    auto hash = std::make_unique<StreamMemory>(device, gpu_gcm_key_bytes(), stream.get(), true);
    auto subkey = std::make_unique<StreamMemory>(device, 16, stream.get(), true);
    stream.synchronize();
    device.copy_secret(subkey->data(), hash_subkey, 16);
    check_cuda(expand_gpu_gcm_key(subkey->data(), hash->data(), stream.get()), "expanding a key");
    stream.synchronize();
    hash->return_on(device.returning_stream());
    subkey->return_on(device.returning_stream());
    hash_ = std::move(hash);
    subkey_ = std::move(subkey);
  }
  DeviceKey(const DeviceKey&) = delete;
  DeviceKey& operator=(const DeviceKey&) = delete;
  ~DeviceKey() {
    try {
      const CurrentDevice current(device().id());
      (void)cudaDeviceSynchronize();  // nothing may still read there
      hash_.reset();
      subkey_.reset();
    } catch (const Error&) {  // the device is gone, and the keys with it
    }
  }

  [[nodiscard]] GpuDevice& device() const { return cipher_.device(); }

  std::unique_ptr<DeviceBatchResult> crypt(Direction direction, const DeviceBatchArrays& arrays, cudaStream_t stream) const {
    if (arrays.nonce_bytes == gcm_nonce_bytes) return crypt_gcm(direction, arrays, stream);
    const StreamMemory keys(device(), 32 * arrays.num_messages + 16, stream, true);
    DeviceBatchArrays with_keys = arrays;
    with_keys.keys = keys.data();
    with_keys.key_bytes = 32;
    derive_xaes_keys(arrays, keys.data(), stream);
    return crypt_gcm(direction, with_keys, stream);
  }
  // The same as a function, which the key outlives.
  [[nodiscard]] CryptArrays crypting(Direction direction) const {
    return
        [this, direction](const DeviceBatchArrays& arrays, cudaStream_t stream) { return crypt(direction, arrays, stream); };
  }

 private:
  // Step 3 to 5 of XAES-256-GCM.
  void derive_xaes_keys(const DeviceBatchArrays& arrays, std::uint8_t* keys, cudaStream_t stream) const {
    check_cuda(make_gpu_xaes_inputs(subkey_->data(), arrays, keys, stream), starting);
    if (arrays.num_messages == 0) return;
    device().run_with_key(cipher_, stream, [&](const GpuScratch& scratch) {
      const auto encrypt =
          cipher_.kernel().range[static_cast<unsigned>(Mode::ecb)][static_cast<unsigned>(Direction::encrypt)];
      return encrypt({keys, keys, 2 * arrays.num_messages, {}, scratch.share_states, false}, stream);
    });
  }

  std::unique_ptr<DeviceBatchResult> crypt_gcm(Direction direction, const DeviceBatchArrays& arrays,
                                               cudaStream_t stream) const {
    DeviceBatchJob job{};
    job.arrays = arrays;
    job.is_open = direction == Direction::decrypt;
    job.step_blocks = arrays.keys == nullptr ? functions().step_blocks : functions().keyed_step_blocks;
    job.most_units = (arrays.out_bytes + arrays.associated_bytes) / 512 + arrays.num_messages;
    job.hash_key = hash_->data();
    auto verdicts = std::make_unique<CudaVerdicts>(device(), job, true, stream);
    if (arrays.keys != nullptr) {
      crypt_with_keys(job, stream);
      verdicts->end(stream);
      return verdicts;
    }
    check_cuda(plan_gpu_batch(job, stream), starting);
    if (!job.is_open) run(functions().crypt, job, stream);
    check_cuda(hash_gpu_gcm(job, stream), starting);
    run(functions().finish, job, stream);
    if (job.is_open) run(functions().crypt, job, stream);
    verdicts->end(stream);
    return verdicts;
  }

  [[nodiscard]] const GpuGcmFunctions& functions() const { return cipher_.kernel().gcm; }
  // Every message under a key of its own, which leaves the key in place alone.
  void crypt_with_keys(DeviceBatchJob& job, cudaStream_t stream) const {
    const std::uint64_t count = job.arrays.num_messages;
    const StreamMemory keys(device(), gpu_gcm_keys_bytes(count, functions().key_vectors) + 16, stream, true);
    place_gpu_gcm_keys(job, functions().key_vectors, keys.data());
    const auto enqueue = [&](cudaError_t error) { check_cuda(error, starting); };
    enqueue(plan_gpu_batch(job, stream));
    enqueue(functions().expand_keys(job, stream));
    if (!job.is_open) enqueue(functions().keyed_crypt(job, stream));
    enqueue(hash_gpu_gcm(job, stream));
    enqueue(functions().keyed_finish(job, stream));
    if (job.is_open) enqueue(functions().keyed_crypt(job, stream));
  }
  void run(GpuGcmFunctions::Function function, const DeviceBatchJob& job, cudaStream_t stream) const {
    device().run_with_key(cipher_, stream, [&](const GpuScratch& /*scratch*/) { return function(job, stream); });
  }

  GpuKey cipher_;
  std::unique_ptr<const StreamMemory> hash_;
  std::unique_ptr<const StreamMemory> subkey_;  // the hash subkey, which is XAES's L too
};

CudaDeviceGcm::CudaDeviceGcm(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key,
                             const CpuEngine& cpu) {
  const GpuKernel& kernel = gpu_kernel_of(cipher);
  SecretBytes schedule(kernel.schedule_bytes);
  expand_gpu_key(cipher, key, schedule.data());
  const HashSubkey subkey(*cpu.set_key(cipher, key, 1));
  for (GpuDevice* device : devices)
    keys_.push_back(std::make_unique<DeviceKey>(*device, kernel, schedule.data(), subkey.bytes()));
}
CudaDeviceGcm::~CudaDeviceGcm() = default;

const CudaDeviceGcm::DeviceKey& CudaDeviceGcm::key_of_memory(std::initializer_list<const void*> pointers) const {
  const int device = device_of_memory(pointers);
  for (const auto& key : keys_) {
    if (device == no_device || key->device().id() == device) return *key;
  }
  fail_memory();
}

std::unique_ptr<DeviceBatchResult> CudaDeviceGcm::crypt_batch(Direction direction, const DeviceBatchArrays& arrays,
                                                              void* stream) const {
  const DeviceKey& key = key_of_memory({arrays.in, arrays.out, arrays.associated, arrays.in_offsets, arrays.out_offsets,
                                        arrays.lengths, arrays.associated_offsets, arrays.nonces, arrays.tags, arrays.keys});
  const CurrentDevice current(key.device().id());
  return key.crypt(direction, arrays, static_cast<cudaStream_t>(stream));
}

std::unique_ptr<DeviceBatchResult> CudaDeviceGcm::crypt(Direction direction, const DeviceAeadText& text,
                                                        void* stream) const {
  const DeviceKey& key = key_of_memory({text.in, text.out, text.tag});
  const CurrentDevice current(key.device().id());
  const auto on = static_cast<cudaStream_t>(stream);
  const std::size_t associated_bytes = text.associated_data.size();
  MessageNumbers numbers{0, text.num_bytes, {0, associated_bytes}, {}};
  std::memcpy(numbers.nonce, text.nonce.data(), text.nonce.size());
  const StreamMemory memory(key.device(), sizeof numbers + associated_bytes, on);
  const auto copy = [&](std::size_t offset, const void* from, std::size_t size) {
    check_cuda(cudaMemcpyAsync(memory.data() + offset, from, size, cudaMemcpyHostToDevice, on), "copying to the GPU");
  };
  copy(0, &numbers, sizeof numbers);
  if (associated_bytes != 0) copy(sizeof numbers, text.associated_data.data(), associated_bytes);
  DeviceBatchArrays arrays{};
  arrays.in = text.in;
  arrays.out = text.out;
  arrays.in_bytes = arrays.out_bytes = text.num_bytes;
  arrays.associated = memory.data() + sizeof numbers;
  arrays.associated_bytes = associated_bytes;
  arrays.in_offsets = memory.data() + offsetof(MessageNumbers, in_offset);
  arrays.lengths = memory.data() + offsetof(MessageNumbers, length);
  arrays.associated_offsets = memory.data() + offsetof(MessageNumbers, associated_offsets);
  arrays.nonces = memory.data() + offsetof(MessageNumbers, nonce);
  arrays.tags = text.tag;
  arrays.num_messages = 1;
  arrays.offset_bytes = 8;
  arrays.tag_bytes = text.tag_bytes;
  arrays.nonce_bytes = static_cast<unsigned>(text.nonce.size());
  return key.crypt(direction, arrays, on);
}

std::unique_ptr<DeviceBatchResult> CudaDeviceGcm::crypt_chunks(Direction direction, const DeviceChunks& chunks,
                                                               void* stream) const {
  const DeviceKey& key = key_of_memory({chunks.in, chunks.out});
  const CurrentDevice current(key.device().id());
  return crypt_gpu_chunks(key.device(), key.crypting(direction), direction, chunks, static_cast<cudaStream_t>(stream));
}

std::uint64_t CudaDeviceGcm::open_chunks(const SealedChunks& chunks, std::uint8_t* out, void* stream) const {
  const DeviceKey& key = key_of_memory({out});
  const CurrentDevice current(key.device().id());
  return open_gpu_chunks(key.device(), key.crypting(Direction::decrypt), chunks, out, static_cast<cudaStream_t>(stream));
}

void CudaDeviceGcm::seal_chunks(const ChunksToSeal& chunks, const std::uint8_t* in, void* stream) const {
  const DeviceKey& key = key_of_memory({in});
  const CurrentDevice current(key.device().id());
  seal_gpu_chunks(key.device(), key.crypting(Direction::encrypt), chunks, in, static_cast<cudaStream_t>(stream));
}

void CudaDeviceGcm::crypt_on_host(Direction direction, Unverified unverified, MessageFeed& feed, int num_threads) const {
  run_each(keys_.size(), [&](std::size_t i) {
    const DeviceKey& key = *keys_[i];
    const CurrentDevice current(key.device().id());
    crypt_host_messages(key.device(), key.crypting(direction), direction, unverified, feed, num_threads);
  });
}

}  // namespace phalanx

#include "engine/engines/cuda/gpu_device_batch.hpp"

#include <algorithm>
#include <cstring>

#include "engine/engines/cuda/cuda_verdicts.hpp"
#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/cuda/gpu_pieces.hpp"
#include "engine/engines/cuda/scratch_parts.hpp"
#include "engine/modes/chaining.hpp"

namespace phalanx {
namespace {

constexpr const char* starting = "starting a kernel";

// Pieces are so long that there are about so many of them, and no shorter than this, in 16 bytes.
constexpr std::uint64_t many_pieces = std::uint64_t{1} << 20;
constexpr std::uint64_t fewest_piece_blocks = 16;

class DeviceBatchCall {
 public:
  DeviceBatchCall(const GpuDeviceWork& work, const DeviceBatchArrays& arrays, cudaStream_t stream)
      : work_(work), stream_(stream) {
    call_.job.arrays = arrays;
    call_.mode = work.mode;
    call_.direction = work.direction;
    call_.block_bytes = static_cast<unsigned>(work.cipher.block_bytes);
    call_.is_whole = !is_divisible(work.mode, work.direction);
    const std::uint64_t even_share = arrays.out_bytes / 16 / many_pieces;
    call_.job.step_blocks = static_cast<unsigned>(
        call_.is_whole ? std::uint64_t{1} << 31 : std::clamp(even_share, fewest_piece_blocks, std::uint64_t{1} << 31));
    const std::uint64_t of_long_messages = arrays.out_bytes / (std::uint64_t{16} * call_.job.step_blocks);
    call_.num_pieces = call_.is_whole ? arrays.num_messages : of_long_messages + arrays.num_messages;
    if (work.mode == Mode::xts) set_powers();
  }

  std::unique_ptr<DeviceBatchResult> run() {
    auto verdicts = std::make_unique<CudaVerdicts>(device(), call_.job, false, stream_);
    check_cuda(plan_gpu_batch(call_.job, stream_), starting);
    if (call_.job.arrays.num_messages != 0) crypt();
    verdicts->end(stream_);
    return verdicts;
  }

 private:
  [[nodiscard]] GpuDevice& device() const { return work_.key.device(); }
  [[nodiscard]] const GpuKernel& kernel() const { return work_.key.kernel(); }
  [[nodiscard]] const DeviceBatchArrays& arrays() const { return call_.job.arrays; }
  [[nodiscard]] std::uint64_t num_keys() const { return arrays().keys == nullptr ? 0 : arrays().num_messages; }
  // Two-key triple DES, whose kernel takes more.
  [[nodiscard]] bool has_wide_keys() const { return kernel_key_bytes(work_.cipher) != work_.cipher.key_bytes; }

  void set_powers() {
    for (unsigned k = 0; k < DevicePiecesJob::num_powers; ++k) {
      const FieldElement power = power_of_alpha(std::uint64_t{DevicePiecesJob::power_blocks} << k);
      std::memcpy(call_.powers[k], &power, sizeof power);
    }
  }

  std::size_t place(std::uint8_t* memory, void*& scratch) {
    const std::uint64_t count = arrays().num_messages;
    const bool is_xts = work_.mode == Mode::xts;
    ScratchParts parts(memory);
    parts.take(call_.pieces, call_.num_pieces);
    parts.take(call_.ivs, 16 * call_.num_pieces);
    parts.take(call_.rests, call_.num_pieces);
    if (num_keys() != 0 && !call_.is_whole) parts.take(call_.owners, call_.num_pieces);
    if (is_xts) parts.take(call_.tweaks, 16 * count);
    if (is_xts && num_keys() != 0) parts.take(call_.tweak_messages, count);
    if (num_keys() != 0 && has_wide_keys()) parts.take(call_.wide_keys, kernel_key_bytes(work_.cipher) * count);
    std::uint8_t* batch_scratch = nullptr;
    parts.take(batch_scratch, kernel().batch_scratch_bytes(call_.num_pieces, num_keys(), kernel_key_bytes(work_.cipher)));
    scratch = batch_scratch;
    return parts.num_bytes();
  }

  void crypt() {
    void* scratch = nullptr;
    const StreamMemory memory(device(), place(nullptr, scratch), stream_, true);
    (void)place(memory.data(), scratch);
    check_cuda(judge_gpu_messages(call_, stream_), starting);
    GpuBatch batch{call_.pieces, call_.ivs, nullptr, kernel_key_bytes(work_.cipher), call_.num_pieces, scratch};
    batch.rests = call_.rests;
    if (num_keys() != 0) take_keys(batch);
    if (work_.mode == Mode::xts) encrypt_tweaks(batch);
    check_cuda(cut_gpu_pieces(call_, stream_), starting);
    run_batch(work_.mode, work_.direction, batch);
  }

  void take_keys(GpuBatch& batch) {
    batch.keys = arrays().keys;
    if (has_wide_keys()) {
      check_cuda(widen_gpu_keys(batch.keys, call_.wide_keys, num_keys(), stream_), starting);
      batch.keys = call_.wide_keys;
    }
    if (work_.mode == Mode::xts) batch.key_stride = 2 * work_.cipher.key_bytes;
    batch.owners = call_.owners;
    batch.num_owners = num_keys();
  }

  // `of_data` has the messages' keys, if they have any: behind each is that of its tweak.
  void encrypt_tweaks(const GpuBatch& of_data) {
    const std::uint64_t count = arrays().num_messages;
    if (of_data.keys != nullptr) {
      GpuBatch batch = of_data;
      batch.messages = call_.tweak_messages;
      batch.keys += work_.cipher.key_bytes;
      batch.num_messages = count;
      batch.owners = nullptr;
      batch.rests = nullptr;
      run_batch(Mode::ecb, Direction::encrypt, batch);
      return;
    }
    device().run_with_key(*work_.tweak_key, stream_, [&](const GpuScratch& scratch) {
      const auto encrypt = kernel().range[static_cast<unsigned>(Mode::ecb)][static_cast<unsigned>(Direction::encrypt)];
      return encrypt({call_.tweaks, call_.tweaks, count, {}, scratch.share_states, false}, stream_);
    });
  }

  void run_batch(Mode mode, Direction direction, const GpuBatch& batch) {
    const GpuBatchFunction function = kernel().batch[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
    if (batch.keys != nullptr) {  // the key in place is left alone
      check_cuda(function(batch, stream_), starting);
      return;
    }
    device().run_with_key(work_.key, stream_, [&](const GpuScratch& /*scratch*/) { return function(batch, stream_); });
  }

  const GpuDeviceWork& work_;
  cudaStream_t stream_;
  DevicePiecesJob call_{};
};

}  // namespace

std::unique_ptr<DeviceBatchResult> crypt_batch_on_gpu(const GpuDeviceWork& work, const DeviceBatchArrays& arrays,
                                                      cudaStream_t stream) {
  return DeviceBatchCall(work, arrays, stream).run();
}

void crypt_sectors_on_gpu(const GpuDeviceWork& work, const DeviceSectorRange& sectors, cudaStream_t stream) {
  GpuSectorArrays numbers{};
  numbers.count = (sectors.num_bytes + sectors.sector_bytes - 1) / sectors.sector_bytes;
  numbers.sector_bytes = sectors.sector_bytes;
  numbers.num_bytes = sectors.num_bytes;
  numbers.numbers = sectors.numbers;
  numbers.first_tweak = sectors.first_tweak;
  numbers.tweak_step = sectors.tweak_step;
  const auto place = [&](std::uint8_t* memory) {
    ScratchParts parts(memory);
    parts.take(numbers.offsets, numbers.count + 1);
    parts.take(numbers.ivs, 16 * numbers.count);
    return parts.num_bytes();
  };
  const StreamMemory memory(work.key.device(), place(nullptr), stream);
  (void)place(memory.data());
  check_cuda(write_gpu_sector_arrays(numbers, stream), starting);
  DeviceBatchArrays arrays{};
  arrays.in = sectors.in;
  arrays.out = sectors.out;
  arrays.in_bytes = arrays.out_bytes = sectors.num_bytes;
  arrays.in_offsets = numbers.offsets;
  arrays.nonces = numbers.ivs;
  arrays.num_messages = numbers.count;
  arrays.offset_bytes = 8;
  arrays.nonce_bytes = 16;
  arrays.least_bytes = 16;
  arrays.most_bytes = UINT64_MAX;
  arrays.steals = true;
  crypt_batch_on_gpu(work, arrays, stream)->leave();
}

}  // namespace phalanx

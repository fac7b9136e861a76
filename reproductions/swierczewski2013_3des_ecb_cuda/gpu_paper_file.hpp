// The file of Swierczewski (2013) on the host and on a GPU, and listing 1.1's launches over it.
#pragma once

#include "reproductions/paper_gpu.hpp"
#include "reproductions/paper_reference.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/block_per_thread_kernel.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/kernel_call.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/openmp_3des_ecb.hpp"
#include "reproductions/swierczewski2013_3des_ecb_cuda/paper_file.hpp"

namespace papers::swierczewski2013 {

using phalanx::Direction;

/// The file on the host, what reference/ makes of it, and the copy of the GPU that is current when it is made.
class PaperFile {
 public:
  explicit PaperFile(std::size_t num_blocks)
      : plain_(words_of(test_data(8 * num_blocks))),
        expected_(words_of(reference_ecb("des-ede3", Direction::encrypt, file_key(), bytes_of(plain_)))),
        result_(num_blocks),
        data_(num_blocks + blocks_per_launch),
        keys_(num_round_keys) {
    supply_keys(Direction::encrypt);
  }

  void supply_keys(Direction direction) { keys_.copy_in(make_round_keys(direction, file_key()).data(), num_round_keys); }
  void send() { data_.copy_in(plain_.data(), plain_.size()); }
  void fetch(std::size_t num_blocks) { data_.copy_out(result_.data(), num_blocks); }

  /// The kernels over the first num_blocks blocks: listing 1.1 put right.
  void launch(std::size_t num_blocks, unsigned long N, unsigned block_size, unsigned launch_bounds = highest_block_size) {
    launches(num_blocks, N, [&](unsigned long long offset, unsigned long count) {
      launch_kernel_3des(num_cuda_blocks(count, block_size), block_size, data_.get() + offset, count, keys_.get(),
                         launch_bounds);
    });
  }

  void require_right(const std::string& what, const Words& expected, std::size_t num_blocks) {
    fetch(num_blocks);
    require_equal(what, {bytes(result_), 8 * num_blocks}, {bytes(expected), 8 * num_blocks});
  }
  void require_encrypted(const std::string& what, std::size_t num_blocks) { require_right(what, expected_, num_blocks); }
  void require_decrypted(const std::string& what, std::size_t num_blocks) { require_right(what, plain_, num_blocks); }

  [[nodiscard]] std::size_t size() const { return plain_.size(); }
  [[nodiscard]] Bytes plain() const { return {bytes(plain_), 8 * plain_.size()}; }
  [[nodiscard]] Bytes expected() const { return {bytes(expected_), 8 * expected_.size()}; }
  [[nodiscard]] const DeviceMemory<LongInteger>& data() const { return data_; }
  [[nodiscard]] const DeviceMemory<LongInteger>& keys() const { return keys_; }

 private:
  static const std::uint8_t* bytes(const Words& words) { return reinterpret_cast<const std::uint8_t*>(words.data()); }

  Words plain_;
  Words expected_;
  Words result_;
  DeviceMemory<LongInteger> data_;  // a launch longer than the file, so that the listing's overrun stays in our own memory
  DeviceMemory<LongInteger> keys_;
};

}  // namespace papers::swierczewski2013

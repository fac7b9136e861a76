#include "files/foreign/openpgp/ocb.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/bytes/double_block.hpp"
#include "engine/bytes/equal_bytes.hpp"
#include "engine/bytes/xor_bytes.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_decryptor.hpp"
#include "files/foreign/raw_cipher.hpp"
#include "files/libcrypto/decryption.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_bytes = 16;
// Slices are whole groups. One of a CPU stays in a core's first cache.
constexpr std::size_t slice_bytes_of_cpu = std::size_t{16} << 10, slice_bytes_of_gpu = std::size_t{4} << 20;

using Vector = std::uint64_t __attribute__((vector_size(16)));

Vector loaded(const std::uint8_t* block) {
  Vector vector;
  std::memcpy(&vector, block, sizeof vector);
  return vector;
}

// Adds an offset to a block, and returns the sum.
Vector add_and_store(std::uint8_t* block, Vector offset) {
  const Vector sum = loaded(block) ^ offset;
  std::memcpy(block, &sum, sizeof sum);
  return sum;
}

class EngineBlocks : public OcbBlocks {
 public:
  EngineBlocks(const ForeignCipher& cipher, Bytes key, const RunOptions& options)
      : ecb_(cipher.engine, key, false, that_may_encrypt(options)) {}
  void crypt(Direction direction, MutableBytes blocks) const override { ecb_.crypt_part(direction, {}, 0, blocks); }
  [[nodiscard]] const std::string& engine() const override { return ecb_.engine(); }

 private:
  RawCipher ecb_;
};

class BlocksOfLibcrypto : public OcbBlocks {
 public:
  BlocksOfLibcrypto(const ForeignCipher& cipher, Bytes key) : blocks_(cipher.name, key) {}
  void crypt(Direction direction, MutableBytes blocks) const override {
    direction == Direction::encrypt ? blocks_.encrypt(blocks) : blocks_.decrypt(blocks);
  }
  [[nodiscard]] const std::string& engine() const override { return engine_; }

 private:
  LibcryptoBlocks blocks_;
  std::string engine_ = libcrypto_engine;
};

std::unique_ptr<const OcbBlocks> make_blocks(const std::string& name, Bytes key, const RunOptions& options) {
  const ForeignCipher cipher = parse_foreign_cipher_name(name + "-ecb");
  if (cipher.is_of_libcrypto()) return std::make_unique<BlocksOfLibcrypto>(cipher, key);
  return std::make_unique<EngineBlocks>(cipher, key, options);
}

}  // namespace

// Holds what goes on from block to block.
struct Ocb::Running {
  Block offset{}, checksum{};
  std::uint64_t num_blocks = 0;

  ~Running() { wipe_memory(this, sizeof *this); }
};

Ocb::Ocb(const std::string& cipher, Bytes key, const RunOptions& options)
    : blocks_(make_blocks(cipher, key, options)),
      slice_bytes_(is_gpu(blocks_->engine()) ? slice_bytes_of_gpu : slice_bytes_of_cpu) {
  encrypt(mask_star_);
  mask_dollar_ = mask_star_;
  double_block(mask_dollar_.data());
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    masks_[i] = i == 0 ? mask_dollar_ : masks_[i - 1];
    double_block(masks_[i].data());
  }
  for (std::size_t i = 0; i + 1 < group_blocks; ++i) {  // the mask of a group's last block depends on its number
    group_offsets_[i] = i == 0 ? Block{} : group_offsets_[i - 1];
    xor_block(group_offsets_[i].data(), group_offsets_[i].data(), mask_of(i + 1).data());
  }
  group_offsets_.back() = group_offsets_[group_blocks - 2];
}

Ocb::~Ocb() {
  wipe_memory(&mask_star_, sizeof mask_star_);
  wipe_memory(&mask_dollar_, sizeof mask_dollar_);
  wipe_memory(&masks_, sizeof masks_);
  wipe_memory(&group_offsets_, sizeof group_offsets_);
}

void Ocb::encrypt(Block& block) const { blocks_->crypt(Direction::encrypt, block); }

const Ocb::Block& Ocb::mask_of(std::uint64_t block_number) const {
  return masks_[static_cast<std::size_t>(std::countr_zero(block_number))];
}

// Section 4.2: the tag's size, modulo 128, is zero in the first seven bits. The nonce stands at the end, behind a bit.
void Ocb::first_offset(Bytes nonce, Block& offset) const {
  Block block{};
  block[block_bytes - 1 - nonce.size()] = 1;
  std::ranges::copy(nonce, block.end() - static_cast<std::ptrdiff_t>(nonce.size()));
  const unsigned bottom = block.back() & 63U;
  block.back() &= 0xc0U;
  encrypt(block);
  std::array<std::uint8_t, block_bytes + 8> stretch{};
  std::ranges::copy(block, stretch.begin());
  for (std::size_t i = 0; i < 8; ++i) stretch[block_bytes + i] = block[i] ^ block[i + 1];
  const std::size_t bytes = bottom / 8;
  const unsigned bits = bottom % 8;
  for (std::size_t i = 0; i < block_bytes; ++i) {
    const unsigned pair = static_cast<unsigned>(stretch[i + bytes]) << 8 | (bits == 0 ? 0U : stretch[i + bytes + 1]);
    offset[i] = static_cast<std::uint8_t>(pair << bits >> 8);
  }
  wipe_memory(block.data(), block.size());
  wipe_memory(stretch.data(), stretch.size());
}

// Offsets are sums of masks by the Gray code of the block's number (section 4.1). Within a group they differ from the offset
// before it by the same sums, but for the last one. The sums are copied, so that compilers see that no text is among them.
template <bool sums_text>
void Ocb::add_offsets(Running& running, MutableBytes blocks) const {
  Vector sums[group_blocks], offset = loaded(running.offset.data()), text_sum{};
  for (std::size_t i = 0; i < group_blocks; ++i) sums[i] = loaded(group_offsets_.data()[i].data());
  std::uint64_t num_blocks = running.num_blocks;
  std::uint8_t* block = blocks.data();
  for (std::size_t left = blocks.size() / block_bytes; left != 0;) {
    const std::size_t in_group = std::min(left, group_blocks);
    num_blocks += in_group;
    left -= in_group;
    Vector last = offset ^ sums[in_group - 1];
    if (in_group == group_blocks) last ^= loaded(mask_of(num_blocks).data());
    for (std::size_t i = 0; i + 1 < in_group; ++i, block += block_bytes) text_sum ^= add_and_store(block, offset ^ sums[i]);
    text_sum ^= add_and_store(block, last);
    block += block_bytes;
    offset = last;
  }
  if constexpr (sums_text) {
    std::memcpy(running.offset.data(), &offset, block_bytes);
    running.num_blocks = num_blocks;
    xor_block(running.checksum.data(), running.checksum.data(), reinterpret_cast<const std::uint8_t*>(&text_sum));
  }
  wipe_memory(sums, sizeof sums);
}

// Both passes begin at one offset, and the second one moves it on.
void Ocb::decrypt_blocks(Running& running, MutableBytes blocks) const {
  add_offsets<false>(running, blocks);
  blocks_->crypt(Direction::decrypt, blocks);
  add_offsets<true>(running, blocks);
}

void Ocb::decrypt_rest(Running& running, MutableBytes rest) const {
  if (rest.empty()) return;
  xor_block(running.offset.data(), running.offset.data(), mask_star_.data());
  WipedArray<block_bytes> pad, last;
  std::ranges::copy(running.offset, pad.bytes);
  blocks_->crypt(Direction::encrypt, {pad.bytes, block_bytes});
  for (std::size_t i = 0; i < rest.size(); ++i) last.bytes[i] = rest[i] ^= pad.bytes[i];
  last.bytes[rest.size()] = 0x80;
  std::fill(last.bytes + rest.size() + 1, last.bytes + block_bytes, std::uint8_t{0});
  xor_block(running.checksum.data(), running.checksum.data(), last.bytes);
}

// Section 4.1. Associated data have a few bytes here.
void Ocb::hash(Bytes associated_data, Block& sum) const {
  Block offset{};
  std::uint64_t number = 0;
  while (!associated_data.empty()) {
    const std::size_t size = std::min(associated_data.size(), block_bytes);
    xor_block(offset.data(), offset.data(), size == block_bytes ? mask_of(++number).data() : mask_star_.data());
    Block block{};
    std::ranges::copy(associated_data.first(size), block.begin());
    if (size < block_bytes) block[size] = 0x80;
    xor_block(block.data(), block.data(), offset.data());
    encrypt(block);
    xor_block(sum.data(), sum.data(), block.data());
    associated_data = associated_data.subspan(size);
  }
}

bool Ocb::open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const {
  Running running;
  first_offset(nonce, running.offset);
  const std::size_t whole_bytes = text.size() / block_bytes * block_bytes;
  for (std::size_t done = 0; done < whole_bytes; done += slice_bytes_)
    decrypt_blocks(running, text.subspan(done, std::min(slice_bytes_, whole_bytes - done)));
  decrypt_rest(running, text.subspan(whole_bytes));
  Block own = running.checksum;
  xor_block(own.data(), own.data(), running.offset.data());
  xor_block(own.data(), own.data(), mask_dollar_.data());
  encrypt(own);
  hash(associated_data, own);
  return are_equal(own.data(), tag.data(), own.size());
}

}  // namespace phalanx

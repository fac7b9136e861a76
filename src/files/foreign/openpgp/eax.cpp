#include "files/foreign/openpgp/eax.hpp"

#include <algorithm>

#include "engine/bytes/double_block.hpp"
#include "engine/bytes/equal_bytes.hpp"
#include "engine/bytes/xor_bytes.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/foreign_cipher.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_bytes = 16, slice_bytes = std::size_t{16} << 10;

}  // namespace

Eax::Eax(const std::string& cipher, Bytes key, const RunOptions& options)
    : counter_mode_(parse_foreign_cipher_name(cipher + "-ctr").engine, key, false, options),
      chained_(parse_foreign_cipher_name(cipher + "-cbc").engine, key, false, that_may_encrypt(options)) {
  static_cast<void>(chained_.crypt_chained(Direction::encrypt, {.size = block_bytes}, whole_mask_));  // of zeros
  double_block(whole_mask_.data());
  short_mask_ = whole_mask_;
  double_block(short_mask_.data());
}

Eax::~Eax() {
  wipe_memory(whole_mask_.data(), block_bytes);
  wipe_memory(short_mask_.data(), block_bytes);
}

// OMAC is CMAC (SP 800-38B, section 6.2), here of a block with the tweak and the message behind it.
Eax::Block Eax::omac(std::uint8_t tweak, Bytes message) const {
  Block last{};
  ChainValue chain{.size = block_bytes};
  last.back() = tweak;
  if (!message.empty()) {
    chain = chained_.crypt_chained(Direction::encrypt, chain, last);
    const std::size_t last_bytes = (message.size() - 1) % block_bytes + 1, before_bytes = message.size() - last_bytes;
    SecretBytes slice(std::min(before_bytes, slice_bytes));
    for (std::size_t done = 0; done < before_bytes; done += slice_bytes) {
      const std::size_t size = std::min(slice_bytes, before_bytes - done);
      std::ranges::copy(message.subspan(done, size), slice.begin());
      chain = chained_.crypt_chained(Direction::encrypt, chain, MutableBytes(slice).first(size));
    }
    last = {};
    std::ranges::copy(message.subspan(before_bytes), last.begin());
    if (last_bytes < block_bytes) last[last_bytes] = 0x80;
    xor_block(last.data(), last.data(), last_bytes < block_bytes ? short_mask_.data() : whole_mask_.data());
  } else {
    xor_block(last.data(), last.data(), whole_mask_.data());
  }
  static_cast<void>(chained_.crypt_chained(Direction::encrypt, chain, last));
  return last;
}

bool Eax::open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const {
  const Block counter = omac(0, nonce);
  Block own = omac(2, text);
  xor_block(own.data(), own.data(), counter.data());
  xor_block(own.data(), own.data(), omac(1, associated_data).data());
  if (!are_equal(own.data(), tag.data(), own.size())) return false;
  counter_mode_.crypt_part(Direction::decrypt, counter, 0, text);
  return true;
}

}  // namespace phalanx

#include "messages/padded_message.hpp"

#include <algorithm>
#include <cstring>

#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

constexpr std::size_t few_bytes = 1024;  // below, one call over padded memory is faster than one for each part

}  // namespace

bool takes_whole_blocks(const CipherFacts& facts) { return facts.mode == "ecb" || facts.mode == "cbc"; }

std::size_t padded_bytes(const CipherFacts& facts, Padding padding, std::size_t plain_bytes) {
  const std::size_t rest = plain_bytes % facts.block_bytes;
  if (padding == Padding::none || (padding == Padding::zero && rest == 0)) return plain_bytes;
  return plain_bytes - rest + facts.block_bytes;
}

void encrypt_padded(const Cipher& cipher, Padding padding, Bytes iv, Bytes in, MutableBytes out) {
  if (padding == Padding::none) {
    cipher.encrypt(iv, in, out);
    return;
  }
  const std::size_t block_bytes = cipher.facts().block_bytes;
  const std::size_t rest = in.size() % block_bytes;
  const std::size_t whole = in.size() - rest;
  WipedArray<16> last;
  if (rest != 0) std::memcpy(last.bytes, in.data() + whole, rest);
  const std::size_t last_bytes = pad_last_block(padding, {last.bytes, block_bytes}, rest);
  cipher.encrypt(iv, {}, {});  // what is refused is refused before a byte of `out` is written
  if (out.size() <= few_bytes) {
    std::uint8_t own_iv[16];  // its memory may be in `out`
    if (iv.size() <= sizeof own_iv) {
      std::ranges::copy(iv, own_iv);
      iv = {own_iv, iv.size()};
    }
    if (whole != 0) std::memmove(out.data(), in.data(), whole);
    if (last_bytes != 0) std::memcpy(out.data() + whole, last.bytes, last_bytes);
    cipher.encrypt(iv, out, out);
    return;
  }
  const ChainValue next = cipher.encrypt(iv, in.first(whole), out.first(whole));
  cipher.encrypt(next, {last.bytes, last_bytes}, out.subspan(whole, last_bytes));
}

PaddedDecryption::PaddedDecryption(const Cipher& cipher, Padding padding, Bytes iv, Bytes in)
    : cipher_(cipher), iv_(iv), in_(in), body_bytes_(in.size()) {
  const std::size_t block_bytes = cipher.facts().block_bytes;
  if (padding == Padding::none || in.size() % block_bytes != 0) return;  // what is no whole blocks, write refuses
  if (in.empty()) {
    if (!can_check(padding)) return;
    throw Error(ErrorCode::truncated, "the ciphertext is empty, and the padding alone is a block: it is cut short");
  }
  body_bytes_ -= block_bytes;
  const bool chains = cipher.facts().iv_bytes != 0;
  const Bytes before = chains && body_bytes_ != 0 ? in.subspan(body_bytes_ - block_bytes, block_bytes) : iv;
  cipher.decrypt(before, in.subspan(body_bytes_), {tail_, block_bytes});
  tail_bytes_ = remove_padding(padding, {tail_, block_bytes});
}

PaddedDecryption::~PaddedDecryption() { wipe_memory(tail_, sizeof tail_); }

void PaddedDecryption::write(MutableBytes out) const {
  cipher_.decrypt(iv_, in_.first(body_bytes_), out.first(body_bytes_));
  if (tail_bytes_ != 0) std::memcpy(out.data() + body_bytes_, tail_, tail_bytes_);
}

}  // namespace phalanx

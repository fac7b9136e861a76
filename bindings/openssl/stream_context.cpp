#include "stream_context.hpp"

#include <algorithm>
#include <cstring>

#include "parameter_calls.hpp"

namespace phalanx {

bool UnpaddedContext::update(const Output& out, Bytes in) {
  if (!require_key()) return false;
  *out.written = 0;
  if (in.empty()) return true;
  if (out.room < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  if (out.data == nullptr || !crypt_anywhere(in, out.data)) return fail(PROV_R_CIPHER_OPERATION_FAILED);
  std::size_t num_out = in.size();
  if (direction_ == Direction::decrypt && tls_version_ != 0 && tls_mac_bytes_ != 0) {  // of a record without padding
    if (num_out < tls_mac_bytes_) return false;
    num_out -= tls_mac_bytes_;
    show_mac(out.data + num_out);
  }
  *out.written = num_out;
  return true;
}

bool UnpaddedContext::finish(const Output& out) {
  if (!require_key()) return false;
  *out.written = 0;
  return true;
}

std::unique_ptr<CipherContext> KeyStreamContext::copy() const {
  return std::unique_ptr<CipherContext>(new KeyStreamContext(*this));
}

// The key stream of a block that will not be used as a whole. In CFB and OFB it takes the iv's place, which programs may see
// and in which the ciphertext of CFB then comes in byte by byte; in CTR the iv is the next counter.
void KeyStreamContext::begin_block() {
  if (served().mode != Mode::ctr) return encrypt_block(iv_.bytes, iv_.bytes);
  std::memset(block_.bytes, 0, block_bytes());
  key_->crypt_range(Mode::ctr, Direction::encrypt, iv_.bytes, block_.bytes, block_.bytes, 1);
}

void KeyStreamContext::crypt_in_block(Bytes in, std::uint8_t* out) {
  std::uint8_t* const key_stream = (served().mode == Mode::ctr ? block_.bytes : iv_.bytes) + num_used_;
  const bool takes_ciphertext = served().mode == Mode::cfb;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint8_t given = in[i];
    out[i] = static_cast<std::uint8_t>(given ^ key_stream[i]);
    if (takes_ciphertext) key_stream[i] = direction_ == Direction::encrypt ? out[i] : given;
  }
  num_used_ = static_cast<unsigned>((num_used_ + in.size()) % block_bytes());
}

bool KeyStreamContext::crypt_piece(Bytes in, std::uint8_t* out) {
  if (num_used_ != 0) {
    const std::size_t head = std::min(in.size(), block_bytes() - num_used_);
    crypt_in_block(in.first(head), out);
    in = in.subspan(head);
    out += head;
  }
  const std::size_t whole = in.size() / block_bytes() * block_bytes();
  if (whole != 0) key_->crypt_range(served().mode, direction_, iv_.bytes, in.data(), out, whole / block_bytes());
  if (whole == in.size()) return true;
  begin_block();
  crypt_in_block(in.subspan(whole), out + whole);
  return true;
}

std::unique_ptr<CipherContext> ByteFeedbackContext::copy() const {
  return std::unique_ptr<CipherContext>(new ByteFeedbackContext(*this));
}

bool ByteFeedbackContext::crypt_piece(Bytes in, std::uint8_t* out) {
  if (direction_ == Direction::encrypt) {
    encrypt_bytes(in, out);
  } else {
    decrypt_bytes(in, out);
  }
  return true;
}

// A block's time for each byte.
void ByteFeedbackContext::encrypt_bytes(Bytes in, std::uint8_t* out) {
  KeptBytes<16> key_stream;
  for (std::size_t i = 0; i < in.size(); ++i) {
    encrypt_block(iv_.bytes, key_stream.bytes);
    out[i] = static_cast<std::uint8_t>(in[i] ^ key_stream.bytes[0]);
    std::memmove(iv_.bytes, iv_.bytes + 1, block_bytes() - 1);
    iv_.bytes[block_bytes() - 1] = out[i];
  }
}

// The block before each byte is ciphertext that is there: many are encrypted side by side.
void ByteFeedbackContext::decrypt_bytes(Bytes in, std::uint8_t* out) {
  constexpr std::size_t most_at_once = 256;
  WipedArray<16 * most_at_once> blocks;
  while (!in.empty()) {
    const std::size_t count = std::min(in.size(), most_at_once);
    std::uint8_t before[16 + most_at_once];  // the iv, and the ciphertext behind it
    std::memcpy(before, iv_.bytes, block_bytes());
    std::memcpy(before + block_bytes(), in.data(), count);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(blocks.bytes + i * block_bytes(), before + i, block_bytes());
    key_->crypt_range(Mode::ecb, Direction::encrypt, nullptr, blocks.bytes, blocks.bytes, count);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::uint8_t>(in[i] ^ blocks.bytes[i * block_bytes()]);
    }
    std::memcpy(iv_.bytes, before + count, block_bytes());
    in = in.subspan(count);
    out += count;
  }
}

}  // namespace phalanx

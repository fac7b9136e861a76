#include "messages/message_stream.hpp"

#include <algorithm>
#include <cstring>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {

MessageStream::MessageStream(std::shared_ptr<const Cipher> cipher, Direction direction, Padding padding, Bytes iv)
    : cipher_(std::move(cipher)), direction_(direction), padding_(padding) {
  const CipherFacts& facts = cipher_->facts();
  if (facts.mode == "xts") {
    throw Error(ErrorCode::usage, facts.name + " takes whole data units: use encrypt and decrypt, or a SectorCipher");
  }
  const auto crypt = direction == Direction::encrypt ? &Cipher::encrypt : &Cipher::decrypt;
  ((*cipher_).*crypt)(iv, {}, {});  // says what is wrong, if something is
  bytewise_ = facts.mode != "ecb" && facts.mode != "cbc";
  holds_last_ = direction == Direction::decrypt && padding != Padding::none;
  is_cfb_ = facts.mode == "cfb";
  block_bytes_ = facts.block_bytes;
  chain_.size = iv.size();
  std::copy(iv.begin(), iv.end(), chain_.bytes.begin());
}

MessageStream::~MessageStream() {
  wipe_memory(block_, sizeof block_);
  wipe_memory(keystream_, sizeof keystream_);
}

std::size_t MessageStream::update_bytes(std::size_t num_bytes) const {
  if (bytewise_) return num_bytes;
  const std::size_t there = kept_ + num_bytes;
  if (holds_last_) return there == 0 ? 0 : (there - 1) / block_bytes_ * block_bytes_;
  return there / block_bytes_ * block_bytes_;
}

void MessageStream::crypt_blocks(Bytes in, MutableBytes out) {
  if (in.empty()) return;
  const ChainValue next =
      direction_ == Direction::encrypt ? cipher_->encrypt(chain_, in, out) : cipher_->decrypt(chain_, in, out);
  if (next.size != 0) chain_ = next;
}

void MessageStream::update(Bytes in, MutableBytes out) {
  if (bytewise_) return update_bytewise(in, out);
  if (out.empty()) {
    std::copy(in.begin(), in.end(), block_ + kept_);
    kept_ += in.size();
    return;
  }
  if (kept_ != 0) {
    const std::size_t missing = block_bytes_ - kept_;
    std::copy_n(in.begin(), missing, block_ + kept_);
    crypt_blocks({block_, block_bytes_}, out.first(block_bytes_));
    in = in.subspan(missing);
    out = out.subspan(block_bytes_);
  }
  const Bytes rest = in.subspan(out.size());
  kept_ = rest.size();
  std::copy(rest.begin(), rest.end(), block_);
  crypt_blocks(in.first(out.size()), out);
}

// The key stream of the next block, which in all of these modes is what a block of zeros becomes, whichever way.
void MessageStream::next_keystream() {
  constexpr std::uint8_t zeros[16] = {};
  const auto crypt = direction_ == Direction::encrypt ? &Cipher::encrypt : &Cipher::decrypt;
  const ChainValue next = ((*cipher_).*crypt)(chain_, {zeros, block_bytes_}, {keystream_, block_bytes_});
  if (!is_cfb_) chain_ = next;  // CFB goes on with the ciphertext
}

// Goes on within a block, at its byte kept_.
void MessageStream::use_keystream(Bytes in, MutableBytes out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint8_t given = in[i];
    out[i] = static_cast<std::uint8_t>(given ^ keystream_[kept_ + i]);
    block_[kept_ + i] = direction_ == Direction::encrypt ? out[i] : given;
  }
  kept_ += in.size();
  if (kept_ != block_bytes_) return;
  kept_ = 0;
  if (is_cfb_) std::copy_n(block_, block_bytes_, chain_.bytes.begin());
}

void MessageStream::update_bytewise(Bytes in, MutableBytes out) {
  if (kept_ != 0) {
    const std::size_t head = std::min(in.size(), block_bytes_ - kept_);
    use_keystream(in.first(head), out.first(head));
    in = in.subspan(head);
    out = out.subspan(head);
  }
  const std::size_t whole = in.size() / block_bytes_ * block_bytes_;
  const Bytes rest = in.subspan(whole);
  std::uint8_t end[16];  // in place, the blocks before it are written first
  std::copy(rest.begin(), rest.end(), end);
  crypt_blocks(in.first(whole), out.first(whole));
  if (rest.empty()) return;
  next_keystream();
  use_keystream({end, rest.size()}, out.subspan(whole));
  wipe_memory(end, sizeof end);
}

std::size_t MessageStream::finish(MutableBytes out) {
  if (bytewise_) return 0;
  if (direction_ == Direction::encrypt) {
    const std::size_t padded = pad_last_block(padding_, {block_, block_bytes_}, kept_);
    crypt_blocks({block_, padded}, out.first(padded));
    return padded;
  }
  if (kept_ == 0 && !(holds_last_ && can_check(padding_))) return 0;
  if (kept_ != block_bytes_) {
    throw Error(ErrorCode::truncated, "the ciphertext of " + cipher_->facts().name + " is whole blocks of " +
                                          std::to_string(block_bytes_) + " bytes: it is cut short");
  }
  crypt_blocks({block_, block_bytes_}, out.first(block_bytes_));
  return remove_padding(padding_, out.first(block_bytes_));
}

}  // namespace phalanx

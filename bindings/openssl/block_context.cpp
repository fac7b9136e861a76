#include "block_context.hpp"

#include <algorithm>
#include <cstring>

#include "block_padding.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "parameter_calls.hpp"
#include "record_end.hpp"

namespace phalanx {
std::unique_ptr<CipherContext> BlockContext::copy() const { return std::unique_ptr<CipherContext>(new BlockContext(*this)); }

bool BlockContext::crypt_piece(Bytes in, std::uint8_t* out) {
  if (in.size() % block_bytes() != 0) return false;
  key_->crypt_range(served().mode, direction_, iv_.bytes, in.data(), out, in.size() / block_bytes());
  return true;
}

// The last block of a padded message waits for the end, which it may be.
std::size_t BlockContext::bytes_of_update(std::size_t num_bytes) const {
  const std::size_t there = kept_ + num_bytes;
  const bool waits = direction_ == Direction::decrypt && pads_;
  return (waits && there != 0 ? there - 1 : there) / block_bytes() * block_bytes();
}

// Crypts the block that was begun, and returns how much of the input it took.
std::size_t BlockContext::fill_first_block(Bytes in, std::uint8_t* out) {
  if (kept_ == 0) return 0;
  const std::size_t missing = block_bytes() - kept_;
  if (missing != 0) std::memcpy(block_.bytes + kept_, in.data(), missing);
  crypt_piece({block_.bytes, block_bytes()}, out);
  kept_ = 0;
  return missing;
}

void BlockContext::keep(Bytes rest) {
  if (!rest.empty()) std::memcpy(block_.bytes + kept_, rest.data(), rest.size());
  kept_ += rest.size();
}

void BlockContext::update_blocks(Bytes in, std::uint8_t* out, std::size_t num_out) {
  if (num_out != 0 && kept_ != 0) {
    in = in.subspan(fill_first_block(in, out));
    out += block_bytes();
    num_out -= block_bytes();
  }
  if (num_out != 0) crypt_piece(in.first(num_out), out);
  keep(in.subspan(num_out));
}

// What was kept moves the result on, behind which the input would be overwritten before it is read.
bool BlockContext::reaches_into_input(const Output& out, Bytes in, std::size_t num_out) const {
  const bool moves = kept_ != 0 && num_out != 0 && in.data() == out.data;
  return moves || overlap_partly(in.data(), out.data, std::max(in.size(), num_out));
}

bool BlockContext::update(const Output& out, Bytes in) {
  if (!require_key()) return false;
  if (tls_version_ != 0) return update_record(out, in);
  const std::size_t num_out = bytes_of_update(in.size());
  if (num_out > out.room || (num_out != 0 && out.data == nullptr)) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  if (reaches_into_input(out, in, num_out)) {
    update_blocks(SecretBytes(in), out.data, num_out);
  } else {
    update_blocks(in, out.data, num_out);
  }
  *out.written = num_out;
  return true;
}

// The block that each message had begun comes first, then all whole blocks of all messages at once, then the rest of each.
bool BlockContext::update_together(std::span<const Piece> pieces) {
  std::vector<BlockMessage> messages;
  std::vector<std::pair<BlockContext*, Bytes>> rests;
  for (const Piece& piece : pieces) {
    auto& message = static_cast<BlockContext&>(*piece.message);
    std::size_t num_out = message.bytes_of_update(piece.in.size());
    const bool is_alone = key_ == nullptr || message.key_ != key_ || tls_version_ != 0 || num_out == 0 ||
                          num_out > piece.out.room || message.reaches_into_input(piece.out, piece.in, num_out);
    if (is_alone) {
      if (!message.update(piece.out, piece.in)) return false;
      continue;
    }
    *piece.out.written = num_out;
    Bytes in = piece.in;
    std::uint8_t* out = piece.out.data;
    if (message.kept_ != 0) {
      in = in.subspan(message.fill_first_block(in, out));
      out += block_bytes();
      num_out -= block_bytes();
    }
    if (num_out != 0) messages.push_back({{}, message.iv_.bytes, in.data(), out, num_out / block_bytes(), {}});
    rests.emplace_back(&message, in.subspan(num_out));
  }
  if (!messages.empty()) key_->crypt_batch(served().mode, direction_, messages);
  for (const auto& [message, rest] : rests) message->keep(rest);
  return true;
}

bool BlockContext::finish(const Output& out) {
  if (!require_key()) return false;
  if (tls_version_ != 0) return fail(PROV_R_CIPHER_OPERATION_FAILED);  // a record ends with its update
  return direction_ == Direction::encrypt ? finish_encryption(out) : finish_decryption(out);
}

bool BlockContext::finish_encryption(const Output& out) {
  const std::size_t padding = block_bytes() - kept_;
  if (!pads_ && kept_ == 0) {
    *out.written = 0;
    return true;
  }
  if (!pads_ && padding != 0) return fail(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
  if (out.room < block_bytes()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  std::memset(block_.bytes + kept_, static_cast<int>(padding), padding);
  crypt_piece({block_.bytes, block_bytes()}, out.data);
  kept_ = 0;
  *out.written = block_bytes();
  return true;
}

bool BlockContext::finish_decryption(const Output& out) {
  if (!pads_ && kept_ == 0) {
    *out.written = 0;
    return true;
  }
  if (kept_ != block_bytes()) return fail(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
  crypt_piece({block_.bytes, block_bytes()}, block_.bytes);
  std::size_t num_out = block_bytes();
  if (pads_) {
    const std::size_t padding = padding_of(block_.bytes, block_bytes());
    if (padding == 0) return fail(PROV_R_BAD_DECRYPT);
    num_out -= padding;
  }
  kept_ = num_out;
  if (out.room < num_out) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  if (num_out != 0) std::memcpy(out.data, block_.bytes, num_out);
  kept_ = 0;
  *out.written = num_out;
  return true;
}

// A record in its place (RFC 5246 section 6.2.3.2): each update is one.
bool BlockContext::update_record(const Output& out, Bytes in) {
  constexpr int reason = PROV_R_CIPHER_OPERATION_FAILED;
  if (in.data() == nullptr || in.data() != out.data || out.room < in.size() || !pads_) return fail(reason);
  std::size_t num_bytes = in.size();
  if (direction_ == Direction::encrypt) {
    const std::size_t padding = block_bytes() - num_bytes % block_bytes();
    if (out.room < num_bytes + padding) return fail(reason);
    write_record_padding(tls_version_, out.data + num_bytes, padding);
    num_bytes += padding;
  }
  if (num_bytes % block_bytes() != 0) return fail(reason);
  crypt_piece({out.data, num_bytes}, out.data);
  *out.written = num_bytes;
  return direction_ == Direction::encrypt || open_record(out, out.data, num_bytes) || fail(reason);
}

// False where anybody sees that this is no record: by its length or, where no MAC would tell, by its padding.
bool BlockContext::open_record(const Output& out, std::uint8_t* record, std::size_t num_bytes) {
  KeptBytes<64> random;
  if (tls_mac_bytes_ > sizeof random.bytes) return false;
  if (tls_mac_bytes_ != 0 && !provider().fill_random({random.bytes, tls_mac_bytes_})) return false;
  const std::size_t iv_bytes = explicit_iv_bytes(tls_version_, block_bytes());
  if (!is_record_version(tls_version_) || num_bytes < iv_bytes) return false;
  show_mac(nullptr);
  const RecordEnd end{tls_version_, {record + iv_bytes, num_bytes - iv_bytes}, block_bytes(), tls_mac_bytes_};
  if (!take_record_end(end, random.bytes, mac_memory().bytes, *out.written)) return false;
  if (tls_mac_bytes_ != 0) show_mac(mac_memory().bytes);
  return true;
}

}  // namespace phalanx

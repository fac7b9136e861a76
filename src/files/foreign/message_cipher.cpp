#include "files/foreign/message_cipher.hpp"

#include <algorithm>
#include <string>

#include "engine/modes/chaining.hpp"
#include "engine/modes/named_cipher.hpp"
#include "files/foreign/message_plan.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_wrong_length(Direction direction, const std::string& need) {
  if (direction == Direction::encrypt) throw Error(ErrorCode::usage, "the plaintext does not fit: " + need);
  throw Error(ErrorCode::truncated, "the ciphertext is truncated: " + need);
}

}  // namespace

std::string describe_broken_blocks(std::uint64_t num_bytes, std::size_t block_bytes) {
  constexpr std::size_t least_block_bytes = 8;
  const bool may_have_shorter = block_bytes > least_block_bytes && num_bytes % least_block_bytes == 0;
  return "the ciphertext is no whole blocks of " + std::to_string(block_bytes) + " bytes: it is cut short" +
         (may_have_shorter ? ", or of a cipher with blocks of 8 bytes, such as triple DES" : "") +
         ", or of a mode that takes any length, such as CTR";
}

void check_whole_blocks(std::uint64_t message_bytes, std::size_t block_bytes, Padding padding) {
  if (message_bytes % block_bytes != 0)
    throw Error(ErrorCode::truncated, describe_broken_blocks(message_bytes, block_bytes));
  if (message_bytes == 0 && can_check(padding)) throw_wrong_length(Direction::decrypt, "it is empty");
}

std::size_t take_padding_off(Piece& piece, Padding padding, std::size_t block_bytes) {
  if (piece.size == 0) return 0;
  const MutableBytes last_block = piece.buffer.subspan(piece.size - block_bytes, block_bytes);
  const std::size_t padding_bytes = block_bytes - remove_padding(padding, last_block);
  piece.size -= padding_bytes;
  return can_check(padding) ? padding_bytes : 0;
}

std::size_t piece_bytes_for(const CryptJob& job, bool on_gpu) {
  constexpr std::size_t pieces_on_gpu = 16;
  const std::size_t wanted = default_piece_bytes * (on_gpu ? pieces_on_gpu : 1);
  const std::size_t sector = job.sectors.sector_bytes;
  return sector == 0 ? wanted : std::max<std::size_t>(1, wanted / sector) * sector;
}

bool is_long_unit(const CryptJob& job, std::uint64_t message_bytes) {
  return job.mode == Mode::xts && job.sectors.sector_bytes == 0 && job.restart_bytes == 0 &&
         message_bytes > KeyedMode::most_unit_bytes;
}

MessageCipher::MessageCipher(const RawCipher& cipher, const CryptJob& job) : cipher_(cipher), job_(job), chain_(job.iv) {}

MessageCipher::~MessageCipher() { wipe_memory(chain_.bytes.data(), chain_.bytes.size()); }

bool MessageCipher::in_order() const { return !is_divisible(job_.mode, job_.direction); }

void MessageCipher::process(Piece& piece) {
  if (piece.last) check_length(piece.offset + piece.size);
  refuse_long_unit(piece.offset + piece.size);
  const bool padded = takes_padding(job_.mode) && piece.last;
  if (padded && job_.direction == Direction::encrypt) pad(piece);
  if (job_.sectors.sector_bytes != 0) {
    crypt_sectors(piece);
  } else if (job_.restart_bytes != 0) {
    crypt_restarted(piece);
  } else {
    crypt_range(piece);
  }
  if (padded && job_.direction == Direction::decrypt)
    checked_padding_bytes_ = take_padding_off(piece, job_.padding, cipher_.facts().block_bytes);
}

void MessageCipher::crypt_range(Piece& piece) {
  const MutableBytes text = piece.buffer.first(piece.size);
  if (text.empty()) return;
  if (!is_divisible(job_.mode, job_.direction)) {
    chain_ = cipher_.crypt_chained(job_.direction, chain_, text);
    return;
  }
  const bool chained = step_of(job_.mode, job_.direction).next == ChainUpdate::input;
  const ChainValue& iv = chained && piece.offset != 0 ? piece.preceding : job_.iv;
  cipher_.crypt_part(job_.direction, iv, piece.offset, text);
}

// The last unit is decrypted as its length asks: by ciphertext stealing, where it ends within a block.
void MessageCipher::crypt_restarted(Piece& piece) const {
  for (std::size_t done = 0; done < piece.size; done += job_.restart_bytes) {
    const std::size_t size = std::min(job_.restart_bytes, piece.size - done);
    cipher_.crypt_part(job_.direction, job_.iv, 0, piece.buffer.subspan(done, size));
  }
}

void MessageCipher::crypt_sectors(Piece& piece) const {
  const MutableBytes text = piece.buffer.first(piece.size);
  if (text.empty()) return;
  const SectorLayout& layout = job_.sectors;
  const std::uint64_t tweak = layout.first_tweak + piece.offset / layout.sector_bytes * layout.tweak_step;
  cipher_.crypt_sectors(job_.direction, tweak, layout, text);
}

void MessageCipher::pad(Piece& piece) const {
  const std::size_t block = cipher_.facts().block_bytes;
  const std::size_t used = piece.size % block;
  piece.size += pad_last_block(job_.padding, piece.buffer.subspan(piece.size - used, block), used) - used;
}

void MessageCipher::refuse_long_unit(std::uint64_t message_bytes) const {
  if (job_.direction == Direction::decrypt || job_.goes_on || !is_long_unit(job_, message_bytes)) return;
  throw Error(ErrorCode::policy,
              "the plaintext would be one data unit of XTS of more than 2^20 blocks (16 MiB), which its standard forbids: "
              "encrypt it by sectors");
}

void MessageCipher::check_units(std::uint64_t message_bytes) const {
  const std::size_t unit = job_.sectors.sector_bytes != 0 ? job_.sectors.sector_bytes : job_.restart_bytes;
  const std::uint64_t last = unit == 0 ? message_bytes : message_bytes % unit;
  const bool fits = (unit != 0 && last == 0) || last >= cipher_.facts().block_bytes;
  if (!fits) throw_wrong_length(job_.direction, "XTS needs at least 16 bytes in each data unit");
}

void MessageCipher::check_length(std::uint64_t message_bytes) const {
  refuse_long_unit(message_bytes);
  const std::size_t block = cipher_.facts().block_bytes;
  const std::string blocks = "whole blocks of " + std::to_string(block) + " bytes";
  if (job_.mode == Mode::xts) {
    check_units(message_bytes);
  } else if (takes_padding(job_.mode) && job_.direction == Direction::encrypt) {
    if (job_.padding == Padding::none && message_bytes % block != 0) {
      throw_wrong_length(job_.direction, "without padding it must be " + blocks + "; choose a padding");
    }
  } else if (takes_padding(job_.mode)) {
    check_whole_blocks(message_bytes, block, job_.padding);
  }
}

void MessageCipher::resume(std::uint64_t offset, const ChainValue& preceding) {
  if (offset == 0 || is_divisible(job_.mode, job_.direction)) return;
  if (job_.mode != Mode::ofb) {
    chain_ = preceding;
    return;
  }
  SecretBytes key_stream(default_piece_bytes);
  for (std::uint64_t done = 0; done < offset;) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(offset - done, key_stream.size()));
    const MutableBytes part = MutableBytes(key_stream).first(size);
    std::fill(part.begin(), part.end(), std::uint8_t{0});
    chain_ = cipher_.crypt_chained(Direction::encrypt, chain_, part);
    done += size;
  }
}

}  // namespace phalanx

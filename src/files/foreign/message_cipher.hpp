// This crypts a message piece by piece, in any bare mode. It chains one piece to the next, and does what the end needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <phalanx/files/foreign.hpp>
#include <string>

#include "engine/ciphers/direction.hpp"
#include "engine/modes/mode.hpp"
#include "files/foreign/message_decryptor.hpp"
#include "files/foreign/raw_cipher.hpp"
#include "files/pipeline/piece.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// Says what is done to a message, besides its key.
struct CryptJob {
  Direction direction = Direction::encrypt;
  Mode mode = Mode::ecb;
  ChainValue iv;                    ///< empty for ECB and XTS sectors
  Padding padding = Padding::none;  ///< ECB and CBC only
  SectorLayout sectors;             ///< XTS only
  std::size_t restart_bytes = 0;    ///< of XTS: the size of data units that all have one tweak; 0: all is one unit
  bool goes_on = false;             ///< was begun before: a data unit of XTS may have any length
};

/// Says whether a message of so many bytes is one data unit of XTS, of more than 2^20 blocks: IEEE 1619-2018 section 5.1, SP
/// 800-38E section 4.
[[nodiscard]] bool is_long_unit(const CryptJob& job, std::uint64_t message_bytes);

/// Says what is wrong with a ciphertext of so many bytes, which are no whole blocks.
[[nodiscard]] std::string describe_broken_blocks(std::uint64_t num_bytes, std::size_t block_bytes);

/// Throws Error (truncated) where a ciphertext of so many bytes is no whole blocks, or has none to hold its padding.
void check_whole_blocks(std::uint64_t message_bytes, std::size_t block_bytes, Padding padding);

/// Takes the padding off the last piece. Returns how many bytes of it were checked; 0 where its kind is not checked. Throws
/// Error (wrong_key) where it does not check.
std::size_t take_padding_off(Piece& piece, Padding padding, std::size_t block_bytes);

/// Returns the size of a job's pieces, a multiple of the sector. A GPU takes larger ones, so that copies and kernels
/// overlap.
[[nodiscard]] std::size_t piece_bytes_for(const CryptJob& job, bool on_gpu = false);

class MessageCipher : public MessageDecryptor {
 public:
  /// The cipher stays the caller's.
  MessageCipher(const RawCipher& cipher, const CryptJob& job);
  ~MessageCipher() override;
  MessageCipher(const MessageCipher&) = delete;
  MessageCipher& operator=(const MessageCipher&) = delete;

  [[nodiscard]] bool in_order() const override;

  /// Crypts a piece in place. The last is padded or loses its padding. Throws Error:
  /// - of a length that the mode or the padding does not take: usage when encrypting, truncated when decrypting
  /// - policy, where a long data unit is encrypted
  /// - wrong_key, where padding does not check
  void process(Piece& piece) override;

  [[nodiscard]] const std::string& engine() const override { return cipher_.engine(); }
  [[nodiscard]] const RawCipher& cipher() const { return cipher_; }
  [[nodiscard]] const CryptJob& job() const { return job_; }

  /// Returns a MessageCipher over the same cipher, for another job.
  [[nodiscard]] MessageCipher with(const CryptJob& job) const { return {cipher_, job}; }

  /// Continues a message of which the part before `offset` is done. `preceding` is the ciphertext block before it (CBC,
  /// CFB). OFB runs through the message's beginning again, since its state must be kept nowhere.
  void resume(std::uint64_t offset, const ChainValue& preceding);

  [[nodiscard]] std::size_t checked_padding_bytes() const override { return checked_padding_bytes_; }
  /// Takes the number from another process, which decrypted the last piece.
  void take_checked_padding(std::size_t num_bytes) { checked_padding_bytes_ = std::max(checked_padding_bytes_, num_bytes); }

  /// Throws as process does if a message of this length does not fit.
  void check_length(std::uint64_t message_bytes) const override;

 private:
  void refuse_long_unit(std::uint64_t message_bytes) const;
  void crypt_range(Piece& piece);
  void crypt_restarted(Piece& piece) const;
  void check_units(std::uint64_t message_bytes) const;
  void crypt_sectors(Piece& piece) const;
  void pad(Piece& piece) const;

  const RawCipher& cipher_;
  CryptJob job_;
  std::size_t checked_padding_bytes_ = 0;
  ChainValue chain_;  // of a serial mode; OFB's is key stream
};

}  // namespace phalanx

// This decrypts a part of a bare message alone.
#pragma once

#include <cstdint>

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/message_files.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/pipeline/slice.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Throws Error (usage), with the reason, for a mode or a cipher of which no part can be decrypted alone.
void require_ranges(Mode mode);
void require_ranges(const ForeignCipher& cipher);

/// Decrypts a part of a message without the rest of it. Only the blocks or sectors that the part lies in are read, and the
/// block before them, which CBC and CFB need.
class MessageRange {
 public:
  /// The message is what is left of the watched input, and `cipher` decrypts it. Both stay the caller's. Where the slice may
  /// reach into padding, the last block is decrypted first, to find where that begins. Throws Error:
  /// - usage, as require_ranges does, where the input cannot seek, or where the slice reaches beyond the end of the
  ///   plaintext
  /// - truncated, where the end is reached, and the message's length is one that its mode does not have
  /// - wrong_key, where padding does not check
  MessageRange(const MessageCipher& cipher, InputWatch& watch, const Slice& slice);

  /// Returns the size of the slice.
  [[nodiscard]] std::uint64_t num_bytes() const { return end_ - begin_; }

  /// Returns how many bytes of ciphertext are decrypted for it.
  [[nodiscard]] std::uint64_t read_bytes() const { return end_of_reading_ - first_read_; }

  /// Returns where what is decrypted for it ends, in the message.
  [[nodiscard]] std::uint64_t end_of_reading() const { return end_of_reading_; }

  /// Decrypts the slice, and commits the output, which is open. Throws as MessageCipher, InputWatch and Output do.
  void decrypt(Output& output, const RunOptions& options, const MessageNews& news, Progress& progress) const;

 private:
  [[nodiscard]] bool may_reach_padding(const Slice& slice) const;
  [[nodiscard]] std::uint64_t find_plain_bytes() const;
  void set_slice(const Slice& slice, std::uint64_t plain_bytes);
  void set_read_part();
  void run(Output& output, const RunOptions& options, Progress& progress) const;

  MessageCipher cipher_;  // which removes no padding
  const MessageCipher& whole_;
  InputWatch& watch_;
  Input& input_;
  std::uint64_t position_;                             // of the message in the input
  std::uint64_t message_bytes_;                        // of ciphertext
  std::uint64_t begin_ = 0, end_ = 0;                  // of the slice, in the message
  std::uint64_t first_read_ = 0, end_of_reading_ = 0;  // what is decrypted for it
};

}  // namespace phalanx

// Going on with a file of plaintext that a killed run of `decrypt` left.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/secret_bytes.hpp"
#include "io/byte_stream.hpp"
#include "io/output.hpp"

namespace phalanx {

/// Compares what is written with what OUT.phalanx-partial holds already, and writes what it does not hold. Blocks of zeros
/// in it, which a crash of the system leaves where data had not reached the disk, are written anew once all else is known to
/// agree; any other difference is an Error (usage), and then nothing was written.
/// Decrypting seals nothing, so that nothing needs to be recorded: all of the plaintext is made once more, and compared.
class ResumedPlaintext : public ByteSink {
 public:
  /// `output` is open, and was opened to resume a file.
  explicit ResumedPlaintext(Output& output) : file_(*output.file()) {}

  void write(Bytes in) override;
  void finish() override;

 private:
  struct LostBlock {
    std::uint64_t position;
    SecretBytes content;
  };

  void compare(Bytes in, Bytes found);
  void keep_lost(std::uint64_t position, Bytes content);
  void write_lost();

  AtomicFile& file_;
  std::uint64_t position_ = 0;
  SecretBytes found_;
  std::vector<LostBlock> lost_;
  std::size_t lost_bytes_ = 0;
};

}  // namespace phalanx

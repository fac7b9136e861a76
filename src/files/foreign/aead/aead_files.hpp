// This seals IN as OUT by an AEAD alone, and opens it again. Nothing unverified is ever written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/aead/aead_in_parts.hpp"
#include "files/foreign/aead/aead_layout.hpp"
#include "files/foreign/aead/aead_readings.hpp"
#include "files/foreign/aead/aead_stages.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Holds all of an AEAD's message but its key.
struct AeadPlan {
  std::string name;     ///< of the AEAD, as the catalog has it
  AeadLayout layout{};  ///< to seal: a nonce is the caller's, or drawn where none is given, and the tag stands behind
  std::vector<std::uint8_t> associated_data{};
  RunOptions options{};
  std::string doubted_settings{};  ///< which settings may be wrong where a tag does not verify, for messages
};

/// Tells the caller of a run over a message. Functions may be empty.
struct AeadNews {
  std::function<void(const AeadInParts& message)> on_begun{};      ///< nothing is written yet
  std::function<void(const std::string& what)> on_input_change{};  ///< all was read: what became of IN, if anything did
};

/// Encrypts what the watched input has left, and commits the output, which is not open yet. A nonce that is drawn is written
/// before the ciphertext, and the tag behind it. Returns the bytes of plaintext. All stay the caller's. Throws Error: as
/// check_aead_length, before anything is written where the length is known then; as InputWatch and Output do.
std::uint64_t seal_aead_file(const AeadPlan& plan, Bytes key, InputWatch& watch, Output& output, const AeadNews& news,
                             Progress& progress);

/// Opens a message by reading it twice: once for its tag, and once more to decrypt it. No piece is written that is not as it
/// was when the tag was verified. An input that cannot seek is kept meanwhile, as ciphertext (spool.hpp).
class AeadFile {
 public:
  /// Finds nonce and tag. Plan and input stay the caller's. Throws Error: as find_aead_parts, spool and AeadInParts do.
  AeadFile(const AeadPlan& plan, Bytes key, Input& input);

  [[nodiscard]] const AeadInParts& message() const { return *message_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return parts_.num_bytes; }  ///< of ciphertext, and of plaintext

  /// Reads the message for its tag. Throws Error (authentication) where that does not verify.
  void verify(Progress& progress);
  /// Reads a verified message again, decrypts it, and commits the output, which is open. Throws as AeadOpening and Output
  /// do.
  void decrypt(Output& output, Progress& progress);

 private:
  [[nodiscard]] FilePieces pieces() const;

  const AeadPlan& plan_;
  Input& given_;
  std::optional<Input> spooled_;
  AeadParts parts_;
  std::optional<AeadInParts> message_;
  std::optional<AeadReadings> readings_;
};

}  // namespace phalanx

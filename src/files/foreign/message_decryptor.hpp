// A foreign message is decrypted piece by piece through this interface, by the engine or by libcrypto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/options.hpp>
#include <string>

#include "files/pipeline/run_executor.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

struct CryptJob;
struct ForeignCipher;

/// MessageDecryptor::engine says this where libcrypto decrypts.
inline constexpr const char* libcrypto_engine = "cpu:libcrypto";

class MessageDecryptor : public PipelineStage {
 public:
  /// Returns the engine that runs the cipher: "cpu:avx2", "cuda:0" or "cpu:libcrypto".
  [[nodiscard]] virtual const std::string& engine() const = 0;

  /// Throws Error if a ciphertext of this length does not fit: truncated, or format where GCM has no message so long.
  virtual void check_length(std::uint64_t message_bytes) const = 0;

  /// Returns how many bytes of padding were checked and taken off the last piece; 0 before, or where nothing is checked.
  [[nodiscard]] virtual std::size_t checked_padding_bytes() const { return 0; }
};

/// Makes the stage that decrypts the job under the key, which has the cipher's length; `cipher` is one of the engine or of
/// libcrypto. Throws Error: usage for an engine that is not here, runtime where libcrypto's provider cannot be loaded.
[[nodiscard]] std::unique_ptr<MessageDecryptor> make_decryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job,
                                                               const RunOptions& options);

}  // namespace phalanx

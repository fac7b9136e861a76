// These are the AEADs of OpenPGP (RFC 9580, section 9.6), which open chunks.
#pragma once

#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/options.hpp>
#include <string>

#include "files/foreign/openpgp/algorithms.hpp"
#include "files/pipeline/run_executor.hpp"

namespace phalanx {

/// Opens messages under one key. Any number of threads may do so at once.
class ChunkAead {
 public:
  static constexpr std::size_t tag_bytes = 16;

  virtual ~ChunkAead() = default;

  /// Decrypts in place. Returns whether the tag is right; where it is not, the text is undefined.
  [[nodiscard]] virtual bool open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const = 0;

  /// Returns the engine that runs the cipher: "cpu:avx2".
  [[nodiscard]] virtual const std::string& engine() const = 0;
};

/// Makes an AEAD under a key, which has the cipher's size. Throws Error (format) for a cipher that the engine does not have
/// or whose blocks have not 16 bytes, and as RawCipher's constructor does.
[[nodiscard]] std::unique_ptr<ChunkAead> make_chunk_aead(const OpenPgpCipher& cipher, OpenPgpAead aead, Bytes key,
                                                         const RunOptions& options);

}  // namespace phalanx

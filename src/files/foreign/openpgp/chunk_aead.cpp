#include "files/foreign/openpgp/chunk_aead.hpp"

#include <phalanx/aead.hpp>
#include <phalanx/error.hpp>

#include "files/foreign/openpgp/eax.hpp"
#include "files/foreign/openpgp/ocb.hpp"

namespace phalanx {
namespace {

class GcmChunks : public ChunkAead {
 public:
  GcmChunks(const OpenPgpCipher& cipher, Bytes key, const EngineOptions& options)
      : aead_(cipher.name + "-gcm", key, options) {}

  bool open(Bytes nonce, Bytes associated_data, MutableBytes text, Bytes tag) const override {
    try {
      aead_.open(nonce, associated_data, text, text, tag);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::authentication) throw;
      return false;
    }
  }
  [[nodiscard]] const std::string& engine() const override { return aead_.engine(); }

 private:
  Aead aead_;
};

}  // namespace

std::unique_ptr<ChunkAead> make_chunk_aead(const OpenPgpCipher& cipher, OpenPgpAead aead, Bytes key,
                                           const RunOptions& options) {
  const bool is_of_engine = cipher.name.starts_with("aes-") || cipher.name.starts_with("twofish-");
  const bool is_read = is_of_engine || (aead == OpenPgpAead::ocb && cipher.name.starts_with("camellia-"));
  if (!is_read) {
    throw Error(ErrorCode::format,
                "it is encrypted by " + cipher.name + "-" + name_of(aead) + ", which is not read: gpg -d may open it");
  }
  switch (aead) {
    case OpenPgpAead::ocb:
      return std::make_unique<Ocb>(cipher.name, key, options);
    case OpenPgpAead::eax:
      return std::make_unique<Eax>(cipher.name, key, options);
    case OpenPgpAead::gcm:
      break;
  }
  return std::make_unique<GcmChunks>(cipher, key, options);
}

}  // namespace phalanx

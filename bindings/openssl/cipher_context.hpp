// A message under way: what OpenSSL calls a cipher's context. Each manner of served_ciphers.hpp has a class of its own.
#pragma once

#include <openssl/core.h>

#include <memory>
#include <span>
#include <vector>

#include "core_calls.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/host/wiped_memory.hpp"
#include "served_ciphers.hpp"

namespace phalanx {

/// Bytes that are wiped when they go, and may be copied until then.
template <std::size_t size>
struct KeptBytes {
  alignas(16) std::uint8_t bytes[size] = {};
  KeptBytes() = default;
  KeptBytes(const KeptBytes&) = default;
  KeptBytes& operator=(const KeptBytes&) = default;
  ~KeptBytes() { wipe_memory(bytes, size); }
};

/// Where a call puts its result.
struct Output {
  std::uint8_t* data;    ///< nullptr, to an AEAD: the input is associated data
  std::size_t* written;  ///< how many bytes the result is
  std::size_t room;
};

class CipherContext;

/// What an update of one of several messages gets.
struct Piece {
  CipherContext* message;
  Output out;
  Bytes in;
};

class CipherContext {
 public:
  CipherContext(const Provider& provider, const ServedCipher& served) : provider_(&provider), served_(&served) {}
  CipherContext& operator=(const CipherContext&) = delete;
  virtual ~CipherContext() = default;

  [[nodiscard]] virtual std::unique_ptr<CipherContext> copy() const = 0;

  // Each of these returns false where it fails, as OpenSSL's do, with an error in its queue; or throws where the engine
  // does.
  /// Begins a message. What is nullptr stays as it was: the key, the iv.
  virtual bool start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                     std::size_t iv_bytes) = 0;
  /// EVP_CipherUpdate, EVP_CipherFinal, and EVP_Cipher, which crypts a piece whatever was kept.
  virtual bool update(const Output& out, Bytes in) = 0;
  virtual bool finish(const Output& out) = 0;
  virtual bool crypt(const Output& out, Bytes in) = 0;
  virtual bool get(OSSL_PARAM* parameters) = 0;
  virtual bool set(const OSSL_PARAM* parameters) = 0;
  /// Updates messages under the same key: the contexts are of this one's class, and have its cipher and direction. Where each
  /// block waits for the one before, they fill the lanes together.
  virtual bool update_together(std::span<const Piece> pieces);

  /// The messages of a pipeline (EVP_CipherPipelineEncryptInit), each a context of its own; none: this is a message itself.
  std::vector<std::unique_ptr<CipherContext>> pipes;

 protected:
  CipherContext(const CipherContext& other);

  [[nodiscard]] const Provider& provider() const { return *provider_; }
  [[nodiscard]] const ServedCipher& served() const { return *served_; }
  bool fail(int reason) const { return provider_->fail(reason); }

  /// Lets `write` answer the parameter of that name, if it is asked for.
  template <class Write>
  bool answer(OSSL_PARAM* parameters, const char* name, const Write& write) const;
  /// Lets `take` have the parameter of that name, if it is given. `reason` is what is told where `take` returns false.
  template <class Take>
  bool accept(const OSSL_PARAM* parameters, const char* name, int reason, const Take& take) const;

 private:
  const Provider* provider_;
  const ServedCipher* served_;
};

/// Makes a context of the cipher's manner.
std::unique_ptr<CipherContext> make_context(const Provider& provider, const ServedCipher& served);

/// Whether some bytes of `in` are where others of `out` go: not the same place, and not disjoint.
inline bool overlap_partly(const std::uint8_t* in, const std::uint8_t* out, std::size_t num_bytes) {
  const auto distance = reinterpret_cast<std::uintptr_t>(out) - reinterpret_cast<std::uintptr_t>(in);
  return distance != 0 && (distance < num_bytes || ~distance + 1 < num_bytes);
}

}  // namespace phalanx

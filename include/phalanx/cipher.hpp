// A cipher in one mode under a key: messages, parts of them, many at once; sectors; a GPU's memory. phalanx.hpp has the conventions.
#pragma once

#include <array>
#include <memory>
#include <phalanx/catalog.hpp>

#pragma GCC visibility push(default)
namespace phalanx {

/// An iv, counter or ciphertext block from which a message continues; `size` is the cipher's block, 0 for ECB.
struct ChainValue {
  std::array<std::uint8_t, 16> bytes{};
  std::size_t size = 0;
  [[nodiscard]] operator Bytes() const { return {bytes.data(), size}; }  // NOLINT(google-explicit-constructor)
};

/// One message of a batch.
struct Message {
  Bytes iv;          ///< as for Cipher::encrypt
  Bytes in;          ///< as for Cipher::encrypt
  MutableBytes out;  ///< same size as `in`
  Bytes key;         ///< this message's own key; empty: the key of the Cipher
};

/// Every mode but GCM, which is Aead's.
class Cipher {
 public:
  /// `name` is cipher-mode, as cipher_facts takes it: "des-ede3-cbc", "aes-256-ctr", "serpent-256-xts".
  /// `key` has facts().key_bytes; for XTS it is the data key and then the tweak key.
  Cipher(std::string_view name, Bytes key, const Options& options = {});
  ~Cipher();
  Cipher(Cipher&&) noexcept;
  Cipher& operator=(Cipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;  ///< what runs it, e.g. "cpu:avx512"

  /// Crypts one message. ECB and CBC take whole blocks; CTR, CFB and OFB any length; XTS is one data unit of at least a
  /// block (IEEE 1619, ciphertext stealing), `iv` its tweak. Returns the iv with which the message continues, if `in`
  /// was whole blocks (ECB, XTS: empty).
  ChainValue encrypt(Bytes iv, Bytes in, MutableBytes out) const;
  ChainValue decrypt(Bytes iv, Bytes in, MutableBytes out) const;

  /// The part of a message that starts `offset` bytes from its beginning, where parts are independent (facts): ECB, CTR, XTS,
  /// and CBC and CFB decryption. `offset` is a multiple of the block (CTR: anything). `iv` is the whole message's; for CBC and
  /// CFB it is the ciphertext block that precedes the part (at offset 0 the message's iv).
  /// XTS: only the last part may have a length that is not whole blocks, and it then holds at least one whole block.
  void encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;
  void decrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;

  /// Many messages, each with its own iv and perhaps its own key, filling all lanes together: how CBC, CFB and OFB
  /// encryption become parallel. All are checked before any is crypted.
  void encrypt_batch(std::span<const Message> messages) const;
  void decrypt_batch(std::span<const Message> messages) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// XTS over consecutive sectors of a volume, each its own data unit.
class SectorCipher {
 public:
  /// "aes-256-xts", with the data key and then the tweak key.
  SectorCipher(std::string_view name, Bytes key, const Options& options = {});
  ~SectorCipher();
  SectorCipher(SectorCipher&&) noexcept;
  SectorCipher& operator=(SectorCipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;

  /// The tweak of sector i is first_tweak + i * tweak_step, little-endian (dm-crypt's plain64 with 4096-byte sectors steps by 8).
  /// sector_bytes is a multiple of 16. The last sector may be shorter (16 bytes at least).
  void encrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
               MutableBytes out) const;
  void decrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
               MutableBytes out) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// Data in a GPU's memory, in the modes whose parts are independent.
class DeviceCipher {
 public:
  /// `options.engine` is "cuda", which an empty one means too, or "cuda:N".
  DeviceCipher(std::string_view name, Bytes key, const Options& options = {});
  ~DeviceCipher();  ///< not before the work of its calls is done
  DeviceCipher(DeviceCipher&&) noexcept;
  DeviceCipher& operator=(DeviceCipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;
  [[nodiscard]] const std::string& engine() const;

  /// Cipher::encrypt_part, of whole blocks but for the end of a message in CTR and CFB. `in` and `out` are aligned to a block and
  /// on one GPU of the engine. `iv` is in the host's memory and read at once. `stream` is a cudaStream_t of that GPU, nullptr its
  /// default stream: the work is enqueued there, behind other work of the library with the same cipher on that GPU, and the call
  /// returns without waiting. An error of the GPU shows when the stream is synchronised. Only a cipher's first call allocates
  /// memory.
  void encrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
               void* stream = nullptr) const;
  void decrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
               void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop

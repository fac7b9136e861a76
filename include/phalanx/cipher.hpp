// This header has a bare cipher in one mode under a key: for messages, parts of messages, batches, sectors, and data in a
// GPU's memory. Nothing here authenticates: aead.hpp and container.hpp do. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <array>
#include <memory>
#include <phalanx/catalog.hpp>
#include <phalanx/device_batch.hpp>

#pragma GCC visibility push(default)
namespace phalanx {
struct __attribute__((visibility("hidden"))) KeyedMode;  // inside the library

inline namespace PHALANX_VERSION_NAMESPACE {

/// This is the iv with which a message continues: a ciphertext block or a counter. `size` is the cipher's block; 0 means
/// that there is none.
struct ChainValue {
  std::array<std::uint8_t, 16> bytes{};
  std::size_t size = 0;
  [[nodiscard]] operator Bytes() const { return {bytes.data(), size}; }  // NOLINT(google-explicit-constructor)
};

class Cipher;

/// Describes one message of a batch.
struct Message {
  Bytes iv;          ///< as for Cipher::encrypt
  Bytes in;          ///< as for Cipher::encrypt
  MutableBytes out;  ///< same size as `in`; overlaps no other message of the batch
  Bytes key;         ///< this message's own key; empty: the key of the Cipher
  /// This is used instead of `key`: a Cipher of the same name and engine as that of the batch, whose key is this message's.
  /// If no message of a batch has a `key`, keys of AES are not expanded again.
  const Cipher* cipher = nullptr;
};

/// Has permissions of a cipher that new data does not need.
struct CipherPolicy {
  /// Allows to encrypt with DES, 2DES and 3DES in any mode, and with any cipher in ECB. Without it that is an Error
  /// (policy). Decrypting needs no permission. NIST has withdrawn triple DES for encryption (SP 800-131A revision 2), and
  /// ECB shows which blocks are equal.
  bool allow_legacy = false;
};

/// Encrypts and decrypts with a cipher in any mode but GCM, for which there is Aead. It authenticates nothing: somebody who
/// can change the ciphertext can change the plaintext, and no call sees it. It is for data whose format is given; new data
/// is better off in an Aead or a container. To encrypt with DES, 2DES or 3DES, or in ECB, throws Error (policy), unless the
/// cipher was made with CipherPolicy::allow_legacy. Decrypting needs no permission. No call can check these duties of the
/// caller:
/// - An iv of CBC is unpredictable, and that of CTR or OFB gives no block of key stream twice under a key (SP 800-38A,
///   appendices B and C). The counter of CTR is the whole block and wraps. So ivs under a key are further apart than the
///   messages between them are long.
/// - In CBC, CFB and OFB two equal blocks of ciphertext, or of key stream, are likely after 2^(n/2) blocks of n bits under
///   one key. That is 32 GiB where n is 64. In CBC and CFB equal blocks give away the XOR of two blocks of plaintext. Stay
///   far below.
/// - In XTS no two data units have one tweak under a key.
class Cipher {
 public:
  /// `name` is cipher-mode, as cipher_facts takes it: "des-ede3-cbc", "aes-256-ctr", "serpent-256-xts".
  /// `key` has facts().key_bytes bytes; for XTS it is the data key and then the tweak key. A key with two equal halves (FIPS
  /// 140-3 IG C.I) decrypts; encrypting throws Error (policy). Weak keys of DES are not looked for (SP 800-67, section
  /// 3.3.2).
  Cipher(std::string_view name, Bytes key, const EngineOptions& options = {}, const CipherPolicy& policy = {});
  ~Cipher();
  Cipher(Cipher&&) noexcept;
  Cipher& operator=(Cipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs it, e.g. "cpu:avx512"

  /// Encrypt or decrypt one message. ECB and CBC take whole blocks; CTR, CFB and OFB take any length. In XTS the message is
  /// one data unit of at least a block (IEEE 1619, with ciphertext stealing), and `iv` is its tweak. To encrypt, the unit
  /// has at most 2^20 blocks, 16 MiB (IEEE 1619-2018, section 5.1; SP 800-38E, section 4). A longer one throws Error
  /// (policy). `iv` has facts().iv_bytes bytes. Returns the iv with which the message continues, if `in` was whole blocks;
  /// in ECB and XTS there is none.
  ChainValue encrypt(Bytes iv, Bytes in, MutableBytes out) const;
  ChainValue decrypt(Bytes iv, Bytes in, MutableBytes out) const;

  /// Encrypt or decrypt the part of a message that starts `offset` bytes from its beginning, where parts are independent
  /// (see facts): ECB, CTR, XTS, and CBC and CFB decryption. `offset` is a multiple of the block, except in CTR, which takes
  /// any. `iv` is the whole message's. In CBC and CFB it is the ciphertext block before the part, or the message's iv at
  /// offset 0.
  /// In XTS only the last part may have a length that is not whole blocks, and it then holds at least one whole block. To
  /// encrypt, a part ends within the first 16 MiB of its data unit; else it throws Error (policy).
  void encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;
  void decrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;

  /// Encrypt or decrypt many messages, each with its own iv and perhaps its own key or Cipher. The policy of this Cipher
  /// alone says whether they may be encrypted. They fill all lanes together, and this is how CBC, CFB and OFB encryption run
  /// in parallel. All are checked before any is encrypted or decrypted.
  /// The caller limits how much one key encrypts over this batch and other calls: nothing here counts it. A key of triple
  /// DES encrypts no more than 2^20 blocks, 8 MiB (SP 800-67 revision 2, section 3.1).
  void encrypt_batch(std::span<const Message> messages) const;
  void decrypt_batch(std::span<const Message> messages) const;

 private:
  friend KeyedMode;
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// Encrypts and decrypts XTS over consecutive sectors of a volume, each of which is a data unit of its own.
class SectorCipher {
 public:
  /// `name` is "aes-256-xts", for example, and `key` is the data key and then the tweak key.
  SectorCipher(std::string_view name, Bytes key, const EngineOptions& options = {}, const CipherPolicy& policy = {});
  ~SectorCipher();
  SectorCipher(SectorCipher&&) noexcept;
  SectorCipher& operator=(SectorCipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs it, e.g. "cpu:avx512"

  /// The tweak of sector i is first_tweak + i * tweak_step, little-endian (dm-crypt's plain64 with 4096-byte sectors steps
  /// by 8). sector_bytes is a multiple of 16. To encrypt, it is at most 16 MiB and the key's two halves differ; else it
  /// throws Error (policy), as Cipher does. The last sector may be shorter, but has at least 16 bytes.
  void encrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
               MutableBytes out) const;
  void decrypt(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
               MutableBytes out) const;

 private:
  friend KeyedMode;
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// Encrypts and decrypts data in a GPU's memory: parts of a message, in the modes whose parts are independent, and batches
/// in every mode.
class DeviceCipher {
 public:
  /// `options.engine` is "cuda" or "cuda:N"; empty means "cuda" here. `policy` is as for Cipher.
  DeviceCipher(std::string_view name, Bytes key, const EngineOptions& options = {}, const CipherPolicy& policy = {});
  ~DeviceCipher();  ///< waits until the work of all its calls is done
  DeviceCipher(DeviceCipher&&) noexcept;
  DeviceCipher& operator=(DeviceCipher&&) noexcept;

  [[nodiscard]] const CipherFacts& facts() const;   ///< what is true of its name
  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs it, e.g. "cuda:0"

  /// Encrypt or decrypt a part as Cipher::encrypt_part does, but in whole blocks: only the end of a message, in CTR and CFB,
  /// may be shorter. `in` and `out` are aligned to a block and lie on one GPU of the engine. `iv` is in the host's memory
  /// and is read before the call returns. `stream` is a cudaStream_t of that GPU, or nullptr for its default stream. The
  /// work is enqueued there, behind the library's other work with the same cipher on that GPU, and the call does not wait
  /// for it. An error of the GPU shows when the stream is synchronised. Only the first call with a cipher on a GPU allocates
  /// memory.
  void encrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
               void* stream = nullptr) const;
  void decrypt(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
               void* stream = nullptr) const;

  /// Encrypt or decrypt many messages, each with its own iv and perhaps its own key. Lengths are as for Cipher::encrypt.
  /// Messages may lie at any address; at multiples of the block they are faster. A batch has no tags and no associated data.
  /// A mistake that the host can see throws Error (usage) at the call. Offsets, lengths and ivs are copied and checked on
  /// the GPU before anything is written, and only the copies are used. So no byte outside `out` is written, whatever they
  /// say. If any is out of place, or has a length that the mode does not take, all are DeviceVerdict::misplaced, and nothing
  /// is written. In XTS such a length is more than 16 MiB to encrypt. A message's own key of XTS is not checked for two
  /// equal halves here.
  /// If blocks are independent, messages are cut to fill the GPU. The encryption of CBC and CFB, and OFB, take tens of
  /// thousands of messages, of about one length, to fill it.
  /// The first two wait, and throw as DeviceVerdicts::wait does. The others do not wait.
  void encrypt_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  void decrypt_batch(const DeviceBatch& batch, void* stream = nullptr) const;
  [[nodiscard]] DeviceVerdicts encrypt_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;
  [[nodiscard]] DeviceVerdicts decrypt_batch_async(const DeviceBatch& batch, void* stream = nullptr) const;

  /// Encrypt or decrypt sectors of XTS, as SectorCipher does. The work is enqueued, as by encrypt(). Scattered sectors are a
  /// batch.
  void encrypt_sectors(const DeviceSectors& sectors, void* stream = nullptr) const;
  void decrypt_sectors(const DeviceSectors& sectors, void* stream = nullptr) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

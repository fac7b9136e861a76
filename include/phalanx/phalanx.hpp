// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface.
//
// Sizes are in bytes. `in` and `out` may be the same memory (in place) or disjoint; any other overlap is an error that is
// not detected. Every function of a const object may be called from several threads at once. Failures throw Error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // the interface is all that a shared library exports
namespace phalanx {

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

/// What went wrong. The values are the exit codes of the program `phalanx`.
enum class ErrorCode : int {
  runtime = 1,         ///< input/output or another failure of the machine
  usage = 2,           ///< an argument does not fit, or input is not of the stated format
  authentication = 3,  ///< a tag does not verify
  wrong_key = 4,       ///< wrong key or passphrase, or padding that does not check
  truncated = 5,       ///< the input ends too early
  policy = 6,          ///< refused: legacy cipher, weak key, cost
};

/// The one exception type of the library: what() is one line that says what is wrong and what to do. Control characters, which a
/// name that it repeats may hold, become '?'.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(one_line(message)), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  static std::string one_line(std::string text) {
    for (char& character : text) {
      if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = '?';
    }
    return text;
  }

  ErrorCode code_;
};

/// Where and how wide to run. Nothing falls back silently: an engine that cannot run here is an Error (usage).
struct Options {
  std::string engine;   ///< "auto", "cpu", "cpu:avx2", ...; empty: $PHALANX_ENGINE, else "auto"
  int num_threads = 0;  ///< 0: all cores that this process may use
};

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

/// A keyed cipher in one mode: immutable, shared by threads. Its key is wiped from memory when it is destroyed.
class Cipher {
 public:
  /// `name` is cipher-mode, case ignored: "des-ede3-cbc", "aes-256-ctr", "serpent-256-xts", "twofish-128-gcm".
  /// `key` holds exactly key_bytes() bytes; for XTS the data key and then the tweak key (together twice the cipher's key).
  Cipher(std::string_view name, Bytes key, const Options& options = {});
  ~Cipher();
  Cipher(Cipher&&) noexcept;
  Cipher& operator=(Cipher&&) noexcept;

  [[nodiscard]] const std::string& name() const;    ///< the canonical name, e.g. "des-ede3-cbc"
  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs it, e.g. "cpu:avx512"
  [[nodiscard]] std::size_t key_bytes() const;
  [[nodiscard]] std::size_t block_bytes() const;  ///< 8 or 16
  [[nodiscard]] std::size_t iv_bytes() const;     ///< 0 for ECB, 12 for GCM (which takes any size from 1), else the block

  /// Crypts one message. ECB and CBC take whole blocks; CTR, CFB and OFB any length; XTS is one data unit of at least a
  /// block (IEEE 1619, ciphertext stealing), `iv` its tweak. Returns the iv with which the message continues, if `in`
  /// was whole blocks (ECB, XTS: empty).
  ChainValue encrypt(Bytes iv, Bytes in, MutableBytes out) const;
  ChainValue decrypt(Bytes iv, Bytes in, MutableBytes out) const;

  /// The part of a message that starts `offset` bytes from its beginning, for the modes in which parts are independent:
  /// ECB, CTR, XTS, and CBC and CFB decryption. `offset` is a multiple of the block (CTR: anything). `iv` is the whole
  /// message's; for CBC and CFB it is the ciphertext block that precedes the part (at offset 0 the message's iv).
  /// XTS: only the last part may have a length that is not whole blocks, and it then holds at least one whole block.
  void encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;
  void decrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const;

  /// encrypt_part and decrypt_part of data in a GPU's memory: engine "cuda" or "cuda:N" only. Whole blocks, but for the end of a
  /// message in CTR and CFB; `in` and `out` are aligned to a block, the same or disjoint, and on one GPU of the engine; `iv` is in
  /// the host's memory and read at once.
  /// `stream` is a cudaStream_t of that GPU, nullptr its default stream. The work is enqueued there, behind other work of the
  /// library with the same cipher on that GPU, and the call returns without waiting: an error of the GPU shows when the stream
  /// is synchronised. No memory is allocated after a cipher's first call. Until the work is done the Cipher must live.
  void encrypt_on_device(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                         void* stream = nullptr) const;
  void decrypt_on_device(Bytes iv, std::uint64_t offset, const void* in, void* out, std::size_t num_bytes,
                         void* stream = nullptr) const;

  /// XTS over consecutive sectors, each its own data unit: the tweak of sector i is first_tweak + i * tweak_step,
  /// little-endian (dm-crypt's plain64 with 4096-byte sectors steps by 8). The last sector may be shorter (>= 16 bytes).
  void encrypt_sectors(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                       MutableBytes out) const;
  void decrypt_sectors(std::uint64_t first_tweak, std::uint64_t tweak_step, std::size_t sector_bytes, Bytes in,
                       MutableBytes out) const;

  /// Many messages, each with its own iv and perhaps its own key, filling all lanes together: how CBC, CFB and OFB
  /// encryption become parallel. Every mode but GCM.
  void encrypt_batch(std::span<const Message> messages) const;
  void decrypt_batch(std::span<const Message> messages) const;

  /// GCM (SP 800-38D): `tag` is 16 bytes (open takes 12 to 16). open writes no plaintext unless the tag fits; a tag
  /// that does not is an Error (authentication).
  void seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const;
  void open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// One engine or kernel, as `phalanx engines` shows it.
struct EngineInfo {
  std::string name;         ///< what Options::engine takes
  std::string description;  ///< the instructions or the device behind it
  bool usable = false;
  std::string reason;  ///< why it is not usable here; empty if it is
};

/// Every engine that this build knows, usable here or not.
[[nodiscard]] std::vector<EngineInfo> engines();

/// Runs known answers of every cipher and mode through the named engine. Throws Error (runtime) naming the first that fails.
void self_test(std::string_view engine_name);

/// Every cipher name, without a mode: "des", "2des", ..., "twofish-256"; and every mode name.
[[nodiscard]] std::vector<std::string> cipher_names();
[[nodiscard]] std::vector<std::string> mode_names();

/// The version of the library, "1.2.3".
[[nodiscard]] const char* version();

}  // namespace phalanx
#pragma GCC visibility pop

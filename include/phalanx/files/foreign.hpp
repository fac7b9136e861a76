// This header reads old ciphertext: bare ciphers and modes, without a header or a tag, and the files of `openssl enc`.
// phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <phalanx/files/padding.hpp>
#include <phalanx/options.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Describes the sectors of a volume in XTS, each of which is a data unit. The tweak of sector i is first_tweak + i *
/// tweak_step.
struct SectorLayout {
  std::size_t sector_bytes = 0;  ///< a multiple of 16, up to 1 MiB; 0: the message is one data unit
  std::uint64_t first_tweak = 0;
  std::uint64_t tweak_step = 1;
};

/// Says how foreign data was written. The spans are the caller's memory.
struct ForeignFormat {
  /// This is a cipher and a mode, such as "des-ede3-cbc", and never GCM. With a passphrase it may also be a name of `openssl
  /// enc`: "des3". Names such as "bf" and "aes-128-cfb8" are read and not written: docs/old_ciphers.md lists them.
  std::string cipher{};
  Padding padding = Padding::pkcs7;  ///< for ECB and CBC; the other modes have none
  Bytes key{};                       ///< cipher_facts(cipher).key_bytes bytes; empty: it comes from `passphrase`

  Bytes iv{};                   ///< empty for ECB and sectors, and where it comes from the data or the passphrase
  bool begins_with_iv = false;  ///< the data begins with its iv
  SectorLayout sectors{};       ///< XTS only

  /// This is the passphrase of `openssl enc`, byte for byte. For a file, -pass file: takes the first line with a CR before
  /// its LF, up to a zero byte, and 1023 bytes at most.
  Bytes passphrase{};
  bool passphrase_is_empty = false;  ///< the passphrase is the empty one: there is neither `key` nor `passphrase`
  OpensslDerivation derivation{};    ///< how `openssl enc` made the key
  bool find_digest = false;          ///< find the digest, by the padding; only in files
  bool salted = true;                ///< with a passphrase: the data begins with "Salted__" and the salt
  std::size_t salt_bytes = 8;        ///< the salt's size, which -saltlen of OpenSSL 3.2 sets: 1 to 16, with PBKDF2
  Bytes salt{};                      ///< -S of OpenSSL 3: the salt, with which the data does not begin
  bool base64 = false;               ///< the data is base64, as `openssl enc -a` writes it
};

/// Reads the next bytes into `out` and returns how many: fewer than out.size() only at the end. Throws if it fails.
using ReadNext = std::function<std::size_t(MutableBytes out)>;

/// Decrypts foreign data from its beginning to its end. Nothing authenticates it: under a wrong key the plaintext is
/// garbage, and only the padding may show it. One thread at a time may use it.
class ForeignReader {
 public:
  /// Reads the bytes before the ciphertext. Throws Error: usage if the format does not fit the cipher; format if the data
  /// are not of it; truncated; wrong_key if find_digest found none.
  ForeignReader(ReadNext read_next, const ForeignFormat& format, const EngineOptions& options = {});
  /// Reads a file. Throws Error (format) too if it begins with "Salted__" and the format has no salt. If the file grows
  /// while it is read, the reader goes on to the new end. If it becomes shorter, or changes without growing, reading its end
  /// throws Error (runtime).
  ForeignReader(const std::string& path, const ForeignFormat& format, const EngineOptions& options = {});
  ~ForeignReader();
  ForeignReader(ForeignReader&&) noexcept;
  ForeignReader& operator=(ForeignReader&&) noexcept;

  /// Reads the next bytes of the plaintext and returns how many: fewer than out.size() only at the end. Throws Error:
  /// truncated; wrong_key if the padding does not check; and what read_next throws. After a call that threw, each later call
  /// throws the same again.
  [[nodiscard]] std::size_t read(MutableBytes out);

  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs the cipher
  [[nodiscard]] const std::string& digest() const;  ///< the digest that made the key from the passphrase; "" under a key

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

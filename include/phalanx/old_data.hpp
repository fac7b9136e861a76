// Old ciphertext: bare ciphers and modes, without a header or a tag, and the files of `openssl enc`. phalanx.hpp has the conventions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/catalog.hpp>
#include <phalanx/key_derivation.hpp>
#include <phalanx/padding.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {

/// XTS over the sectors of a volume, each a data unit: the tweak of sector i is first_tweak + i * tweak_step.
struct SectorLayout {
  std::size_t sector_bytes = 0;  ///< a multiple of 16, 1 MiB at most; 0: the message is one data unit
  std::uint64_t first_tweak = 0;
  std::uint64_t tweak_step = 1;
};

/// How old data was written. The spans are the caller's memory.
struct OldFormat {
  std::string cipher{};  ///< "des-ede3-cbc"; any mode but GCM. With a passphrase, `openssl enc`'s names too: "des3"
  Padding padding = Padding::pkcs7;  ///< of ECB and CBC; the others have none
  Bytes key{};                       ///< cipher_facts(cipher).key_bytes; empty: `passphrase` gives it

  Bytes iv{};                   ///< the iv; empty for ECB, for sectors, and where the next line or the passphrase gives it
  bool begins_with_iv = false;  ///< the data begins with it
  SectorLayout sectors{};       ///< XTS only

  Bytes passphrase{};              ///< of `openssl enc`
  OpensslDerivation derivation{};  ///< how it did
  bool find_digest = false;        ///< look for the digest, by the padding: of files only
  bool salted = true;              ///< the data begins with "Salted__" and the salt
  bool base64 = false;             ///< openssl's -a
};

/// Fills `out`, unless the data ends before. Returns the bytes read: fewer than out.size() only at the end. Fails by throwing.
using ReadNext = std::function<std::size_t(MutableBytes out)>;

/// Decrypts old data from its beginning to its end. Nothing authenticates it: garbage in, garbage out, but for what the padding shows.
/// One thread at a time.
class OldReader {
 public:
  /// Reads what stands before the ciphertext. Throws Error: usage where the format does not fit the cipher or the data, truncated,
  /// wrong_key (no digest was found).
  OldReader(ReadNext read_next, const OldFormat& format, const Options& options = {});
  /// The same of a file. Throws also Error (usage) for one with "Salted__" where the format has no salt.
  OldReader(const std::string& path, const OldFormat& format, const Options& options = {});
  ~OldReader();
  OldReader(OldReader&&) noexcept;
  OldReader& operator=(OldReader&&) noexcept;

  /// The next bytes of the plaintext: fewer than out.size() only at its end. Throws Error: truncated, wrong_key where padding does
  /// not check, and what read_next throws.
  std::size_t read(MutableBytes out);

  [[nodiscard]] const std::string& engine() const;  ///< what runs the cipher
  [[nodiscard]] const std::string& digest() const;  ///< of the passphrase; the one that was found. "" under a key

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
#pragma GCC visibility pop

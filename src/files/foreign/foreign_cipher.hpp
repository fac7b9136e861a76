// These are the ciphers of foreign data, under the names of `openssl enc`: the engine's in their modes, and those that are
// only read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// This says who decrypts messages of a cipher, and how.
enum class ForeignWay : unsigned char {
  engine,     ///< the engine, in a mode of its own: such a cipher is written, too
  segments,   ///< the engine's ECB, over windows that slide by a byte or a bit: CFB8 and CFB1
  no_tag,     ///< the engine's CTR: GCM as `openssl enc` 1.0 wrote it
  restarted,  ///< the engine's XTS, in data units that all have one tweak, as `openssl enc` 1.0 wrote it
  libcrypto,  ///< libcrypto's default provider
  legacy      ///< libcrypto's legacy provider
};

/// This is a cipher in a mode, with all that its messages need.
struct ForeignCipher {
  ForeignCipher() = default;
  ForeignCipher(const NamedCipher& named);  // NOLINT(google-explicit-constructor): one of the engine's is one, too

  std::string name{};
  std::size_t key_bytes = 0;
  std::size_t iv_bytes = 0;     ///< 0 where there is none
  std::size_t block_bytes = 0;  ///< 1: it has none
  Mode mode = Mode::ecb;        ///< of its messages, as a key and an iv are judged: CTR also of what has a key stream alone
  ForeignWay way = ForeignWay::engine;
  unsigned segment_bits = 0;  ///< 8 or 1, of ForeignWay::segments
  NamedCipher engine{};       ///< what the engine does; no cipher where libcrypto decrypts

  [[nodiscard]] bool is_read_only() const { return way != ForeignWay::engine; }
  [[nodiscard]] bool is_of_libcrypto() const { return way == ForeignWay::libcrypto || way == ForeignWay::legacy; }
};

/// These answer as they do for a NamedCipher.
[[nodiscard]] inline std::string full_name(const ForeignCipher& cipher) { return cipher.name; }
[[nodiscard]] inline std::size_t key_bytes(const ForeignCipher& cipher) { return cipher.key_bytes; }
[[nodiscard]] inline std::size_t iv_bytes(const ForeignCipher& cipher) { return cipher.iv_bytes; }

/// Returns the cipher that a name means to `openssl enc`, case ignored: "des3" is des-ede3-cbc, "des-ede3"
/// des-ede3-ecb, "des-ede" des-ede-ecb, "des" des-cbc, "aes128" CBC, "bf" bf-cbc. GCM and XTS are those of `openssl
/// enc` 1.0. Any other name is parsed as ours: most mean the same to OpenSSL. Those that OpenSSL does not have
/// ("serpent-256-cbc", "des-ede3-ctr") make files of the same format that only Phalanx reads. Throws Error (usage) for
/// an unknown name, and with the reason for one that is not read.
[[nodiscard]] ForeignCipher parse_openssl_cipher_name(std::string_view name);

/// Returns the cipher of a name for data that is not of `openssl enc`: GCM and XTS are the engine's, and "des3" is no name.
/// Throws Error (usage) for an unknown name.
[[nodiscard]] ForeignCipher parse_foreign_cipher_name(std::string_view name);

/// Returns the names of all ciphers that are read and not written, with OpenSSL's other names. GCM and XTS of `openssl enc`
/// 1.0 are left out, since they have no names of their own.
[[nodiscard]] std::vector<std::string> read_only_names();

}  // namespace phalanx

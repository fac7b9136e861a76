// The ciphers that the provider has, by OpenSSL's names: a row each. All else follows from the row.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <span>

#include "engine/modes/mode.hpp"

namespace phalanx {

/// How a cipher takes its message: each has a class of contexts.
enum class Manner : unsigned char {
  blocks,         ///< ECB and CBC: whole blocks, padded or not
  stolen_blocks,  ///< CBC with ciphertext stealing: one update
  key_stream,     ///< CTR, CFB and OFB: any number of bytes
  byte_feedback,  ///< CFB by bytes
  data_unit,      ///< XTS: each update is a data unit
  gcm,
  xaes_gcm
};

struct ServedCipher {
  const char* names;   ///< OpenSSL's, the first and then others behind colons, object identifiers among them
  const char* cipher;  ///< the engine's, as in find_cipher
  Mode mode;
  Manner manner;
  std::size_t key_bytes;
  std::size_t iv_bytes;
  bool is_des = false;  ///< blocks of 8 bytes, and contexts that give random keys of odd parity

  [[nodiscard]] constexpr bool is_aead() const { return manner == Manner::gcm || manner == Manner::xaes_gcm; }
  [[nodiscard]] constexpr bool takes_whole_blocks() const {
    return manner == Manner::blocks || manner == Manner::stolen_blocks;
  }
  /// What EVP_CIPHER_get_block_size gives: 1 for all that is no block of a message.
  [[nodiscard]] constexpr std::size_t shown_block_bytes() const { return takes_whole_blocks() ? block_bytes() : 1; }
  [[nodiscard]] constexpr std::size_t block_bytes() const { return is_des ? 8 : 16; }
  /// What EVP_CIPHER_get_mode gives.
  [[nodiscard]] constexpr unsigned shown_mode() const {
    switch (mode) {
      case Mode::ecb:
        return EVP_CIPH_ECB_MODE;
      case Mode::cbc:
        return EVP_CIPH_CBC_MODE;
      case Mode::ctr:
        return EVP_CIPH_CTR_MODE;
      case Mode::cfb:
        return EVP_CIPH_CFB_MODE;
      case Mode::ofb:
        return EVP_CIPH_OFB_MODE;
      case Mode::xts:
        return EVP_CIPH_XTS_MODE;
      case Mode::gcm:
        break;
    }
    return EVP_CIPH_GCM_MODE;
  }
};

inline constexpr ServedCipher served_ciphers[] = {
#define PHALANX_ROW(names, cipher, mode, manner, key_bytes, iv_bytes) \
  {names, cipher, Mode::mode, Manner::manner, key_bytes, iv_bytes, false},
#define PHALANX_DES_ROW(names, cipher, mode, manner, key_bytes, iv_bytes) \
  {names, cipher, Mode::mode, Manner::manner, key_bytes, iv_bytes, true},
// AES: OpenSSL's names, and NIST's object identifiers (2.16.840.1.101.3.4.1), those of XTS from IEEE 1619.1.
#define PHALANX_AES(bits, bytes, arc)                                                                                \
  PHALANX_ROW("AES-" #bits "-ECB:2.16.840.1.101.3.4.1." #arc "1", "aes-" #bits, ecb, blocks, bytes, 0)               \
  PHALANX_ROW("AES-" #bits "-CBC:AES" #bits ":2.16.840.1.101.3.4.1." #arc "2", "aes-" #bits, cbc, blocks, bytes, 16) \
  PHALANX_ROW("AES-" #bits "-CBC-CTS", "aes-" #bits, cbc, stolen_blocks, bytes, 16)                                  \
  PHALANX_ROW("AES-" #bits "-OFB:2.16.840.1.101.3.4.1." #arc "3", "aes-" #bits, ofb, key_stream, bytes, 16)          \
  PHALANX_ROW("AES-" #bits "-CFB:2.16.840.1.101.3.4.1." #arc "4", "aes-" #bits, cfb, key_stream, bytes, 16)          \
  PHALANX_ROW("AES-" #bits "-CFB8", "aes-" #bits, cfb, byte_feedback, bytes, 16)                                     \
  PHALANX_ROW("AES-" #bits "-CTR", "aes-" #bits, ctr, key_stream, bytes, 16)                                         \
  PHALANX_ROW("AES-" #bits "-GCM:id-aes" #bits "-GCM:2.16.840.1.101.3.4.1." #arc "6", "aes-" #bits, gcm, gcm, bytes, 12)
    PHALANX_AES(128, 16, ) PHALANX_AES(192, 24, 2) PHALANX_AES(256, 32, 4)
#undef PHALANX_AES
        PHALANX_ROW("AES-128-XTS:1.3.111.2.1619.0.1.1", "aes-128", xts, data_unit, 32, 16)
            PHALANX_ROW("AES-256-XTS:1.3.111.2.1619.0.1.2", "aes-256", xts, data_unit, 64, 16)
                PHALANX_ROW("XAES-256-GCM", "aes-256", gcm, xaes_gcm, 32, 24)

                    PHALANX_DES_ROW("DES-EDE3-ECB:DES-EDE3", "des-ede3", ecb, blocks, 24, 0)
                        PHALANX_DES_ROW("DES-EDE3-CBC:DES3:1.2.840.113549.3.7", "des-ede3", cbc, blocks, 24, 8)
                            PHALANX_DES_ROW("DES-EDE3-OFB", "des-ede3", ofb, key_stream, 24, 8) PHALANX_DES_ROW(
                                "DES-EDE3-CFB", "des-ede3", cfb, key_stream, 24, 8)
                                PHALANX_DES_ROW("DES-EDE3-CFB8", "des-ede3", cfb, byte_feedback, 24, 8) PHALANX_DES_ROW(
                                    "DES-EDE-ECB:DES-EDE:1.3.14.3.2.17", "des-ede", ecb, blocks, 16, 0)
                                    PHALANX_DES_ROW("DES-EDE-CBC", "des-ede", cbc, blocks, 16, 8)
                                        PHALANX_DES_ROW("DES-EDE-OFB", "des-ede", ofb, key_stream, 16, 8) PHALANX_DES_ROW(
                                            "DES-EDE-CFB", "des-ede", cfb, key_stream, 16, 8)
                                            PHALANX_DES_ROW("DES-ECB:1.3.14.3.2.6", "des", ecb, blocks, 8, 0)
                                                PHALANX_DES_ROW("DES-CBC:DES:1.3.14.3.2.7", "des", cbc, blocks, 8, 8)
                                                    PHALANX_DES_ROW("DES-OFB:1.3.14.3.2.8", "des", ofb, key_stream, 8, 8)
                                                        PHALANX_DES_ROW("DES-CFB:1.3.14.3.2.9", "des", cfb, key_stream, 8, 8)
                                                            PHALANX_DES_ROW("DES-CFB8", "des", cfb, byte_feedback, 8, 8)

// Serpent's object identifiers are GNU's (1.3.6.1.4.1.11591.13.2); Twofish has none that name the key's length.
#define PHALANX_SERPENT(bits, bytes, arc)                                                                             \
  PHALANX_ROW("SERPENT-" #bits "-ECB:1.3.6.1.4.1.11591.13.2." #arc "1", "serpent-" #bits, ecb, blocks, bytes, 0)      \
  PHALANX_ROW("SERPENT-" #bits "-CBC:1.3.6.1.4.1.11591.13.2." #arc "2", "serpent-" #bits, cbc, blocks, bytes, 16)     \
  PHALANX_ROW("SERPENT-" #bits "-OFB:1.3.6.1.4.1.11591.13.2." #arc "3", "serpent-" #bits, ofb, key_stream, bytes, 16) \
  PHALANX_ROW("SERPENT-" #bits "-CFB:1.3.6.1.4.1.11591.13.2." #arc "4", "serpent-" #bits, cfb, key_stream, bytes, 16) \
  PHALANX_OTHER_MODES("SERPENT-" #bits, "serpent-" #bits, bytes)
#define PHALANX_TWOFISH(bits, bytes)                                                 \
  PHALANX_ROW("TWOFISH-" #bits "-ECB", "twofish-" #bits, ecb, blocks, bytes, 0)      \
  PHALANX_ROW("TWOFISH-" #bits "-CBC", "twofish-" #bits, cbc, blocks, bytes, 16)     \
  PHALANX_ROW("TWOFISH-" #bits "-OFB", "twofish-" #bits, ofb, key_stream, bytes, 16) \
  PHALANX_ROW("TWOFISH-" #bits "-CFB", "twofish-" #bits, cfb, key_stream, bytes, 16) \
  PHALANX_OTHER_MODES("TWOFISH-" #bits, "twofish-" #bits, bytes)
#define PHALANX_OTHER_MODES(name, cipher, bytes)                    \
  PHALANX_ROW(name "-CFB8", cipher, cfb, byte_feedback, bytes, 16)  \
  PHALANX_ROW(name "-CTR", cipher, ctr, key_stream, bytes, 16)      \
  PHALANX_ROW(name "-XTS", cipher, xts, data_unit, 2 * (bytes), 16) \
  PHALANX_ROW(name "-GCM", cipher, gcm, gcm, bytes, 12)
                                                                PHALANX_SERPENT(128, 16, ) PHALANX_SERPENT(192, 24, 2)
                                                                    PHALANX_SERPENT(256, 32, 4) PHALANX_TWOFISH(128, 16)
                                                                        PHALANX_TWOFISH(192, 24) PHALANX_TWOFISH(256, 32)
#undef PHALANX_SERPENT
#undef PHALANX_TWOFISH
#undef PHALANX_OTHER_MODES
#undef PHALANX_ROW
#undef PHALANX_DES_ROW
};
inline constexpr std::size_t num_served_ciphers = std::size(served_ciphers);

}  // namespace phalanx

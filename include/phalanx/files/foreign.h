/* This header reads old ciphertext in C: paddings, keys from passphrases, bare ciphers and modes, the files of `openssl
 * enc`. padding.hpp, key_derivation.hpp and foreign.hpp say more about each function, and phalanx.h has the conventions. */
#ifndef PHALANX_FOREIGN_H
#define PHALANX_FOREIGN_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* `padding` is "pkcs7", "none", "x923", "iso7816" or "zero". */

/* Pads the last block of a message in place. Its first used_bytes, fewer than a block, are message. padded_bytes becomes
 * the block's size, or 0 if nothing is added. */
PHALANX_MUST_CHECK int phalanx_padding_add(const char* padding, uint8_t* block, size_t block_bytes, size_t used_bytes,
                                           size_t* padded_bytes);
/* Says how many bytes of the last decrypted block are message. Every failure of the padding is the same WRONG_KEY. */
PHALANX_MUST_CHECK int phalanx_padding_check(const char* padding, const uint8_t* block, size_t block_bytes,
                                             size_t* message_bytes);

/* `digest` is one that libcrypto has: "sha256", "md5", ... */
PHALANX_MUST_CHECK int phalanx_derive_pbkdf2(const char* digest, const uint8_t* passphrase, size_t passphrase_bytes,
                                             const uint8_t* salt, size_t salt_bytes, int num_iterations, uint8_t* out,
                                             size_t size);
PHALANX_MUST_CHECK int phalanx_derive_bytes_to_key(const char* digest, const uint8_t* passphrase, size_t passphrase_bytes,
                                                   const uint8_t* salt, size_t salt_bytes, uint8_t* out, size_t size);
PHALANX_MUST_CHECK int phalanx_derive_scrypt(const uint8_t* passphrase, size_t passphrase_bytes, const uint8_t* salt,
                                             size_t salt_bytes, unsigned log2_n, uint32_t r, uint32_t p, uint8_t* out,
                                             size_t size);

/* Says how foreign data was written, under a key or a passphrase. Comments say what null or 0 means. */
typedef struct phalanx_foreign_format {
  size_t struct_bytes;
  const char* cipher;  /* "des-ede3-cbc" */
  const char* padding; /* for ECB and CBC; null: pkcs7 */
  const uint8_t* key;
  size_t key_bytes;
  const uint8_t* iv; /* null: there is none, or it comes from the passphrase or the data */
  size_t iv_bytes;
  int begins_with_iv;
  size_t sector_bytes; /* for XTS; 0: one data unit */
  uint64_t first_tweak;
  uint64_t tweak_step;       /* 0 means 1 */
  const uint8_t* passphrase; /* null: there is none; with 0 bytes, where there is no key: the empty passphrase */
  size_t passphrase_bytes;
  const char* digest; /* null: sha256; "auto": found by the padding, only in files */
  int pbkdf2;
  int num_iterations; /* 0 means 10000 */
  int salted;         /* with a passphrase: the data begins with "Salted__" and the salt */
  int base64;
  const uint8_t* salt; /* -S of OpenSSL 3: the salt, with which the data does not begin; null: it does, or has none */
  size_t salt_bytes;   /* 1 to 16, with PBKDF2, of either; 0 means 8 */
} phalanx_foreign_format;
#define PHALANX_FOREIGN_FORMAT_INIT \
  { sizeof(phalanx_foreign_format), NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, 1, 0, NULL, 0 }

/* Reads the next bytes into `out`. got_bytes is less than size only at the end. Returns 0, or else it failed. */
typedef int (*phalanx_read_next)(void* user_data, uint8_t* out, size_t size, size_t* got_bytes);

/* A foreign reader decrypts foreign data from its beginning to its end. Nothing authenticates it. One thread at a time
 * may use it. After a read that failed, each later read fails in the same way. */
typedef struct phalanx_foreign_reader phalanx_foreign_reader;
PHALANX_MUST_CHECK int phalanx_foreign_reader_new(phalanx_foreign_reader** reader, phalanx_read_next read_next,
                                                  void* user_data, const phalanx_foreign_format* format,
                                                  const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_foreign_reader_of_file(phalanx_foreign_reader** reader, const char* path,
                                                      const phalanx_foreign_format* format,
                                                      const phalanx_engine_options* options);
void phalanx_foreign_reader_free(phalanx_foreign_reader* reader);
PHALANX_MUST_CHECK int phalanx_foreign_reader_read(phalanx_foreign_reader* reader, uint8_t* out, size_t size,
                                                   size_t* got_bytes);
PHALANX_MUST_CHECK int phalanx_foreign_reader_digest(const phalanx_foreign_reader* reader,
                                                     const char** digest); /* "" under a key */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

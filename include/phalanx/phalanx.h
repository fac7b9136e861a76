/* Phalanx: bulk block ciphers on every lane of the machine. The C interface; phalanx.hpp says more of each function.
 *
 * Sizes are in bytes. `in` and `out` may be the same memory or disjoint. A phalanx_cipher is immutable: any number of threads may
 * use it at once. Every function that returns int returns PHALANX_OK or what went wrong, and phalanx_last_error then says it in
 * one line. An output pointer may be null where it says "or null", and any pointer to no bytes. Any other pointer that is null is
 * a usage error, as is a size that no memory has; a function without a code then returns 0 or "". */
#ifndef PHALANX_PHALANX_H
#define PHALANX_PHALANX_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_result {
  PHALANX_OK = 0,
  PHALANX_RUNTIME = 1,        /* a failure of the machine: no memory */
  PHALANX_USAGE = 2,          /* an argument does not fit */
  PHALANX_AUTHENTICATION = 3, /* a tag does not verify; nothing was written */
  PHALANX_WRONG_KEY = 4,
  PHALANX_TRUNCATED = 5, /* ciphertext of an impossible length */
  PHALANX_POLICY = 6
};

/* What went wrong in this thread's last call that failed; valid until its next one fails. */
const char* phalanx_last_error(void);
const char* phalanx_version(void);

/* A keyed cipher in one mode: "des-ede3-cbc", "aes-256-ctr", "serpent-256-xts", "twofish-128-gcm". `engine` is "auto", "cpu",
 * "cpu:avx2" ..., or null for $PHALANX_ENGINE, else auto. num_threads: 0 for all cores that the process may use. */
typedef struct phalanx_cipher phalanx_cipher;
int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes, const char* engine,
                       int num_threads);
void phalanx_cipher_free(phalanx_cipher* cipher); /* wipes the key; null is allowed */

const char* phalanx_cipher_name(const phalanx_cipher* cipher);   /* the canonical name; lives as long as the cipher */
const char* phalanx_cipher_engine(const phalanx_cipher* cipher); /* the engine that runs it; likewise */
size_t phalanx_key_bytes(const phalanx_cipher* cipher);
size_t phalanx_block_bytes(const phalanx_cipher* cipher); /* 8 or 16 */
size_t phalanx_iv_bytes(const phalanx_cipher* cipher);    /* 0 for ECB (iv may be null), 12 for GCM, else the block */

/* One message. `iv` has phalanx_iv_bytes. next_iv, of as many bytes, or null, takes the iv with which the message goes on after
 * whole blocks (it may be `iv` itself); it is left alone otherwise, and in ECB and XTS. */
int phalanx_encrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in, uint8_t* out, size_t size,
                    uint8_t* next_iv);
int phalanx_decrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in, uint8_t* out, size_t size,
                    uint8_t* next_iv);

/* The part of a message that starts `offset` bytes from its beginning: ECB, CTR, XTS; CBC and CFB decryption, whose `iv` is then
 * the ciphertext block before the part. */
int phalanx_encrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const uint8_t* in, uint8_t* out,
                         size_t size);
int phalanx_decrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const uint8_t* in, uint8_t* out,
                         size_t size);
/* The same of whole blocks in a GPU's memory, aligned to a block: enqueued on `stream`, a cudaStream_t or null, without waiting;
 * see phalanx.hpp. The engine is "cuda" or "cuda:N". */
int phalanx_encrypt_on_device(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const void* in, void* out,
                              size_t size, void* stream);
int phalanx_decrypt_on_device(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const void* in, void* out,
                              size_t size, void* stream);

/* XTS over sectors: the tweak of sector i is first_tweak + i * tweak_step. */
int phalanx_encrypt_sectors(const phalanx_cipher* cipher, uint64_t first_tweak, uint64_t tweak_step, size_t sector_bytes,
                            const uint8_t* in, uint8_t* out, size_t size);
int phalanx_decrypt_sectors(const phalanx_cipher* cipher, uint64_t first_tweak, uint64_t tweak_step, size_t sector_bytes,
                            const uint8_t* in, uint8_t* out, size_t size);

/* Many messages in one call, each with its own iv and, unless `key` is null, its own key of phalanx_key_bytes. */
typedef struct phalanx_message {
  const uint8_t* key; /* or null: the cipher's */
  const uint8_t* iv;
  const uint8_t* in;
  uint8_t* out;
  size_t size;
} phalanx_message;
int phalanx_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, size_t num_messages);
int phalanx_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, size_t num_messages);

/* GCM. seal writes a tag of 16 bytes; open takes 12 to 16 and writes no plaintext unless the tag verifies. */
int phalanx_seal(const phalanx_cipher* cipher, const uint8_t* nonce, size_t nonce_bytes, const uint8_t* associated_data,
                 size_t associated_bytes, const uint8_t* in, uint8_t* out, size_t size, uint8_t* tag);
int phalanx_open(const phalanx_cipher* cipher, const uint8_t* nonce, size_t nonce_bytes, const uint8_t* associated_data,
                 size_t associated_bytes, const uint8_t* in, uint8_t* out, size_t size, const uint8_t* tag,
                 size_t tag_bytes);

/* The engines that this build knows, by index from 0; USAGE at the end. The strings live for ever. `reason` is why it cannot run
 * here, "" if it can. Each output may be null. */
int phalanx_engine(size_t index, const char** name, const char** description, const char** reason);
/* Known answers of every cipher and mode on the engine. */
int phalanx_self_test(const char* engine);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

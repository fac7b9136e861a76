/* Phalanx: bulk block ciphers on every lane of the machine. The C interface; cipher.hpp and aead.hpp say more of each function.
 *
 * Sizes are in bytes. `in` and `out` may be the same memory or disjoint. What holds a key is immutable: any number of threads may
 * use it at once. Every function returns PHALANX_OK or what went wrong, and phalanx_last_error then says it in one line; only the
 * functions phalanx_..._free return nothing and take null. A pointer may be null where it says so, and any pointer to no bytes;
 * any other null is a usage error, as is a size that no memory has. Strings that a function gives live as long as what it gives
 * them of; those of the catalog for ever. */
#ifndef PHALANX_PHALANX_H
#define PHALANX_PHALANX_H

#include <phalanx/version.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_result {
  PHALANX_OK = 0,
  PHALANX_RUNTIME = 1,        /* a failure of the machine: no memory */
  PHALANX_USAGE = 2,          /* an argument does not fit, or input is not of the stated format */
  PHALANX_AUTHENTICATION = 3, /* a tag does not verify */
  PHALANX_WRONG_KEY = 4,
  PHALANX_TRUNCATED = 5, /* ciphertext of an impossible length */
  PHALANX_POLICY = 6
};

/* What went wrong in this thread's last call that failed; valid until its next one fails. */
const char* phalanx_last_error(void);
const char* phalanx_version(void);

/* Structs with a member struct_bytes may grow: set it to their size, by the _INIT below them, and all that is not set to 0. */

/* Where and how wide to run. Where a function takes options, null means these. */
typedef struct phalanx_options {
  size_t struct_bytes;
  const char* engine; /* "cpu", "cpu:avx2", "cuda" ...; null: auto */
  int num_threads;    /* 0: all cores that the process may use */
  size_t tag_bytes;   /* of an aead: 0 means 16; 12 to 15 must be asked for */
} phalanx_options;
#define PHALANX_OPTIONS_INIT \
  { sizeof(phalanx_options), NULL, 0, 0 }

/* The catalog: what is true of a cipher in a mode, under any key. */
typedef struct phalanx_facts {
  size_t struct_bytes;
  const char* name; /* canonical: "des-ede3-cbc" */
  size_t key_bytes;
  size_t block_bytes;
  size_t iv_bytes;    /* 0 for ECB, 12 for GCM, else the block */
  size_t tag_bytes;   /* 16 for GCM, else 0 */
  int encrypts_parts; /* phalanx_cipher_encrypt_part can crypt any part of a message */
  int decrypts_parts;
} phalanx_facts;
#define PHALANX_FACTS_INIT \
  { sizeof(phalanx_facts), NULL, 0, 0, 0, 0, 0, 0 }

int phalanx_facts_of(const char* name, phalanx_facts* facts); /* "aes-256-ctr", case ignored */
int phalanx_facts_at(size_t index, phalanx_facts* facts);     /* of all, from 0; USAGE at the end */

/* The engines that this build knows, by index from 0; USAGE at the end. `reason` is why it cannot run here, "" if it can. Each
 * output may be null. */
int phalanx_engine_at(size_t index, const char** name, const char** description, const char** reason);
int phalanx_self_test(const char* engine); /* known answers of every cipher and mode; null: auto */

/* A keyed cipher in one mode, any but GCM. */
typedef struct phalanx_cipher phalanx_cipher;
int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes,
                       const phalanx_options* options);
void phalanx_cipher_free(phalanx_cipher* cipher); /* wipes the key */
int phalanx_cipher_engine(const phalanx_cipher* cipher, const char** engine);

/* One message. `iv` has the facts' iv_bytes (ECB: may be null). next_iv, of as many bytes, or null, takes the iv with which the
 * message goes on after whole blocks (it may be `iv` itself); it is left alone otherwise, and in ECB and XTS. */
int phalanx_cipher_encrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in, uint8_t* out, size_t size,
                           uint8_t* next_iv);
int phalanx_cipher_decrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in, uint8_t* out, size_t size,
                           uint8_t* next_iv);

/* The part of a message that starts `offset` bytes from its beginning: ECB, CTR, XTS; CBC and CFB decryption, whose `iv` is then
 * the ciphertext block before the part. */
int phalanx_cipher_encrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const uint8_t* in,
                                uint8_t* out, size_t size);
int phalanx_cipher_decrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset, const uint8_t* in,
                                uint8_t* out, size_t size);

/* Many messages in one call, each with its own iv and, unless `key` is null, its own key of the facts' key_bytes. */
typedef struct phalanx_message {
  const uint8_t* key; /* or null: the cipher's */
  const uint8_t* iv;
  const uint8_t* in;
  uint8_t* out;
  size_t size;
} phalanx_message;
int phalanx_cipher_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, size_t num_messages);
int phalanx_cipher_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, size_t num_messages);

/* XTS over sectors: the tweak of sector i is first_tweak + i * tweak_step. */
typedef struct phalanx_sector_cipher phalanx_sector_cipher;
int phalanx_sector_cipher_new(phalanx_sector_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes,
                              const phalanx_options* options);
void phalanx_sector_cipher_free(phalanx_sector_cipher* cipher);
int phalanx_sector_cipher_engine(const phalanx_sector_cipher* cipher, const char** engine);
int phalanx_sector_cipher_encrypt(const phalanx_sector_cipher* cipher, uint64_t first_tweak, uint64_t tweak_step,
                                  size_t sector_bytes, const uint8_t* in, uint8_t* out, size_t size);
int phalanx_sector_cipher_decrypt(const phalanx_sector_cipher* cipher, uint64_t first_tweak, uint64_t tweak_step,
                                  size_t sector_bytes, const uint8_t* in, uint8_t* out, size_t size);

/* phalanx_cipher_encrypt_part of whole blocks in a GPU's memory, aligned to a block: enqueued on `stream`, a cudaStream_t or null,
 * without waiting; see cipher.hpp. The engine is "cuda", which null means here, or "cuda:N". */
typedef struct phalanx_device_cipher phalanx_device_cipher;
int phalanx_device_cipher_new(phalanx_device_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes,
                              const phalanx_options* options);
void phalanx_device_cipher_free(phalanx_device_cipher* cipher);
int phalanx_device_cipher_engine(const phalanx_device_cipher* cipher, const char** engine);
int phalanx_device_cipher_encrypt(const phalanx_device_cipher* cipher, const uint8_t* iv, uint64_t offset, const void* in,
                                  void* out, size_t size, void* stream);
int phalanx_device_cipher_decrypt(const phalanx_device_cipher* cipher, const uint8_t* iv, uint64_t offset, const void* in,
                                  void* out, size_t size, void* stream);

/* GCM. A tag has the options' tag_bytes. Opening writes no plaintext unless the tag verifies. */
typedef struct phalanx_aead phalanx_aead;
int phalanx_aead_new(phalanx_aead** aead, const char* name, const uint8_t* key, size_t key_bytes,
                     const phalanx_options* options);
void phalanx_aead_free(phalanx_aead* aead);
int phalanx_aead_engine(const phalanx_aead* aead, const char** engine);
int phalanx_aead_seal(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes, const uint8_t* associated_data,
                      size_t associated_bytes, const uint8_t* in, uint8_t* out, size_t size, uint8_t* tag);
int phalanx_aead_open(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes, const uint8_t* associated_data,
                      size_t associated_bytes, const uint8_t* in, uint8_t* out, size_t size, const uint8_t* tag);

/* Many messages in one call. phalanx_aead_open_batch returns AUTHENTICATION if any tag does not verify; each message says whether
 * its own does. */
typedef struct phalanx_aead_message {
  const uint8_t* key; /* or null: the aead's */
  const uint8_t* nonce;
  size_t nonce_bytes;
  const uint8_t* associated_data;
  size_t associated_bytes;
  const uint8_t* in;
  uint8_t* out;
  size_t size;
  uint8_t* tag;     /* sealing writes it, opening only reads it */
  int is_authentic; /* what opening found */
} phalanx_aead_message;
int phalanx_aead_seal_batch(const phalanx_aead* aead, const phalanx_aead_message* messages, size_t num_messages);
int phalanx_aead_open_batch(const phalanx_aead* aead, phalanx_aead_message* messages, size_t num_messages);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* This header has Parquet Modular Encryption in C. parquet.hpp says more about each function, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_PARQUET_MODULAR_ENCRYPTION_H
#define PHALANX_PARQUET_MODULAR_ENCRYPTION_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_parquet_algorithm {
  PHALANX_AES_GCM_V1 = 1,    /* all modules by GCM */
  PHALANX_AES_GCM_CTR_V1 = 2 /* pages by CTR: a page that was changed is not found */
};

/* This says which key a file asks for. It lives as long as the call that gets it. */
typedef struct phalanx_parquet_key_request {
  int is_footer;
  const char* column;          /* for a column's own key: its path, "a.list.element"; else "" */
  const uint8_t* key_metadata; /* what the file's writer stored to find the key by */
  size_t key_metadata_bytes;
} phalanx_parquet_key_request;

/* Writes a key of 16, 24 or 32 bytes to `key`, which has room for 32, and its size to *key_bytes. Returns 0, or another
 * number to end the call with RUNTIME. It is called once for each key. */
typedef int (*phalanx_find_parquet_key)(void* user_data, const phalanx_parquet_key_request* request, uint8_t* key,
                                        size_t* key_bytes);

/* With the _INIT, nothing is replaced, and the file says itself what it is bound to. Null means
 * PHALANX_DECRYPT_PARQUET_OPTIONS_INIT. */
typedef struct phalanx_decrypt_parquet_options {
  size_t struct_bytes;
  int replace;
  const uint8_t* aad_prefix; /* the prefix that the file must be bound to; or null */
  size_t aad_prefix_bytes;
  int require_gcm; /* PHALANX_AES_GCM_CTR_V1 is POLICY: nothing authenticates that beside an encrypted footer */
} phalanx_decrypt_parquet_options;
#define PHALANX_DECRYPT_PARQUET_OPTIONS_INIT \
  { sizeof(phalanx_decrypt_parquet_options), 0, NULL, 0, 0 }

typedef struct phalanx_decrypted_parquet {
  size_t struct_bytes;
  int algorithm; /* a phalanx_parquet_algorithm, as the file says */
  int had_plaintext_footer;
  int verified; /* every page had a right tag; not if pages were by CTR, or columns not encrypted; see parquet.hpp */
  uint64_t num_pages;
  uint64_t num_plain_chunks;    /* column chunks that were not encrypted */
  uint64_t plain_bytes;         /* bytes of OUT */
  uint64_t num_authentic_pages; /* of num_pages, those that had a tag */
} phalanx_decrypted_parquet;
#define PHALANX_DECRYPTED_PARQUET_INIT \
  { sizeof(phalanx_decrypted_parquet), 0, 0, 0, 0, 0, 0, 0 }

/* OUT appears under its name when every module is decrypted and, but for pages by CTR, authentic.
 * `decrypted` may be null. */
PHALANX_MUST_CHECK int phalanx_decrypt_parquet_file(const char* in, const char* out, phalanx_find_parquet_key find_key,
                                                    void* user_data, const phalanx_decrypt_parquet_options* decrypt_options,
                                                    const phalanx_engine_options* options,
                                                    phalanx_decrypted_parquet* decrypted);

/* Decrypts in memory. `plain` has room for plain_room bytes; decrypted->plain_bytes of them are the file. As many as `in`
 * has are enough; if they are not, it is USAGE. `plain` is written only when all is decrypted. */
PHALANX_MUST_CHECK int phalanx_decrypt_parquet(const uint8_t* in, size_t in_bytes, uint8_t* plain, size_t plain_room,
                                               phalanx_find_parquet_key find_key, void* user_data,
                                               const phalanx_decrypt_parquet_options* decrypt_options,
                                               const phalanx_engine_options* options, phalanx_decrypted_parquet* decrypted);

/* Decrypts into a GPU's memory, behind the work on `stream`, a cudaStream_t or null, and waits. `out` has room for
 * out_room bytes. The engine is "cuda" or "cuda:N"; null means "cuda". Pages cross the link as they are encrypted. After
 * a failure `out` has no bytes of the file. */
PHALANX_MUST_CHECK int phalanx_decrypt_parquet_to_device(const uint8_t* in, size_t in_bytes, void* out, size_t out_room,
                                                         phalanx_find_parquet_key find_key, void* user_data,
                                                         const phalanx_decrypt_parquet_options* decrypt_options,
                                                         const phalanx_engine_options* options,
                                                         phalanx_decrypted_parquet* decrypted, void* stream);

/* A parquet key is a key of 16, 24 or 32 bytes to encrypt with, and counts the modules that it has sealed.
 * num_invocations of them were sealed elsewhere. Past 2^32 modules sealing is POLICY. A reader finds the key by
 * key_metadata. Any number of threads may use it at once. */
typedef struct phalanx_parquet_key phalanx_parquet_key;
PHALANX_MUST_CHECK int phalanx_parquet_key_new(phalanx_parquet_key** parquet_key, const uint8_t* key, size_t key_bytes,
                                               const uint8_t* key_metadata, size_t key_metadata_bytes,
                                               uint64_t num_invocations);
PHALANX_MUST_CHECK int phalanx_parquet_key_num_invocations(const phalanx_parquet_key* parquet_key,
                                                           uint64_t* num_invocations);
void phalanx_parquet_key_free(phalanx_parquet_key* parquet_key);

typedef struct phalanx_parquet_column_key {
  size_t struct_bytes;
  const char* column; /* its path */
  const phalanx_parquet_key* key;
} phalanx_parquet_column_key;
#define PHALANX_PARQUET_COLUMN_KEY_INIT \
  { sizeof(phalanx_parquet_column_key), NULL, NULL }

/* With the _INIT, all columns are encrypted by GCM under the footer's key, and the footer too, and nothing is replaced.
 * Null means PHALANX_ENCRYPT_PARQUET_OPTIONS_INIT. */
typedef struct phalanx_encrypt_parquet_options {
  size_t struct_bytes;
  int algorithm; /* a phalanx_parquet_algorithm; 0: PHALANX_AES_GCM_V1 */
  const phalanx_parquet_column_key* column_keys;
  size_t num_column_keys;
  const char* const* plain_columns; /* paths of columns that are not encrypted */
  size_t num_plain_columns;
  int plaintext_footer;      /* signed, so that readers without keys find the columns that are not encrypted */
  const uint8_t* aad_prefix; /* the prefix that the file is bound to; with 0 bytes nothing */
  size_t aad_prefix_bytes;
  int store_aad_prefix; /* 0: the file does not have the prefix, and readers must be told of it */
  int replace;
} phalanx_encrypt_parquet_options;
#define PHALANX_ENCRYPT_PARQUET_OPTIONS_INIT \
  { sizeof(phalanx_encrypt_parquet_options), 0, NULL, 0, NULL, 0, 0, NULL, 0, 1, 0 }

typedef struct phalanx_encrypted_parquet {
  size_t struct_bytes;
  uint64_t num_pages;
  uint64_t num_modules; /* modules that were encrypted, pages among them */
  uint64_t encrypted_bytes;
} phalanx_encrypted_parquet;
#define PHALANX_ENCRYPTED_PARQUET_INIT \
  { sizeof(phalanx_encrypted_parquet), 0, 0, 0 }

/* Encrypts a plain Parquet file. `encrypted` may be null. */
PHALANX_MUST_CHECK int phalanx_encrypt_parquet_file(const char* in, const char* out, const phalanx_parquet_key* footer_key,
                                                    const phalanx_encrypt_parquet_options* encrypt_options,
                                                    const phalanx_engine_options* options,
                                                    phalanx_encrypted_parquet* encrypted);

/* Takes the file in one call, when it is complete, for encryption in memory. It returns 0, or another number to end the
 * call with RUNTIME. */
typedef int (*phalanx_take_parquet)(void* user_data, const uint8_t* file, size_t file_bytes);
PHALANX_MUST_CHECK int phalanx_encrypt_parquet(const uint8_t* in, size_t in_bytes, const phalanx_parquet_key* footer_key,
                                               const phalanx_encrypt_parquet_options* encrypt_options,
                                               const phalanx_engine_options* options, phalanx_take_parquet take,
                                               void* user_data, phalanx_encrypted_parquet* encrypted);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

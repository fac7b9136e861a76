/* Phalanx: bulk block ciphers on every lane of the machine. The C interface; cipher.hpp and aead.hpp say more.
 *
 * Sizes are in bytes. `in` and `out` may be the same memory or disjoint. What holds a key is immutable, and any number of
 * threads may use it at once, unless its own comment says otherwise. Functions return PHALANX_OK or what went wrong, which
 * the caller looks at (PHALANX_MUST_CHECK), and phalanx_last_error then says it in one line. The functions phalanx_..._free
 * return nothing, wipe the key and accept null. Elsewhere a pointer may be null where its comment says so, and where its
 * size is 0; any other null is a usage error, and so is a size that no memory can have. A string that a function gives is
 * valid as long as the object it belongs to; one of the catalog, for ever.
 *
 * No call is a cancellation point: a thread for which somebody calls pthread_cancel ends at its first one behind the call.
 * To end a long call itself there is phalanx_cancellation. (PTHREAD_CANCEL_ASYNCHRONOUS fits no function here.)
 * A function of the caller's gets the user_data that was given with it. It returns to the call that calls it, and does not
 * leave by longjmp, pthread_exit or an exception. By exit or _exit it may end the process, which then leaves what a kill
 * leaves: OUT.phalanx-partial, or a journal. A process that it forks ends by _exit or becomes another program. It does not
 * return to the call, whose threads are its parent's: one that returns is ended there, or the call fails, or it waits for
 * ever. In a process that was forked, what seals or opens a message by parts, or writes a file, is USAGE, since its parent
 * goes on with it; docs/processes.md has all of it. To free it there is right, and changes nothing of the parent's. */
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
  PHALANX_RUNTIME = 1,        /* input or output failed, or something else in the machine did, such as memory */
  PHALANX_USAGE = 2,          /* an argument does not fit: the caller is to mend it */
  PHALANX_AUTHENTICATION = 3, /* a tag does not verify */
  PHALANX_WRONG_KEY = 4,      /* wrong key or passphrase, or padding that does not check */
  PHALANX_TRUNCATED = 5,      /* the input ends too early */
  PHALANX_POLICY = 6,         /* refused: costs more than is allowed, or would encrypt what nothing should */
  PHALANX_FORMAT = 7          /* input is not of the stated format: foreign, damaged, or of a later version */
};

/* Stands before each function that returns a phalanx_result: the compiler warns who ignores it, since a call that failed has
 * done nothing, or only a part. */
#define PHALANX_MUST_CHECK __attribute__((warn_unused_result))

/* What went wrong in this thread's last call that failed, or ""; valid until its next failure, and not beyond the thread's
 * end. Functions of atexit and destructors of pthread_key_create may call it, and all else here. */
const char* phalanx_last_error(void);

/* Facts of the same failure, valid as long: errno of the system call that failed, or 0; the file or the setting that it is
 * about, as it was given, or ""; and where in the input, in bytes from its beginning, or PHALANX_NO_OFFSET. */
#define PHALANX_NO_OFFSET UINT64_MAX
int phalanx_last_error_errno(void);
const char* phalanx_last_error_name(void);
uint64_t phalanx_last_error_offset(void);

const char* phalanx_version(void);

/* Structs that a caller fills, or that the library fills for one, begin with struct_bytes and may grow in later versions.
 * Start from the _INIT below each, which sets that member to the struct's size where the caller was compiled; in an array
 * each element, since all have the struct_bytes of the first. USAGE: a size smaller than version 0.1's, another one in an
 * array, and something in members that this version of the library does not have. */

/* Where and how wide to run: `options` of every function that runs on an engine. Null means PHALANX_ENGINE_OPTIONS_INIT. */
typedef struct phalanx_engine_options {
  size_t struct_bytes;
  const char* engine; /* "cpu", "cpu:avx2", "cuda", ...; null: the best of the CPU's */
  int num_threads;    /* 0: all cores that this process may use */
} phalanx_engine_options;
#define PHALANX_ENGINE_OPTIONS_INIT \
  { sizeof(phalanx_engine_options), NULL, 0 }

/* Memory for a key: in no core dump, swapped out only where the process's limits are too low, wiped when it is freed. `data`
 * is size bytes, zeros at first, and the caller's to fill. */
typedef struct phalanx_secret phalanx_secret;
PHALANX_MUST_CHECK int phalanx_secret_new(phalanx_secret** secret, size_t size, uint8_t** data);
void phalanx_secret_free(phalanx_secret* secret);
PHALANX_MUST_CHECK int phalanx_random_bytes(uint8_t* out, size_t size); /* from libcrypto's generator for secrets */
void phalanx_wipe(void* memory, size_t size);                           /* in a way that no compiler leaves out */

/* The library's threads in this process: at most so many do the work of one call, the caller's own among them; 0: as many as
 * the process may use. */
PHALANX_MUST_CHECK int phalanx_limit_threads(int most_threads);

/* Hands work to the caller's threads: `submit` has task(argument) called on some thread, once, now or later, and returns 0;
 * any other number: it is not called. threads.hpp says what tasks do. Null: the library's own threads again. */
typedef int (*phalanx_submit)(void* user_data, void (*task)(void* argument), void* argument);
PHALANX_MUST_CHECK int phalanx_set_executor(phalanx_submit submit, void* user_data);

/* The catalog: what is true of a cipher in a mode, under any key. */
typedef struct phalanx_facts {
  size_t struct_bytes;
  const char* name; /* canonical: "des-ede3-cbc" */
  size_t key_bytes;
  size_t block_bytes;
  size_t iv_bytes;    /* 0 for ECB, 12 for GCM, 24 for xaes-256-gcm, else the block */
  size_t tag_bytes;   /* 16 for GCM, else 0 */
  int encrypts_parts; /* phalanx_cipher_encrypt_part takes any part of a message */
  int decrypts_parts;
} phalanx_facts;
#define PHALANX_FACTS_INIT \
  { sizeof(phalanx_facts), NULL, 0, 0, 0, 0, 0, 0 }

/* Of one, "aes-256-ctr", case ignored; and of all, by index from 0, USAGE past the last. */
PHALANX_MUST_CHECK int phalanx_facts_of(const char* name, phalanx_facts* facts);
PHALANX_MUST_CHECK int phalanx_facts_at(size_t index, phalanx_facts* facts);

/* The engines that this build knows, by index from 0; USAGE past the last. `reason` says why it cannot run here, "" if it
 * can. Each output may be null. */
PHALANX_MUST_CHECK int phalanx_engine_at(size_t index, const char** name, const char** description, const char** reason);
/* A known answer of every cipher and mode; null: by the best of the CPU's engines. */
PHALANX_MUST_CHECK int phalanx_self_test(const char* engine);

/* What an aead takes that new data does not need. Null means PHALANX_AEAD_OPTIONS_INIT. */
typedef struct phalanx_aead_options {
  size_t struct_bytes;
  size_t tag_bytes;   /* 12 to 15: it only opens, what has such tags already */
  int any_nonce_size; /* not 0: nonces have any size from 1 byte; otherwise they have 12, or it is USAGE */
} phalanx_aead_options;
#define PHALANX_AEAD_OPTIONS_INIT \
  { sizeof(phalanx_aead_options), 16, 0 }

/* Authenticated encryption, which new data is better off with than with a bare cipher: GCM. A nonce has 12 bytes, unless
 * its options say any_nonce_size. A tag has 16 bytes; an aead whose options say 12 to 15 opens what has such tags, and to
 * seal is POLICY. Opening writes no plaintext unless the tag verifies. A message has at most 2^36 - 32 bytes (SP 800-38D,
 * section 5.2.1.1). With random nonces no more than 2^32 messages are sealed under a key (section 8.3), which is the
 * caller's to keep. "xaes-256-gcm" (c2sp.org/XAES-256-GCM) takes nonces of 24 bytes, which may be random for a virtually
 * unlimited number of messages, and has tags of 16. Neither commits to its key: aead.hpp. */
typedef struct phalanx_aead phalanx_aead;
PHALANX_MUST_CHECK int phalanx_aead_new(phalanx_aead** aead, const char* name, const uint8_t* key, size_t key_bytes,
                                        const phalanx_aead_options* aead_options, const phalanx_engine_options* options);
void phalanx_aead_free(phalanx_aead* aead);
PHALANX_MUST_CHECK int phalanx_aead_engine(const phalanx_aead* aead, const char** engine);

/* One message. Each size is what the call reads or writes: out_bytes is in_bytes, and tag_bytes that of the aead's tags.
 * Another is USAGE, here and below. */
PHALANX_MUST_CHECK int phalanx_aead_seal(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                         const uint8_t* associated_data, size_t associated_bytes, const uint8_t* in,
                                         size_t in_bytes, uint8_t* out, size_t out_bytes, uint8_t* tag, size_t tag_bytes);
PHALANX_MUST_CHECK int phalanx_aead_open(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                         const uint8_t* associated_data, size_t associated_bytes, const uint8_t* in,
                                         size_t in_bytes, uint8_t* out, size_t out_bytes, const uint8_t* tag,
                                         size_t tag_bytes);

/* Many messages in one call. phalanx_aead_open_batch returns AUTHENTICATION if any tag does not verify; each message says
 * whether its own does. */
typedef struct phalanx_aead_message {
  size_t struct_bytes;
  const uint8_t* key; /* null: the aead's */
  const uint8_t* nonce;
  size_t nonce_bytes;
  const uint8_t* associated_data;
  size_t associated_bytes;
  const uint8_t* in;
  size_t in_bytes;
  uint8_t* out;
  size_t out_bytes; /* in_bytes */
  uint8_t* tag;     /* written by sealing, only read by opening */
  size_t tag_bytes; /* of the aead's tags */
  int is_authentic; /* what opening found */
} phalanx_aead_message;
#define PHALANX_AEAD_MESSAGE_INIT \
  { sizeof(phalanx_aead_message), NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0 }
PHALANX_MUST_CHECK int phalanx_aead_seal_batch(const phalanx_aead* aead, const phalanx_aead_message* messages,
                                               size_t num_messages);
PHALANX_MUST_CHECK int phalanx_aead_open_batch(const phalanx_aead* aead, phalanx_aead_message* messages,
                                               size_t num_messages);

/* Of "xaes-256-gcm" alone: sealing with no nonce to manage, since each call draws one. The sealed message is nonce ||
 * ciphertext || tag, PHALANX_NONCE_AND_TAG_BYTES longer than the plaintext, whose place in it begins at byte 24: `in` and
 * `out` overlap nowhere else than as one same place for plaintext and ciphertext. Opening what is shorter than that is
 * TRUNCATED. */
#define PHALANX_NONCE_AND_TAG_BYTES 40
PHALANX_MUST_CHECK int phalanx_aead_seal_with_new_nonce(const phalanx_aead* aead, const uint8_t* associated_data,
                                                        size_t associated_bytes, const uint8_t* in, size_t in_bytes,
                                                        uint8_t* out, size_t out_bytes); /* in_bytes + 40 */
PHALANX_MUST_CHECK int phalanx_aead_open_with_leading_nonce(const phalanx_aead* aead, const uint8_t* associated_data,
                                                            size_t associated_bytes, const uint8_t* in, size_t in_bytes,
                                                            uint8_t* out, size_t out_bytes); /* in_bytes - 40 */

/* Many such messages in one call. To phalanx_aead_open_with_leading_nonce_batch one that is too short is not authentic, and
 * its `out` is of no meaning. */
typedef struct phalanx_aead_leading_nonce_message {
  size_t struct_bytes;
  const uint8_t* key; /* null: the aead's */
  const uint8_t* associated_data;
  size_t associated_bytes;
  const uint8_t* in;
  size_t in_bytes;
  uint8_t* out;
  size_t out_bytes; /* in_bytes + 40 to seal, in_bytes - 40 to open */
  int is_authentic; /* what opening found */
} phalanx_aead_leading_nonce_message;
#define PHALANX_AEAD_LEADING_NONCE_MESSAGE_INIT \
  { sizeof(phalanx_aead_leading_nonce_message), NULL, NULL, 0, NULL, 0, NULL, 0, 0 }
PHALANX_MUST_CHECK int phalanx_aead_seal_with_new_nonce_batch(const phalanx_aead* aead,
                                                              const phalanx_aead_leading_nonce_message* messages,
                                                              size_t num_messages);
PHALANX_MUST_CHECK int phalanx_aead_open_with_leading_nonce_batch(const phalanx_aead* aead,
                                                                  phalanx_aead_leading_nonce_message* messages,
                                                                  size_t num_messages);

/* A function of the caller that takes the next bytes of a container or a message, in order. It returns 0, or another number
 * if it failed: then what calls it takes nothing more. */
typedef int (*phalanx_append)(void* user_data, const uint8_t* bytes, size_t size);
/* A function of the caller that reads `size` bytes at `offset` of a container or a message into `out`. It returns 0, or
 * another number if it failed. It is called by the threads that use the reader. */
typedef int (*phalanx_read_at)(void* user_data, uint64_t offset, uint8_t* out, size_t size);

/* What a cipher may do that new data does not need. Null means PHALANX_CIPHER_POLICY_INIT. */
typedef struct phalanx_cipher_policy {
  size_t struct_bytes;
  int allow_legacy; /* not 0: it encrypts with DES, 2DES and 3DES, and in ECB, which is POLICY otherwise */
} phalanx_cipher_policy;
#define PHALANX_CIPHER_POLICY_INIT \
  { sizeof(phalanx_cipher_policy), 0 }

/* A bare cipher in any mode but GCM, under a key: it authenticates nothing. To encrypt with DES, 2DES or 3DES, or in ECB, is
 * POLICY without the policy's allow_legacy, which a batch has from its cipher for all messages; decrypting never needs it.
 * To encrypt, a data unit of XTS has at most 2^20 blocks (16 MiB: IEEE 1619-2018, section 5.1), and the two halves of its
 * key differ (FIPS 140-3 IG C.I): else POLICY. Decrypting takes both. Weak keys of DES are not looked for. What a mode asks
 * of the caller, of ivs above all, is in cipher.hpp. */
typedef struct phalanx_cipher phalanx_cipher;
PHALANX_MUST_CHECK int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes,
                                          const phalanx_cipher_policy* policy, const phalanx_engine_options* options);
void phalanx_cipher_free(phalanx_cipher* cipher);
PHALANX_MUST_CHECK int phalanx_cipher_engine(const phalanx_cipher* cipher, const char** engine);

/* One message. `iv` has the facts' iv_bytes bytes; in ECB it may be null. After whole blocks next_iv, of the same size, gets
 * the iv with which the message continues; otherwise, and in ECB and XTS, it stays as it is. It may be null, or `iv`
 * itself. */
PHALANX_MUST_CHECK int phalanx_cipher_encrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in,
                                              uint8_t* out, size_t size, uint8_t* next_iv);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in,
                                              uint8_t* out, size_t size, uint8_t* next_iv);

/* The part of a message that starts `offset` bytes from its beginning, in ECB, CTR and XTS, and in CBC and CFB decryption,
 * where `iv` is then the ciphertext block before the part. */
PHALANX_MUST_CHECK int phalanx_cipher_encrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                   const uint8_t* in, uint8_t* out, size_t size);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                   const uint8_t* in, uint8_t* out, size_t size);

/* Many messages in one call, each with its own iv and, unless `key` is null, its own key of the facts' key_bytes bytes. Or
 * `cipher` is one of the same name and engine as that of the batch, whose key is the message's: if no message has a `key`,
 * those of AES are not expanded again. How much one key encrypts in all, over this and all other calls, is the caller's to
 * keep: with triple DES no more than 2^20 blocks, 8 MiB (SP 800-67 revision 2, section 3.1). */
typedef struct phalanx_message {
  size_t struct_bytes;
  const uint8_t* key; /* null: the cipher's */
  const uint8_t* iv;
  const uint8_t* in;
  uint8_t* out;
  size_t size;
  const phalanx_cipher* cipher; /* null: by `key`, which is null if `cipher` is not */
} phalanx_message;
#define PHALANX_MESSAGE_INIT \
  { sizeof(phalanx_message), NULL, NULL, NULL, NULL, 0, NULL }
PHALANX_MUST_CHECK int phalanx_cipher_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages,
                                                    size_t num_messages);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages,
                                                    size_t num_messages);

/* XTS over sectors: the tweak of sector i is first_tweak + i * tweak_step. To encrypt, sector_bytes is at most 16 MiB. */
typedef struct phalanx_sector_cipher phalanx_sector_cipher;
PHALANX_MUST_CHECK int phalanx_sector_cipher_new(phalanx_sector_cipher** cipher, const char* name, const uint8_t* key,
                                                 size_t key_bytes, const phalanx_cipher_policy* policy,
                                                 const phalanx_engine_options* options);
void phalanx_sector_cipher_free(phalanx_sector_cipher* cipher);
PHALANX_MUST_CHECK int phalanx_sector_cipher_engine(const phalanx_sector_cipher* cipher, const char** engine);
PHALANX_MUST_CHECK int phalanx_sector_cipher_encrypt(const phalanx_sector_cipher* cipher, uint64_t first_tweak,
                                                     uint64_t tweak_step, size_t sector_bytes, const uint8_t* in,
                                                     uint8_t* out, size_t size);
PHALANX_MUST_CHECK int phalanx_sector_cipher_decrypt(const phalanx_sector_cipher* cipher, uint64_t first_tweak,
                                                     uint64_t tweak_step, size_t sector_bytes, const uint8_t* in,
                                                     uint8_t* out, size_t size);

/* As phalanx_cipher_encrypt_part, for whole blocks in a GPU's memory, aligned to a block. The work is enqueued on `stream`,
 * a cudaStream_t or null, and the call does not wait for it; see cipher.hpp. The engine is "cuda" or "cuda:N"; null means
 * "cuda". Freeing it waits until the work of all its calls is done. */
typedef struct phalanx_device_cipher phalanx_device_cipher;
PHALANX_MUST_CHECK int phalanx_device_cipher_new(phalanx_device_cipher** cipher, const char* name, const uint8_t* key,
                                                 size_t key_bytes, const phalanx_cipher_policy* policy,
                                                 const phalanx_engine_options* options);
void phalanx_device_cipher_free(phalanx_device_cipher* cipher);
PHALANX_MUST_CHECK int phalanx_device_cipher_engine(const phalanx_device_cipher* cipher, const char** engine);
PHALANX_MUST_CHECK int phalanx_device_cipher_encrypt(const phalanx_device_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                     const void* in, void* out, size_t size, void* stream);
PHALANX_MUST_CHECK int phalanx_device_cipher_decrypt(const phalanx_device_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                     const void* in, void* out, size_t size, void* stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

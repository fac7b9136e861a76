/* Phalanx encrypts with block ciphers on every lane of the machine. This is the C interface; cipher.hpp and aead.hpp say
 * more.
 *
 * Sizes are in bytes. `in` and `out` may be the same memory or disjoint. An object that holds a key is immutable, and any
 * number of threads may use it at once, unless its own comment says otherwise. Functions return PHALANX_OK or what went
 * wrong. The caller looks at it (PHALANX_MUST_CHECK), and phalanx_last_error then says it in one line. The functions
 * phalanx_..._free return nothing, wipe the key and accept null. Elsewhere a pointer may be null where its comment says so,
 * and where its size is 0. Any other null is a usage error, and so is a size that no memory can have. A string that a
 * function gives is valid as long as its object. A string of the catalog is valid for ever.
 *
 * No call is a cancellation point. A thread that pthread_cancel is called for ends at its first cancellation point behind
 * the call. phalanx_cancellation ends a long call itself. (PTHREAD_CANCEL_ASYNCHRONOUS fits no function here.)
 * A function of the caller gets the user_data that was given with it. It returns to the call that calls it, and does not
 * leave by longjmp, pthread_exit or an exception. It may end the process by exit or _exit. The process then leaves what a
 * kill leaves: OUT.phalanx-partial, or a journal. A process that it forks ends by _exit or becomes another program. Such a
 * process must not return to the call, whose threads are its parent's. If it returns, it is ended there, or the call fails,
 * or it waits for ever.
 * In a forked process, a call that seals or opens a message by parts, or writes a file, returns USAGE, since the parent
 * goes on with it. docs/processes.md has the details. A forked process may free such an object, which changes nothing of
 * the parent's. */
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
  PHALANX_USAGE = 2,          /* an argument does not fit, and the caller must change it */
  PHALANX_AUTHENTICATION = 3, /* a tag does not verify */
  PHALANX_WRONG_KEY = 4,      /* wrong key or passphrase, or padding that does not check */
  PHALANX_TRUNCATED = 5,      /* the input ends too early */
  PHALANX_POLICY = 6,         /* refused: costs more than is allowed, or would encrypt what nothing should */
  PHALANX_FORMAT = 7          /* input is not of the stated format: foreign, damaged, or of a later version */
};

/* Stands before each function that returns a phalanx_result. The compiler warns a caller who ignores the result, since a
 * call that failed has done nothing, or only a part. */
#define PHALANX_MUST_CHECK __attribute__((warn_unused_result))

/* Returns what went wrong in this thread's last call that failed, or "". The text is valid until the thread's next
 * failure, and not beyond the thread's end. Functions of atexit and destructors of pthread_key_create may call this and
 * every other function here. */
const char* phalanx_last_error(void);

/* These return facts of the last failure, which are valid as long as its text. The first returns errno of the system call
 * that failed, or 0. The second returns the file or the setting that failed, as the caller gave it, or "". The third
 * returns the place in the input, in bytes from its beginning, or PHALANX_NO_OFFSET. */
#define PHALANX_NO_OFFSET UINT64_MAX
int phalanx_last_error_errno(void);
const char* phalanx_last_error_name(void);
uint64_t phalanx_last_error_offset(void);

const char* phalanx_version(void); /* the version of the library, such as "0.2.0" */

/* Structs that a caller fills, or that the library fills for a caller, begin with struct_bytes and may grow in later
 * versions. Start from the _INIT below each, which sets that member to the struct's size where the caller was compiled.
 * In an array start each element from it, since all have the struct_bytes of the first. USAGE means a size smaller than
 * version 0.1's, another size in an array, or a value in members that this version of the library does not have. */

/* Says where and how wide to run: `options` of every function that runs on an engine. Null means
 * PHALANX_ENGINE_OPTIONS_INIT. */
typedef struct phalanx_engine_options {
  size_t struct_bytes;
  const char* engine; /* "cpu", "cpu:avx2", "cuda", ...; null: the best of the CPU's */
  int num_threads;    /* 0: all cores that this process may use */
} phalanx_engine_options;
#define PHALANX_ENGINE_OPTIONS_INIT \
  { sizeof(phalanx_engine_options), NULL, 0 }

/* A secret is memory for a key. It is in no core dump, is swapped out only where the process's limits are too low, and is
 * wiped when it is freed. `data` has `size` bytes, which are zeros at first, and which the caller fills. */
typedef struct phalanx_secret phalanx_secret;
PHALANX_MUST_CHECK int phalanx_secret_new(phalanx_secret** secret, size_t size, uint8_t** data);
void phalanx_secret_free(phalanx_secret* secret);
PHALANX_MUST_CHECK int phalanx_random_bytes(uint8_t* out, size_t size); /* from libcrypto's generator for secrets */
void phalanx_wipe(void* memory, size_t size);                           /* in a way that no compiler leaves out */

/* Limits the library's threads in this process. At most so many do the work of one call, and the caller's own is one of
 * them. 0 means as many as the process may use. */
PHALANX_MUST_CHECK int phalanx_limit_threads(int most_threads);

/* Hands work to the caller's threads. `submit` has task(argument) called once on some thread, now or later, and returns
 * 0. If it returns any other number, the task is not called. threads.hpp says what tasks do. With null the library's own
 * threads work again. */
typedef int (*phalanx_submit)(void* user_data, void (*task)(void* argument), void* argument);
PHALANX_MUST_CHECK int phalanx_set_executor(phalanx_submit submit, void* user_data);

/* The catalog says what is true of a cipher in a mode, under any key. */
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

/* The first returns the facts of one name, "aes-256-ctr", and ignores its case. The second returns those at an index from
 * 0, and USAGE past the last. */
PHALANX_MUST_CHECK int phalanx_facts_of(const char* name, phalanx_facts* facts);
PHALANX_MUST_CHECK int phalanx_facts_at(size_t index, phalanx_facts* facts);

/* Returns the engines that this build knows, by index from 0, and USAGE past the last. `reason` says why an engine cannot
 * run here, "" if it can. Each output may be null. */
PHALANX_MUST_CHECK int phalanx_engine_at(size_t index, const char** name, const char** description, const char** reason);
/* Runs a known answer of every cipher and mode. Null means the best of the CPU's engines. */
PHALANX_MUST_CHECK int phalanx_self_test(const char* engine);

/* These say when plaintext reaches `out` as a message is opened. The first writes once the tag verified, and leaves `out` as
 * it was after a failure. The second may write while it checks, which is faster, and leaves zeros after a failure. It is for
 * memory that no other thread looks at before the call returns. Where `out` is not disjoint from `in` it is USAGE. */
#define PHALANX_RELEASE_WHEN_VERIFIED 0
#define PHALANX_RELEASE_WIPED_ON_FAILURE 1

/* Has settings of an aead that new data does not need. Null means PHALANX_AEAD_OPTIONS_INIT. */
typedef struct phalanx_aead_options {
  size_t struct_bytes;
  size_t tag_bytes;   /* 12 to 15: it only opens data that has such tags already */
  int any_nonce_size; /* not 0: nonces have any size from 1 byte; 0: they have 12, and another size is USAGE */
  int release;        /* one of the above; a device aead releases when verified, and another value is USAGE */
} phalanx_aead_options;
#define PHALANX_AEAD_OPTIONS_INIT \
  { sizeof(phalanx_aead_options), 16, 0, PHALANX_RELEASE_WHEN_VERIFIED }

/* An aead is authenticated encryption by GCM. New data is better off with it than with a bare cipher. A nonce has 12
 * bytes, unless the options say any_nonce_size. A tag has 16 bytes. An aead whose options say 12 to 15 opens data that
 * has such tags, and to seal is POLICY. Opening writes no plaintext unless the tag verifies, but where the options say so. A message has at most 2^36 -
 * 32 bytes (SP 800-38D, section 5.2.1.1). With random nonces no more than 2^32 messages may be sealed under a key
 * (section 8.3); the caller keeps this limit. "xaes-256-gcm" (c2sp.org/XAES-256-GCM) takes nonces of 24 bytes, which may
 * be random for a virtually unlimited number of messages, and has tags of 16. Neither commits to its key: see aead.hpp. */
typedef struct phalanx_aead phalanx_aead;
PHALANX_MUST_CHECK int phalanx_aead_new(phalanx_aead** aead, const char* name, const uint8_t* key, size_t key_bytes,
                                        const phalanx_aead_options* aead_options, const phalanx_engine_options* options);
void phalanx_aead_free(phalanx_aead* aead);
PHALANX_MUST_CHECK int phalanx_aead_engine(const phalanx_aead* aead, const char** engine);

/* These seal and open one message. out_bytes is in_bytes, and tag_bytes is the size of the aead's tags. Another size is
 * USAGE, here and below. */
PHALANX_MUST_CHECK int phalanx_aead_seal(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                         const uint8_t* associated_data, size_t associated_bytes, const uint8_t* in,
                                         size_t in_bytes, uint8_t* out, size_t out_bytes, uint8_t* tag, size_t tag_bytes);
PHALANX_MUST_CHECK int phalanx_aead_open(const phalanx_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                         const uint8_t* associated_data, size_t associated_bytes, const uint8_t* in,
                                         size_t in_bytes, uint8_t* out, size_t out_bytes, const uint8_t* tag,
                                         size_t tag_bytes);

/* Describes one of many messages of a call. The outputs of a call overlap no other message of it: that is not checked.
 * phalanx_aead_open_batch returns AUTHENTICATION if any tag does not verify.
 * is_authentic of each message says whether its own tag does. */
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
  size_t out_bytes; /* must be in_bytes */
  uint8_t* tag;     /* written by sealing, only read by opening */
  size_t tag_bytes; /* size of the aead's tags */
  int is_authentic; /* the result of opening */
} phalanx_aead_message;
#define PHALANX_AEAD_MESSAGE_INIT \
  { sizeof(phalanx_aead_message), NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0 }
PHALANX_MUST_CHECK int phalanx_aead_seal_batch(const phalanx_aead* aead, const phalanx_aead_message* messages,
                                               size_t num_messages);
PHALANX_MUST_CHECK int phalanx_aead_open_batch(const phalanx_aead* aead, phalanx_aead_message* messages,
                                               size_t num_messages);

/* These seal with a fresh nonce that each call draws, for "xaes-256-gcm" alone. The sealed message is nonce || ciphertext
 * || tag. It is PHALANX_NONCE_AND_TAG_BYTES longer than the plaintext, and the ciphertext begins at byte 24. `in` and
 * `out` are disjoint, or plaintext and ciphertext have the same place. Opening a shorter message than
 * PHALANX_NONCE_AND_TAG_BYTES is TRUNCATED. */
#define PHALANX_NONCE_AND_TAG_BYTES 40
PHALANX_MUST_CHECK int phalanx_aead_seal_with_new_nonce(const phalanx_aead* aead, const uint8_t* associated_data,
                                                        size_t associated_bytes, const uint8_t* in, size_t in_bytes,
                                                        uint8_t* out, size_t out_bytes); /* in_bytes + 40 */
PHALANX_MUST_CHECK int phalanx_aead_open_with_leading_nonce(const phalanx_aead* aead, const uint8_t* associated_data,
                                                            size_t associated_bytes, const uint8_t* in, size_t in_bytes,
                                                            uint8_t* out, size_t out_bytes); /* in_bytes - 40 */

/* Describes one of many such messages of a call. A message that is too short is not authentic to
 * phalanx_aead_open_with_leading_nonce_batch, and its `out` is undefined. */
typedef struct phalanx_aead_leading_nonce_message {
  size_t struct_bytes;
  const uint8_t* key; /* null: the aead's */
  const uint8_t* associated_data;
  size_t associated_bytes;
  const uint8_t* in;
  size_t in_bytes;
  uint8_t* out;
  size_t out_bytes; /* in_bytes + 40 to seal, in_bytes - 40 to open */
  int is_authentic; /* the result of opening */
} phalanx_aead_leading_nonce_message;
#define PHALANX_AEAD_LEADING_NONCE_MESSAGE_INIT \
  { sizeof(phalanx_aead_leading_nonce_message), NULL, NULL, 0, NULL, 0, NULL, 0, 0 }
PHALANX_MUST_CHECK int phalanx_aead_seal_with_new_nonce_batch(const phalanx_aead* aead,
                                                              const phalanx_aead_leading_nonce_message* messages,
                                                              size_t num_messages);
PHALANX_MUST_CHECK int phalanx_aead_open_with_leading_nonce_batch(const phalanx_aead* aead,
                                                                  phalanx_aead_leading_nonce_message* messages,
                                                                  size_t num_messages);

/* This function of the caller takes the next bytes of a container or a message, in order. It returns 0, or another number
 * if it failed. After a failure it is not called again. */
typedef int (*phalanx_append)(void* user_data, const uint8_t* bytes, size_t size);
/* This function of the caller reads `size` bytes at `offset` of a container or a message into `out`. It returns 0, or
 * another number if it failed. The threads that use the reader call it. */
typedef int (*phalanx_read_at)(void* user_data, uint64_t offset, uint8_t* out, size_t size);

/* Has permissions of a cipher that new data does not need. Null means PHALANX_CIPHER_POLICY_INIT. */
typedef struct phalanx_cipher_policy {
  size_t struct_bytes;
  int allow_legacy; /* not 0: it encrypts with DES, 2DES and 3DES, and in ECB, which is POLICY otherwise */
} phalanx_cipher_policy;
#define PHALANX_CIPHER_POLICY_INIT \
  { sizeof(phalanx_cipher_policy), 0 }

/* A cipher is a bare cipher in any mode but GCM, under a key. It authenticates nothing. To encrypt with DES, 2DES or
 * 3DES, or in ECB, is POLICY without the policy's allow_legacy. A batch has this permission from its cipher, for all
 * messages. Decrypting never needs it. To encrypt, a data unit of XTS has at most 2^20 blocks (16 MiB: IEEE 1619-2018,
 * section 5.1), and the two halves of its key differ (FIPS 140-3 IG C.I). Otherwise encrypting returns POLICY. Decrypting
 * takes both. Weak keys of DES are not looked for. cipher.hpp says what a mode asks of the caller, about ivs above all. */
typedef struct phalanx_cipher phalanx_cipher;
PHALANX_MUST_CHECK int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const uint8_t* key, size_t key_bytes,
                                          const phalanx_cipher_policy* policy, const phalanx_engine_options* options);
void phalanx_cipher_free(phalanx_cipher* cipher);
PHALANX_MUST_CHECK int phalanx_cipher_engine(const phalanx_cipher* cipher, const char** engine);

/* These encrypt and decrypt one message. `iv` has the facts' iv_bytes bytes; in ECB it may be null. After whole blocks
 * next_iv, of the same size, gets the iv with which the message continues. Otherwise, and in ECB and XTS, it stays as it
 * is. next_iv may be null, or `iv` itself. */
PHALANX_MUST_CHECK int phalanx_cipher_encrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in,
                                              uint8_t* out, size_t size, uint8_t* next_iv);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt(const phalanx_cipher* cipher, const uint8_t* iv, const uint8_t* in,
                                              uint8_t* out, size_t size, uint8_t* next_iv);

/* These encrypt and decrypt the part of a message that starts `offset` bytes from its beginning. They work in ECB, CTR
 * and XTS, and in CBC and CFB decryption, where `iv` is then the ciphertext block before the part. */
PHALANX_MUST_CHECK int phalanx_cipher_encrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                   const uint8_t* in, uint8_t* out, size_t size);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt_part(const phalanx_cipher* cipher, const uint8_t* iv, uint64_t offset,
                                                   const uint8_t* in, uint8_t* out, size_t size);

/* Describes one of many messages of a call. Each has its own iv and, unless `key` is null, its own key of the facts'
 * key_bytes bytes. Instead of `key` there may be `cipher`, of the same name and engine as that of the batch, whose key is
 * the message's. If no message has a `key`, keys of AES are not expanded again. The caller limits how much one key
 * encrypts over all calls: with triple DES no more than 2^20 blocks, 8 MiB (SP 800-67 revision 2, section 3.1). */
typedef struct phalanx_message {
  size_t struct_bytes;
  const uint8_t* key; /* null: the cipher's */
  const uint8_t* iv;
  const uint8_t* in;
  uint8_t* out;
  size_t size;
  const phalanx_cipher* cipher; /* null: `key` is used; not null: `key` is null */
} phalanx_message;
#define PHALANX_MESSAGE_INIT \
  { sizeof(phalanx_message), NULL, NULL, NULL, NULL, 0, NULL }
PHALANX_MUST_CHECK int phalanx_cipher_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages,
                                                    size_t num_messages);
PHALANX_MUST_CHECK int phalanx_cipher_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages,
                                                    size_t num_messages);

/* A sector cipher is XTS over sectors. The tweak of sector i is first_tweak + i * tweak_step. To encrypt, sector_bytes is
 * at most 16 MiB. */
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

/* A device cipher does what phalanx_cipher_encrypt_part does, for whole blocks in a GPU's memory, aligned to a block. The
 * work is enqueued on `stream`, a cudaStream_t or null, and the call does not wait for it; see cipher.hpp. The engine is
 * "cuda" or "cuda:N"; null means "cuda". Freeing it waits until the work of all its calls is done. */
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

/* This header describes batches of messages in a GPU's memory, in C. device_batch.hpp and cipher.hpp say more, and
 * phalanx.h has the conventions. Pointers to void are to memory of the GPU. `stream` is a cudaStream_t, or null for the
 * default stream. */
#ifndef PHALANX_DEVICE_BATCH_H
#define PHALANX_DEVICE_BATCH_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Describes many messages, as a column has them. Arrays of numbers have offset_bytes bytes a number, and are aligned to
 * these. They have num_messages numbers, or one more where it is said. */
typedef struct phalanx_device_batch {
  size_t struct_bytes;
  size_t num_messages;
  const void* in; /* what all messages are read from, and written to: the same memory or disjoint */
  size_t in_bytes;
  void* out;
  size_t out_bytes;
  size_t offset_bytes;         /* 8 or 4; 0 means 8 */
  const void* in_offsets;      /* where each begins in `in`; one more if lengths is null: each ends where the next begins */
  const void* lengths;         /* may be null */
  const void* out_offsets;     /* where each begins in `out`, ascending; null: as in `in` */
  const void* associated_data; /* of all messages */
  size_t associated_bytes;
  const void* associated_offsets; /* one more than there are messages; null: none has associated data */
  const void* nonces;             /* 12 bytes each; 24 of xaes-256-gcm; of a device_cipher: ivs, iv_bytes each */
  void* tags;                     /* written by sealing, 16 bytes each; only read by opening */
  const void*
      keys; /* a key each, aligned to 8 bytes; null: all have the aead's or cipher's, and of xaes-256-gcm nothing else */
} phalanx_device_batch;
#define PHALANX_DEVICE_BATCH_INIT \
  { sizeof(phalanx_device_batch), 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL }

/* This is the result of one message. */
enum phalanx_device_verdict {
  PHALANX_DEVICE_FORGED = 0,
  PHALANX_DEVICE_AUTHENTIC = 1, /* opened, sealed, or crypted by a device_cipher, which authenticates nothing */
  PHALANX_DEVICE_MISPLACED = 2  /* offsets or lengths of the batch do not fit: none of its messages was read or written */
};

/* Holds the results of a call that does not wait. One thread at a time may use it. Freeing it waits until the work of the
 * call is done, and frees what its pointers point to. */
typedef struct phalanx_device_verdicts phalanx_device_verdicts;
void phalanx_device_verdicts_free(phalanx_device_verdicts* verdicts);
/* Gives pointers to the GPU's memory, for kernels behind the call. The first points to a word that is 1 if every message
 * is authentic, else 0. The second points to a verdict, a byte, for each message. Either place may be null. */
PHALANX_MUST_CHECK int phalanx_device_verdicts_pointers(const phalanx_device_verdicts* verdicts,
                                                        const uint32_t** all_authentic, const uint8_t** each);
/* Enqueues a kernel that traps unless all messages are authentic. After a trap the process can do nothing more with this
 * GPU. */
PHALANX_MUST_CHECK int phalanx_device_verdicts_require(const phalanx_device_verdicts* verdicts, void* stream);
/* Waits. AUTHENTICATION means that a message is forged, USAGE that the batch is misplaced, RUNTIME that the GPU failed. */
PHALANX_MUST_CHECK int phalanx_device_verdicts_wait(const phalanx_device_verdicts* verdicts);
/* Waits and copies the verdict of each of the num_messages messages. */
PHALANX_MUST_CHECK int phalanx_device_verdicts_read(const phalanx_device_verdicts* verdicts, uint8_t* each,
                                                    size_t num_messages);

/* These encrypt and decrypt batches of a device_cipher, in any mode. Each message has its iv and perhaps its key; a batch
 * has no tags and no associated data. The first two wait, and return what phalanx_device_verdicts_wait does. */
PHALANX_MUST_CHECK int phalanx_device_cipher_encrypt_batch(const phalanx_device_cipher* cipher,
                                                           const phalanx_device_batch* batch, void* stream);
PHALANX_MUST_CHECK int phalanx_device_cipher_decrypt_batch(const phalanx_device_cipher* cipher,
                                                           const phalanx_device_batch* batch, void* stream);
PHALANX_MUST_CHECK int phalanx_device_cipher_encrypt_batch_async(phalanx_device_verdicts** verdicts,
                                                                 const phalanx_device_cipher* cipher,
                                                                 const phalanx_device_batch* batch, void* stream);
PHALANX_MUST_CHECK int phalanx_device_cipher_decrypt_batch_async(phalanx_device_verdicts** verdicts,
                                                                 const phalanx_device_cipher* cipher,
                                                                 const phalanx_device_batch* batch, void* stream);

/* Describes consecutive sectors of XTS. The last one may be shorter, but has at least 16 bytes. The tweak of sector i is
 * numbers[i], or first_tweak + i * tweak_step where numbers is null. The work is enqueued. */
typedef struct phalanx_device_sectors {
  size_t struct_bytes;
  const void* in; /* the same as out, or disjoint from it */
  void* out;
  size_t size;
  size_t sector_bytes;
  uint64_t first_tweak;
  uint64_t tweak_step;
  const uint64_t* numbers; /* in the GPU's memory */
} phalanx_device_sectors;
#define PHALANX_DEVICE_SECTORS_INIT \
  { sizeof(phalanx_device_sectors), NULL, NULL, 0, 512, 0, 1, NULL }
PHALANX_MUST_CHECK int phalanx_device_cipher_encrypt_sectors(const phalanx_device_cipher* cipher,
                                                             const phalanx_device_sectors* sectors, void* stream);
PHALANX_MUST_CHECK int phalanx_device_cipher_decrypt_sectors(const phalanx_device_cipher* cipher,
                                                             const phalanx_device_sectors* sectors, void* stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* This header has authenticated encryption of data in a GPU's memory, in C. device_aead.hpp says more about each
 * function, and phalanx.h has the conventions. Pointers to void are to memory of the GPU. `stream` is a cudaStream_t, or
 * null for the default stream. */
#ifndef PHALANX_DEVICE_AEAD_H
#define PHALANX_DEVICE_AEAD_H

#include <phalanx/device_batch.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A device aead is GCM under one key. The engine is "cuda" or "cuda:N"; null means "cuda". Freeing it waits until the
 * work of all its calls is done. No plaintext is written before its tag has verified. If a message is forged, its `out`
 * gets zeros, or stays as it is in place. Nothing else may write to a ciphertext during the call. */
typedef struct phalanx_device_aead phalanx_device_aead;
PHALANX_MUST_CHECK int phalanx_device_aead_new(phalanx_device_aead** aead, const char* name, const uint8_t* key,
                                               size_t key_bytes, const phalanx_aead_options* aead_options,
                                               const phalanx_engine_options* options);
void phalanx_device_aead_free(phalanx_device_aead* aead);
PHALANX_MUST_CHECK int phalanx_device_aead_engine(const phalanx_device_aead* aead, const char** engine);

/* These seal and open one message. `nonce` (12 bytes, or 24 for xaes-256-gcm) and associated_data are in the host's
 * memory. Sealing does not wait. Opening waits, except in the third function. */
PHALANX_MUST_CHECK int phalanx_device_aead_seal(const phalanx_device_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                                const uint8_t* associated_data, size_t associated_bytes, const void* in,
                                                void* out, size_t size, void* tag, void* stream);
PHALANX_MUST_CHECK int phalanx_device_aead_open(const phalanx_device_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                                                const uint8_t* associated_data, size_t associated_bytes, const void* in,
                                                void* out, size_t size, const void* tag, void* stream);
PHALANX_MUST_CHECK int phalanx_device_aead_open_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                                      const uint8_t* nonce, size_t nonce_bytes,
                                                      const uint8_t* associated_data, size_t associated_bytes,
                                                      const void* in, void* out, size_t size, const void* tag, void* stream);

/* These seal and open many messages. The first two wait, and return what phalanx_device_verdicts_wait does. */
PHALANX_MUST_CHECK int phalanx_device_aead_seal_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch,
                                                      void* stream);
PHALANX_MUST_CHECK int phalanx_device_aead_open_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch,
                                                      void* stream);
PHALANX_MUST_CHECK int phalanx_device_aead_seal_batch_async(phalanx_device_verdicts** verdicts,
                                                            const phalanx_device_aead* aead,
                                                            const phalanx_device_batch* batch, void* stream);
PHALANX_MUST_CHECK int phalanx_device_aead_open_batch_async(phalanx_device_verdicts** verdicts,
                                                            const phalanx_device_aead* aead,
                                                            const phalanx_device_batch* batch, void* stream);

/* These seal and open whole messages of chunked encryption under one key and one context. name, key and context are as
 * for phalanx_chunked_new of chunked.h, which also computes the sizes of messages. `in` and `out` are disjoint. The
 * engine is as above. The first two wait, and opening returns what phalanx_chunked_open does. If a chunk is not
 * authentic, `out` then holds zeros. If key or context is another, or no message has that size, nothing was written.
 * phalanx_device_chunked_open_async takes the message's first 56 bytes from first_bytes in the host's memory, and does
 * not read those in `in`. The results of the last two have one verdict for each chunk. */
typedef struct phalanx_device_chunked phalanx_device_chunked;
PHALANX_MUST_CHECK int phalanx_device_chunked_new(phalanx_device_chunked** chunked, const char* name, const uint8_t* key,
                                                  size_t key_bytes, const uint8_t* context, size_t context_bytes,
                                                  const phalanx_engine_options* options);
void phalanx_device_chunked_free(phalanx_device_chunked* chunked);
PHALANX_MUST_CHECK int phalanx_device_chunked_engine(const phalanx_device_chunked* chunked, const char** engine);
PHALANX_MUST_CHECK int phalanx_device_chunked_seal(const phalanx_device_chunked* chunked, const void* in,
                                                   uint64_t plain_bytes, void* out, void* stream);
PHALANX_MUST_CHECK int phalanx_device_chunked_open(const phalanx_device_chunked* chunked, const void* in,
                                                   uint64_t sealed_bytes, void* out, void* stream);
PHALANX_MUST_CHECK int phalanx_device_chunked_seal_async(phalanx_device_verdicts** verdicts,
                                                         const phalanx_device_chunked* chunked, const void* in,
                                                         uint64_t plain_bytes, void* out, void* stream);
PHALANX_MUST_CHECK int phalanx_device_chunked_open_async(phalanx_device_verdicts** verdicts,
                                                         const phalanx_device_chunked* chunked, const uint8_t* first_bytes,
                                                         size_t num_first_bytes, const void* in, uint64_t sealed_bytes,
                                                         void* out, void* stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

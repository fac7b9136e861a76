/* Authenticated encryption of data in a GPU's memory, in C; device_aead.hpp says more about each function, and phalanx.h has the
 * conventions. Pointers to void are to memory of the GPU; `stream` is a cudaStream_t, or null for the default stream. */
#ifndef PHALANX_DEVICE_AEAD_H
#define PHALANX_DEVICE_AEAD_H

#include <phalanx/device_batch.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* GCM under one key. The engine is "cuda" or "cuda:N"; null means "cuda". Freeing it waits until the work of all its calls is
 * done. No plaintext is written before its tag has verified: of a message that is forged, `out` gets zeros, or stays as it is
 * in place. Nobody else may write a ciphertext during the call. */
typedef struct phalanx_device_aead phalanx_device_aead;
int phalanx_device_aead_new(phalanx_device_aead** aead, const char* name, const uint8_t* key, size_t key_bytes,
                            const phalanx_options* options);
void phalanx_device_aead_free(phalanx_device_aead* aead);
int phalanx_device_aead_engine(const phalanx_device_aead* aead, const char** engine);

/* One message. nonce (12 bytes; 24 of xaes-256-gcm) and associated_data are in the host's memory. Sealing does not wait; opening does, unless it
 * is the third function. */
int phalanx_device_aead_seal(const phalanx_device_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                             const uint8_t* associated_data, size_t associated_bytes, const void* in, void* out, size_t size,
                             void* tag, void* stream);
int phalanx_device_aead_open(const phalanx_device_aead* aead, const uint8_t* nonce, size_t nonce_bytes,
                             const uint8_t* associated_data, size_t associated_bytes, const void* in, void* out, size_t size,
                             const void* tag, void* stream);
int phalanx_device_aead_open_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead, const uint8_t* nonce,
                                   size_t nonce_bytes, const uint8_t* associated_data, size_t associated_bytes,
                                   const void* in, void* out, size_t size, const void* tag, void* stream);

/* Many messages. The first two wait, and return what phalanx_device_verdicts_wait does. */
int phalanx_device_aead_seal_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch, void* stream);
int phalanx_device_aead_open_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch, void* stream);
int phalanx_device_aead_seal_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                         const phalanx_device_batch* batch, void* stream);
int phalanx_device_aead_open_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                         const phalanx_device_batch* batch, void* stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

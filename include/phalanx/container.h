/* Phalanx's container in C; container.hpp says more of each function, and phalanx.h has the conventions. */
#ifndef PHALANX_CONTAINER_H
#define PHALANX_CONTAINER_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_recipient_kind { PHALANX_KEY = 1, PHALANX_PASSPHRASE = 2 };

/* Who may open a container. The last three are scrypt's cost when sealing under a passphrase; all 0: 17, 8, 1. */
typedef struct phalanx_recipient {
  int kind; /* a phalanx_recipient_kind */
  const uint8_t* secret;
  size_t secret_bytes; /* a key has the suite's length, a passphrase any but 0 */
  uint8_t log2_n, r, p;
} phalanx_recipient;

/* The size of the container of so many bytes. */
int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                            uint64_t plain_bytes, uint64_t* container_bytes);

/* Seals `in` for all the recipients; out_bytes is what phalanx_container_bytes says. `suite`: "aes-256", "aes-128", "serpent-256",
 * "twofish-256". Disjoint memory. `engine` and num_threads as for phalanx_cipher_new. */
int phalanx_seal_container(const char* suite, const phalanx_recipient* recipients, size_t num_recipients, const uint8_t* in,
                           size_t in_bytes, uint8_t* out, size_t out_bytes, const char* engine, int num_threads);

/* Reads `size` bytes at `offset` of a container into `out`: 0, or another number if it failed. Called by any thread that reads. */
typedef int (*phalanx_read_at)(void* context, uint64_t offset, uint8_t* out, size_t size);

/* An open container, of which any part can be read: immutable, so that any number of threads may use it at once. scrypt_budget is
 * what all passphrases that are tried may cost together, in bytes of 128 * N * r * p; 0: 2 GiB. POLICY if none that fits opens it. */
typedef struct phalanx_container phalanx_container;
int phalanx_container_open(phalanx_container** container, phalanx_read_at read_at, void* context, uint64_t container_bytes,
                           const phalanx_recipient* recipients, size_t num_recipients, uint64_t scrypt_budget,
                           const char* engine, int num_threads);
/* The same of one in memory, which must stay. */
int phalanx_container_open_memory(phalanx_container** container, const uint8_t* in, size_t in_bytes,
                                  const phalanx_recipient* recipients, size_t num_recipients, uint64_t scrypt_budget,
                                  const char* engine, int num_threads);
void phalanx_container_free(phalanx_container* container); /* wipes its keys; null is allowed */

uint64_t phalanx_container_size(const phalanx_container* container);     /* bytes of plaintext */
const char* phalanx_container_suite(const phalanx_container* container); /* lives as long as the container */

/* The plaintext from `offset` on, `size` bytes, all within phalanx_container_size. If a chunk is not authentic, `out` holds zeros. */
int phalanx_container_read(const phalanx_container* container, uint64_t offset, uint8_t* out, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

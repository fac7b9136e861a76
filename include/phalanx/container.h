/* Phalanx's container in C; container.hpp says more of each function, and phalanx.h has the conventions. `suite` is "aes-256",
 * "aes-128", "serpent-256" or "twofish-256". */
#ifndef PHALANX_CONTAINER_H
#define PHALANX_CONTAINER_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_key_kind { PHALANX_KEY = 1, PHALANX_PASSPHRASE = 2 };

/* Whom a container is sealed for. The last three are scrypt's cost under a passphrase; all 0: 17, 8, 1. */
typedef struct phalanx_recipient {
  int kind; /* a phalanx_key_kind */
  const uint8_t* secret;
  size_t secret_bytes; /* a key has the suite's length, a passphrase any but 0 */
  uint8_t log2_n, r, p;
} phalanx_recipient;

/* Who opens one. */
typedef struct phalanx_identity {
  int kind;
  const uint8_t* secret;
  size_t secret_bytes;
} phalanx_identity;

/* What opening may cost in scrypt, in bytes of 128 * N * r * p; 0: 1 GiB for one passphrase, and 2 GiB for all that are tried.
 * Where a function takes limits, null means these. */
typedef struct phalanx_cost_limits {
  size_t struct_bytes;
  uint64_t one_passphrase;
  uint64_t all_passphrases;
} phalanx_cost_limits;
#define PHALANX_COST_LIMITS_INIT \
  { sizeof(phalanx_cost_limits), 0, 0 }

/* The size of the container of so many bytes. */
int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                            uint64_t plain_bytes, uint64_t* container_bytes);

/* Seals `in` for all the recipients; out_bytes is what phalanx_container_bytes says. Disjoint memory. */
int phalanx_container_seal(const char* suite, const phalanx_recipient* recipients, size_t num_recipients, const uint8_t* in,
                           size_t in_bytes, uint8_t* out, size_t out_bytes, const phalanx_options* options);

/* Seals what comes, of any length. `append` takes the container's bytes in their order, and returns 0, or another number if it
 * failed: then the writer takes nothing more. One thread at a time. Freed without finish, it leaves a truncated container. */
typedef int (*phalanx_append)(void* context, const uint8_t* bytes, size_t size);
typedef struct phalanx_container_writer phalanx_container_writer;
int phalanx_container_writer_new(phalanx_container_writer** writer, phalanx_append append, void* context, const char* suite,
                                 const phalanx_recipient* recipients, size_t num_recipients, const phalanx_options* options);
int phalanx_container_writer_write(phalanx_container_writer* writer, const uint8_t* plain, size_t size);
int phalanx_container_writer_finish(phalanx_container_writer* writer);
void phalanx_container_writer_free(phalanx_container_writer* writer);

/* Reads `size` bytes at `offset` of a container into `out`: 0, or another number if it failed. Called by any thread that reads. */
typedef int (*phalanx_read_at)(void* context, uint64_t offset, uint8_t* out, size_t size);

/* An open container, of which any part can be read: immutable, so that any number of threads may use it at once. By a function, in
 * memory, which must stay, or of a file. POLICY if a passphrase was not tried because of the limits and no other opens it. */
typedef struct phalanx_container_reader phalanx_container_reader;
int phalanx_container_reader_new(phalanx_container_reader** reader, phalanx_read_at read_at, void* context,
                                 uint64_t container_bytes, const phalanx_identity* identities, size_t num_identities,
                                 const phalanx_cost_limits* limits, const phalanx_options* options);
int phalanx_container_reader_of_memory(phalanx_container_reader** reader, const uint8_t* in, size_t in_bytes,
                                       const phalanx_identity* identities, size_t num_identities,
                                       const phalanx_cost_limits* limits, const phalanx_options* options);
int phalanx_container_reader_of_file(phalanx_container_reader** reader, const char* path, const phalanx_identity* identities,
                                     size_t num_identities, const phalanx_cost_limits* limits,
                                     const phalanx_options* options);
void phalanx_container_reader_free(phalanx_container_reader* reader);

int phalanx_container_reader_size(const phalanx_container_reader* reader, uint64_t* plain_bytes);
int phalanx_container_reader_suite(const phalanx_container_reader* reader, const char** suite);

/* The plaintext from `offset` on, `size` bytes, all within the container's. If a chunk is not authentic, `out` holds zeros. */
int phalanx_container_reader_read(const phalanx_container_reader* reader, uint64_t offset, uint8_t* out, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

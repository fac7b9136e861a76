/* C2SP chunked encryption in C; chunked.hpp says more about each function, and phalanx.h has the conventions. */
#ifndef PHALANX_CHUNKED_H
#define PHALANX_CHUNKED_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Messages under one key and one context. `name` is "cobblestone-128", whose key has 16 bytes, or "cobblestone-256",
 * "serpent-256" or "twofish-256", whose keys have 32. `context` may be null where it is empty. */
typedef struct phalanx_chunked phalanx_chunked;
PHALANX_MUST_CHECK int phalanx_chunked_new(phalanx_chunked** chunked, const char* name, const uint8_t* key, size_t key_bytes,
                                           const uint8_t* context, size_t context_bytes,
                                           const phalanx_engine_options* options);
void phalanx_chunked_free(phalanx_chunked* chunked);
PHALANX_MUST_CHECK int phalanx_chunked_engine(const phalanx_chunked* chunked, const char** engine);

/* The size of a message by that of its plaintext, and the other way, where TRUNCATED means that no message has that size. */
PHALANX_MUST_CHECK int phalanx_chunked_sealed_bytes(uint64_t plain_bytes, uint64_t* sealed_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_plain_bytes(uint64_t sealed_bytes, uint64_t* plain_bytes);

/* A whole message. out_bytes is what the functions above give; `in` and `out` are disjoint. Opening returns WRONG_KEY where
 * key, context or cipher is another, AUTHENTICATION, or TRUNCATED; `out` then holds zeros. */
PHALANX_MUST_CHECK int phalanx_chunked_seal(const phalanx_chunked* chunked, const uint8_t* in, size_t in_bytes, uint8_t* out,
                                            size_t out_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_open(const phalanx_chunked* chunked, const uint8_t* in, size_t in_bytes, uint8_t* out,
                                            size_t out_bytes);

/* Seals a message of any length as it comes. `append` takes its next bytes and returns 0, or another number if it failed;
 * the sealer then takes nothing more. Not for several threads at once. Freed without finish, it leaves a
 * truncated message. */
typedef struct phalanx_chunked_sealer phalanx_chunked_sealer;
PHALANX_MUST_CHECK int phalanx_chunked_sealer_new(phalanx_chunked_sealer** sealer, const phalanx_chunked* chunked,
                                                  phalanx_append append, void* user_data);
PHALANX_MUST_CHECK int phalanx_chunked_sealer_write(phalanx_chunked_sealer* sealer, const uint8_t* plain, size_t size);
PHALANX_MUST_CHECK int phalanx_chunked_sealer_finish(phalanx_chunked_sealer* sealer);
void phalanx_chunked_sealer_free(phalanx_chunked_sealer* sealer);

/* Opens a message as it comes; `append` takes the plaintext of verified chunks alone. Only once finish has returned OK is it
 * known that there was all of the message. Not for several threads at once. */
typedef struct phalanx_chunked_opener phalanx_chunked_opener;
PHALANX_MUST_CHECK int phalanx_chunked_opener_new(phalanx_chunked_opener** opener, const phalanx_chunked* chunked,
                                                  phalanx_append append, void* user_data);
PHALANX_MUST_CHECK int phalanx_chunked_opener_write(phalanx_chunked_opener* opener, const uint8_t* sealed, size_t size);
PHALANX_MUST_CHECK int phalanx_chunked_opener_finish(phalanx_chunked_opener* opener);
void phalanx_chunked_opener_free(phalanx_chunked_opener* opener);

/* An open message, of which any part can be read: through a function, in memory, which must stay as it is, in a file, or in
 * an open file, of whose descriptor the reader keeps a copy. Its length is authentic. Immutable. Any number of threads may
 * use it at once, if they may call read_at at once. */
typedef struct phalanx_chunked_reader phalanx_chunked_reader;
PHALANX_MUST_CHECK int phalanx_chunked_reader_new(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                  phalanx_read_at read_at, void* user_data, uint64_t sealed_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_reader_of_memory(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                        const uint8_t* in, size_t in_bytes);
void phalanx_chunked_reader_free(phalanx_chunked_reader* reader);

/* How many bytes of plaintext the message has. */
PHALANX_MUST_CHECK int phalanx_chunked_reader_size(const phalanx_chunked_reader* reader, uint64_t* plain_bytes);

/* The plaintext from `offset` on, `size` bytes, all within the plaintext's size. If reading fails or a chunk is not
 * authentic, `out` holds zeros. */
PHALANX_MUST_CHECK int phalanx_chunked_reader_read(const phalanx_chunked_reader* reader, uint64_t offset, uint8_t* out,
                                                   size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* This header has C2SP chunked encryption in C. chunked.hpp says more about each function, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_CHUNKED_H
#define PHALANX_CHUNKED_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A phalanx_chunked seals and opens messages under one key and one context. `name` is "cobblestone-128", whose key has 16
 * bytes, or "cobblestone-256", "serpent-256" or "twofish-256", whose keys have 32. `context` may be null where it is
 * empty. */
typedef struct phalanx_chunked phalanx_chunked;
PHALANX_MUST_CHECK int phalanx_chunked_new(phalanx_chunked** chunked, const char* name, const uint8_t* key, size_t key_bytes,
                                           const uint8_t* context, size_t context_bytes,
                                           const phalanx_engine_options* options);
void phalanx_chunked_free(phalanx_chunked* chunked);
PHALANX_MUST_CHECK int phalanx_chunked_engine(const phalanx_chunked* chunked, const char** engine);

/* These compute the size of a message from the size of its plaintext, and the reverse. TRUNCATED means that no message
 * has that size. */
PHALANX_MUST_CHECK int phalanx_chunked_sealed_bytes(uint64_t plain_bytes, uint64_t* sealed_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_plain_bytes(uint64_t sealed_bytes, uint64_t* plain_bytes);

/* These seal and open a whole message. The functions above give out_bytes. `in` and `out` are disjoint. Opening returns
 * WRONG_KEY where key, context or cipher differs, or AUTHENTICATION, or TRUNCATED. `out` then holds zeros. */
PHALANX_MUST_CHECK int phalanx_chunked_seal(const phalanx_chunked* chunked, const uint8_t* in, size_t in_bytes, uint8_t* out,
                                            size_t out_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_open(const phalanx_chunked* chunked, const uint8_t* in, size_t in_bytes, uint8_t* out,
                                            size_t out_bytes);

/* A sealer seals a message of any length as it comes. `append` takes the message's next bytes and returns 0, or another
 * number if it failed. After a failure the sealer takes nothing more. One thread at a time may use a sealer. A sealer
 * that is freed without finish leaves a truncated message. */
typedef struct phalanx_chunked_sealer phalanx_chunked_sealer;
PHALANX_MUST_CHECK int phalanx_chunked_sealer_new(phalanx_chunked_sealer** sealer, const phalanx_chunked* chunked,
                                                  phalanx_append append, void* user_data);
PHALANX_MUST_CHECK int phalanx_chunked_sealer_write(phalanx_chunked_sealer* sealer, const uint8_t* plain, size_t size);
PHALANX_MUST_CHECK int phalanx_chunked_sealer_finish(phalanx_chunked_sealer* sealer);
void phalanx_chunked_sealer_free(phalanx_chunked_sealer* sealer);

/* An opener opens a message as it comes. `append` takes plaintext of verified chunks alone. The message is known to be
 * complete only once finish has returned OK. One thread at a time may use an opener. */
typedef struct phalanx_chunked_opener phalanx_chunked_opener;
PHALANX_MUST_CHECK int phalanx_chunked_opener_new(phalanx_chunked_opener** opener, const phalanx_chunked* chunked,
                                                  phalanx_append append, void* user_data);
PHALANX_MUST_CHECK int phalanx_chunked_opener_write(phalanx_chunked_opener* opener, const uint8_t* sealed, size_t size);
PHALANX_MUST_CHECK int phalanx_chunked_opener_finish(phalanx_chunked_opener* opener);
void phalanx_chunked_opener_free(phalanx_chunked_opener* opener);

/* A reader is an open message, of which any part can be read. The message is read through a function, from memory, from a
 * file, or from an open file. The memory must stay as it is. The reader keeps a copy of an open file's descriptor. The
 * length of the message is authentic. The reader is immutable. Any number of threads may use it at once, if they may call
 * read_at at once. */
typedef struct phalanx_chunked_reader phalanx_chunked_reader;
PHALANX_MUST_CHECK int phalanx_chunked_reader_new(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                  phalanx_read_at read_at, void* user_data, uint64_t sealed_bytes);
PHALANX_MUST_CHECK int phalanx_chunked_reader_of_memory(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                        const uint8_t* in, size_t in_bytes);
void phalanx_chunked_reader_free(phalanx_chunked_reader* reader);

/* Gives the number of bytes of the plaintext. */
PHALANX_MUST_CHECK int phalanx_chunked_reader_size(const phalanx_chunked_reader* reader, uint64_t* plain_bytes);

/* Reads `size` bytes of plaintext from `offset` on, all within the plaintext's size. If reading fails or a chunk is not
 * authentic, `out` holds zeros. */
PHALANX_MUST_CHECK int phalanx_chunked_reader_read(const phalanx_chunked_reader* reader, uint64_t offset, uint8_t* out,
                                                   size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

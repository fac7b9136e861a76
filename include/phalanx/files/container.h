/* This header has Phalanx's container in C. container.hpp says more about each function, and phalanx.h has the
 * conventions. `suite` is "aes-256", "aes-128", "serpent-256" or "twofish-256". */
#ifndef PHALANX_CONTAINER_H
#define PHALANX_CONTAINER_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_key_kind {
  PHALANX_KEY = 1,
  PHALANX_PASSPHRASE = 2,
  PHALANX_PUBLIC_KEY = 3,        /* age's: the secret is the text, "age1..."; an identity's is "AGE-SECRET-KEY-1..." */
  PHALANX_PUBLIC_KEY_CALLS = 256 /* other public keys: the secret is a phalanx_public_key_calls, and secret_bytes its size */
};

/* Describes a recipient, who can open the container. The last three members are the cost of scrypt under a passphrase;
 * all 0 means 17, 8, 1. A call derives one key from it, also where it seals many files. Another call derives it anew. */
typedef struct phalanx_recipient {
  size_t struct_bytes;
  int kind; /* a phalanx_key_kind */
  const uint8_t* secret;
  size_t secret_bytes; /* the suite's length for a key; 1 at least for a passphrase */
  uint8_t log2_n, r, p;
} phalanx_recipient;
#define PHALANX_RECIPIENT_INIT \
  { sizeof(phalanx_recipient), 0, NULL, 0, 0, 0, 0 }

/* Wraps the 16 bytes of a new random file key of age. It may replace them by others, as random, that were never there
 * before. It adds the text of each stanza, and the labels of the stanzas. It returns 0, or another number if it failed. */
typedef struct phalanx_wrapped_file_key phalanx_wrapped_file_key;
typedef int (*phalanx_wrap_file_key)(void* user_data, uint8_t* file_key, phalanx_wrapped_file_key* wrapped);
PHALANX_MUST_CHECK int phalanx_wrapped_file_key_add_stanza(phalanx_wrapped_file_key* wrapped, const char* text);
PHALANX_MUST_CHECK int phalanx_wrapped_file_key_add_label(phalanx_wrapped_file_key* wrapped, const char* label);

/* Writes the 16 bytes of the file key that one of the stanzas wraps, and returns 0. It returns 1 if no stanza is this
 * identity's, and another number if it failed. */
typedef int (*phalanx_unwrap_file_key)(void* user_data, const char* const* stanzas, size_t num_stanzas, uint8_t* file_key);

/* Describes a public key that the library does not know itself. A recipient has `wrap`, an identity `unwrap`. They are
 * called before the function that takes them returns. With may_be_mixed the recipient may stand beside others whose
 * labels differ; without it that is POLICY. */
typedef struct phalanx_public_key_calls {
  size_t struct_bytes;
  void* user_data;
  phalanx_wrap_file_key wrap;
  phalanx_unwrap_file_key unwrap;
  int may_be_mixed;
} phalanx_public_key_calls;
#define PHALANX_PUBLIC_KEY_CALLS_INIT \
  { sizeof(phalanx_public_key_calls), 0, 0, 0, 0 }

/* Describes an identity, which opens a container. */
typedef struct phalanx_identity {
  size_t struct_bytes;
  int kind; /* a phalanx_key_kind */
  const uint8_t* secret;
  size_t secret_bytes;
} phalanx_identity;
#define PHALANX_IDENTITY_INIT \
  { sizeof(phalanx_identity), 0, NULL, 0 }

/* Limits the cost of scrypt for opening, as bytes of work: 128 * N * r * p. 0 means 1 GiB for one passphrase, and 2 GiB
 * for all that are tried. For a function that takes limits, null means PHALANX_COST_LIMITS_INIT. */
typedef struct phalanx_cost_limits {
  size_t struct_bytes;
  uint64_t one_passphrase;
  uint64_t all_passphrases;
} phalanx_cost_limits;
#define PHALANX_COST_LIMITS_INIT \
  { sizeof(phalanx_cost_limits), 0, 0 }

/* Binds a container to more than its keys; Binding in container.hpp says more. Sealing without a name binds to none. For
 * a function that takes a binding, null means PHALANX_BINDING_INIT, which binds to nothing. */
typedef struct phalanx_binding {
  size_t struct_bytes;
  const uint8_t* context; /* opening needs the same context; with 0 bytes none */
  size_t context_bytes;
  const char* name;  /* to seal: the container's name; to open: replaces the file's own name. Null or "": none */
  const char* below; /* precedes every name of a file: where its folder lies in the whole tree; null or "": nothing */
  int any_name;      /* to open: names are not compared */
  int needs_name;    /* to open: a container that is bound to no name is USAGE */
} phalanx_binding;
#define PHALANX_BINDING_INIT \
  { sizeof(phalanx_binding), NULL, 0, NULL, NULL, 0, 0 }

/* Computes the size of a container that holds plain_bytes for these recipients. It checks each of them as
 * phalanx_container_seal does, its secret's size too. */
PHALANX_MUST_CHECK int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                                               uint64_t plain_bytes, const phalanx_binding* binding,
                                               uint64_t* container_bytes);

/* Seals `in` for all the recipients; out_bytes is what phalanx_container_bytes gives. `in` and `out` are disjoint. */
PHALANX_MUST_CHECK int phalanx_container_seal(const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                                              const uint8_t* in, size_t in_bytes, uint8_t* out, size_t out_bytes,
                                              const phalanx_binding* binding, const phalanx_engine_options* options);

/* A writer seals a stream of any length. `append` takes the next bytes of the container and returns 0, or another number
 * if it failed. After a failure the writer takes nothing more. One thread at a time may use it. A writer that is freed
 * without finish leaves a truncated container. */
typedef struct phalanx_container_writer phalanx_container_writer;
PHALANX_MUST_CHECK int phalanx_container_writer_new(phalanx_container_writer** writer, phalanx_append append,
                                                    void* user_data, const char* suite, const phalanx_recipient* recipients,
                                                    size_t num_recipients, const phalanx_binding* binding,
                                                    const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_container_writer_write(phalanx_container_writer* writer, const uint8_t* plain, size_t size);
/* Writes from memory of an NVIDIA GPU, behind the work on `stream`, a cudaStream_t or null, and waits. Only ciphertext
 * crosses the link. The bytes that were written before are a multiple of 16,384, and so is `size`. Only the last call
 * before finish may have another `size`. */
PHALANX_MUST_CHECK int phalanx_container_writer_write_from_device(phalanx_container_writer* writer, const void* plain,
                                                                  size_t size, void* stream);
PHALANX_MUST_CHECK int phalanx_container_writer_finish(phalanx_container_writer* writer);
void phalanx_container_writer_free(phalanx_container_writer* writer);

/* A reader is an open container, of which any part can be read. The container is read through a function, from memory,
 * which must stay as it is, or from a file. The reader is immutable. Any number of threads may use it at once, if they
 * may call read_at at once. POLICY means that no identity fits and a passphrase was not tried because of the limits. */
typedef struct phalanx_container_reader phalanx_container_reader;
PHALANX_MUST_CHECK int phalanx_container_reader_new(phalanx_container_reader** reader, phalanx_read_at read_at,
                                                    void* user_data, uint64_t container_bytes,
                                                    const phalanx_identity* identities, size_t num_identities,
                                                    const phalanx_cost_limits* limits, const phalanx_binding* binding,
                                                    const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_container_reader_of_memory(phalanx_container_reader** reader, const uint8_t* in,
                                                          size_t in_bytes, const phalanx_identity* identities,
                                                          size_t num_identities, const phalanx_cost_limits* limits,
                                                          const phalanx_binding* binding,
                                                          const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_container_reader_of_file(phalanx_container_reader** reader, const char* path,
                                                        const phalanx_identity* identities, size_t num_identities,
                                                        const phalanx_cost_limits* limits, const phalanx_binding* binding,
                                                        const phalanx_engine_options* options);
void phalanx_container_reader_free(phalanx_container_reader* reader);

/* These give the number of bytes of the plaintext, and the suite, as "aes-256". */
PHALANX_MUST_CHECK int phalanx_container_reader_size(const phalanx_container_reader* reader, uint64_t* plain_bytes);
PHALANX_MUST_CHECK int phalanx_container_reader_suite(const phalanx_container_reader* reader, const char** suite);

/* Reads `size` bytes of plaintext from `offset` on, all within the plaintext's size. If reading fails or a chunk is not
 * authentic, `out` holds zeros. */
PHALANX_MUST_CHECK int phalanx_container_reader_read(const phalanx_container_reader* reader, uint64_t offset, uint8_t* out,
                                                     size_t size);
/* Reads into memory of an NVIDIA GPU, behind the work on `stream`, a cudaStream_t or null, and waits. Ciphertext crosses
 * the link, and the GPU opens it. ContainerReader in container.hpp says more. */
PHALANX_MUST_CHECK int phalanx_container_reader_read_to_device(const phalanx_container_reader* reader, uint64_t offset,
                                                               void* out, size_t size, void* stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

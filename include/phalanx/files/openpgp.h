/* This header reads encrypted messages of OpenPGP in C. openpgp.hpp says more about each function, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_OPENPGP_H
#define PHALANX_OPENPGP_H

#include <phalanx/files/foreign.h>
#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Holds what opens a message: a passphrase or its session key. Null means that there is none. */
typedef struct phalanx_openpgp_secrets {
  size_t struct_bytes;
  const uint8_t* passphrase; /* with 0 bytes: the empty passphrase */
  size_t passphrase_bytes;
  const uint8_t* session_key; /* what `gpg --show-session-key -d` prints: "9:" and hex digits */
  size_t session_key_bytes;
  int allow_unauthenticated; /* not 0: reads a message of old PGP too, which nothing authenticates */
} phalanx_openpgp_secrets;
#define PHALANX_OPENPGP_SECRETS_INIT \
  { sizeof(phalanx_openpgp_secrets), NULL, 0, NULL, 0, 0 }

/* A reader decrypts an encrypted message from its beginning to its end, and gives its content. Nothing is given that was not
 * authenticated, unless that is allowed. All that fails under a secret is WRONG_KEY, in one message. One thread at a time may
 * use it. After a read that failed, each later read fails in the same way. */
typedef struct phalanx_openpgp_reader phalanx_openpgp_reader;
PHALANX_MUST_CHECK int phalanx_openpgp_reader_new(phalanx_openpgp_reader** reader, phalanx_read_next read_next,
                                                  void* user_data, const phalanx_openpgp_secrets* secrets,
                                                  const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_openpgp_reader_of_file(phalanx_openpgp_reader** reader, const char* path,
                                                      const phalanx_openpgp_secrets* secrets,
                                                      const phalanx_engine_options* options);
void phalanx_openpgp_reader_free(phalanx_openpgp_reader* reader);
PHALANX_MUST_CHECK int phalanx_openpgp_reader_read(phalanx_openpgp_reader* reader, uint8_t* out, size_t size,
                                                   size_t* got_bytes);
/* Say by which cipher the message is encrypted, such as "aes-256-cfb"; whether it is authenticated; and, once all was read,
 * whether there was a signature, which nobody checked. */
PHALANX_MUST_CHECK int phalanx_openpgp_reader_cipher(const phalanx_openpgp_reader* reader, const char** cipher);
PHALANX_MUST_CHECK int phalanx_openpgp_reader_is_authenticated(const phalanx_openpgp_reader* reader, int* is_authenticated);
PHALANX_MUST_CHECK int phalanx_openpgp_reader_is_signed(const phalanx_openpgp_reader* reader, int* is_signed);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

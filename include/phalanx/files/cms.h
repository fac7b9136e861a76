/* This header reads encrypted messages of CMS and S/MIME in C. cms.hpp says more about each function, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_CMS_H
#define PHALANX_CMS_H

#include <phalanx/files/foreign.h>
#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Holds what a recipient opens a message with: one of a private key, a key and a passphrase. Null means that there is none. */
typedef struct phalanx_cms_keys {
  size_t struct_bytes;
  const uint8_t* private_key; /* the content of a file in PEM, DER or PKCS #12 */
  size_t private_key_bytes;
  const uint8_t* private_key_passphrase; /* for a private key that has one */
  size_t private_key_passphrase_bytes;
  const uint8_t* certificate; /* the content of a file: the private key's; null: every recipient that it may be is tried */
  size_t certificate_bytes;
  const uint8_t* key; /* wraps the content's key; of an EncryptedData it is that */
  size_t key_bytes;
  const uint8_t* passphrase; /* with 0 bytes: the empty passphrase */
  size_t passphrase_bytes;
} phalanx_cms_keys;
#define PHALANX_CMS_KEYS_INIT \
  { sizeof(phalanx_cms_keys), NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0 }

/* A reader decrypts an encrypted message from its beginning to its end. A content in GCM is given once its tag was verified;
 * nothing authenticates one in CBC. All that fails under a key is WRONG_KEY, in one message. One thread at a time may use
 * it. After a read that failed, each later read fails in the same way. */
typedef struct phalanx_cms_reader phalanx_cms_reader;
PHALANX_MUST_CHECK int phalanx_cms_reader_new(phalanx_cms_reader** reader, phalanx_read_next read_next, void* user_data,
                                              const phalanx_cms_keys* keys, const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_cms_reader_of_file(phalanx_cms_reader** reader, const char* path,
                                                  const phalanx_cms_keys* keys, const phalanx_engine_options* options);
void phalanx_cms_reader_free(phalanx_cms_reader* reader);
PHALANX_MUST_CHECK int phalanx_cms_reader_read(phalanx_cms_reader* reader, uint8_t* out, size_t size, size_t* got_bytes);
/* Says by which cipher the content is encrypted, such as "aes-256-cbc", and whether it has a tag, which was verified. */
PHALANX_MUST_CHECK int phalanx_cms_reader_cipher(const phalanx_cms_reader* reader, const char** cipher);
PHALANX_MUST_CHECK int phalanx_cms_reader_is_authenticated(const phalanx_cms_reader* reader, int* is_authenticated);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

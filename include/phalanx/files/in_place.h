/* This header overwrites files with their own encryption or decryption, so that a killed run can go on. in_place.hpp says
 * more, and phalanx.h has the conventions. */
#ifndef PHALANX_IN_PLACE_H
#define PHALANX_IN_PLACE_H

#include <phalanx/files/cancellation.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct phalanx_in_place_format {
  size_t struct_bytes;
  const char* cipher; /* "aes-256-xts" */
  const uint8_t* key;
  size_t key_bytes;
  const uint8_t* iv; /* null for ECB and sectors */
  size_t iv_bytes;
  size_t sector_bytes; /* for XTS; 0: one data unit */
  uint64_t first_tweak;
  uint64_t tweak_step; /* 0 means 1 */
} phalanx_in_place_format;
#define PHALANX_IN_PLACE_FORMAT_INIT \
  { sizeof(phalanx_in_place_format), NULL, NULL, 0, NULL, 0, 0, 0, 0 }

/* Null means PHALANX_IN_PLACE_OPTIONS_INIT. */
typedef struct phalanx_in_place_options {
  size_t struct_bytes;
  int allow_unmarked;
  int any_device;
  phalanx_on_progress on_progress; /* or null */
  void* user_data;
  const phalanx_cancellation* cancellation; /* or null */
} phalanx_in_place_options;
#define PHALANX_IN_PLACE_OPTIONS_INIT \
  { sizeof(phalanx_in_place_options), 0, 0, NULL, NULL, NULL }

typedef struct phalanx_crypted_in_place {
  size_t struct_bytes;
  uint64_t file_bytes;
  uint64_t resumed_bytes; /* of those, the bytes that an earlier run had done */
  char warning[256];      /* why the file had no mark, cut to fit; "" if it had */
} phalanx_crypted_in_place;
#define PHALANX_CRYPTED_IN_PLACE_INIT \
  { sizeof(phalanx_crypted_in_place), 0, 0, "" }

/* These encrypt and decrypt a file in place. `result` may be null. */
PHALANX_MUST_CHECK int phalanx_encrypt_in_place(const char* path, const phalanx_in_place_format* format,
                                                const phalanx_in_place_options* in_place,
                                                const phalanx_cipher_policy* policy, const phalanx_engine_options* options,
                                                phalanx_crypted_in_place* result);
PHALANX_MUST_CHECK int phalanx_decrypt_in_place(const char* path, const phalanx_in_place_format* format,
                                                const phalanx_in_place_options* in_place,
                                                const phalanx_cipher_policy* policy, const phalanx_engine_options* options,
                                                phalanx_crypted_in_place* result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

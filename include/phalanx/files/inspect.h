/* This header says what a file is, as it shows without a key. inspect.hpp says more, and phalanx.h has the conventions. */
#ifndef PHALANX_INSPECT_H
#define PHALANX_INSPECT_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum phalanx_file_format {
  PHALANX_FORMAT_UNKNOWN = 0,
  PHALANX_FORMAT_CONTAINER = 1,
  PHALANX_FORMAT_OPENSSL_ENC = 2,
  PHALANX_FORMAT_IN_PLACE_JOURNAL = 3,
  PHALANX_FORMAT_LUKS = 4
};

typedef struct phalanx_inspected {
  size_t struct_bytes;
  int format; /* a phalanx_file_format */
  uint64_t file_bytes;
  int version; /* this and the next ones are for a container; phalanx_list_recipients has more */
  char suite[32];
  char aead[32];
  uint64_t num_recipients;
  uint64_t header_bytes;
  uint64_t num_chunks; /* this and the next are 0 with a problem */
  uint64_t plain_bytes;
  char problem[256]; /* why no container has the file's size; "" if one has */
  int is_base64;     /* this and the next ones are for `openssl enc`; in base64 they are 0 */
  uint8_t salt[8];
  uint64_t ciphertext_bytes;
  int needs_context;      /* a container's: opening it needs a context */
  int has_name;           /* a container's: it is bound to a name */
  char kind[32];          /* this and the next ones are for files of any kind: docs/what_is_this_file.md has the kinds */
  char form[32];          /* "" for bytes; "PEM", "armor", "mail", "base64", "hex", "UTF-16", or two of them */
  char protection[16];    /* "encrypted", "signed", "none", or "unknown" */
  char description[256];  /* for people */
  char opened_by[256];    /* for people: whose program opens or reads it */
  int is_certain;         /* random bytes begin so less than once in 2^32 times */
  int is_cut;             /* the file says how long it is, and is shorter */
  int volume_version;     /* this and the next ones are for a volume of LUKS: 1 or 2, or 0 where its header cannot be read */
  char volume_cipher[64]; /* dm-crypt's name: "aes-xts-plain64" */
  uint64_t key_bytes;     /* of the volume key */
  uint64_t sector_bytes;  /* of the longest sector */
  uint64_t data_offset;   /* in bytes */
  uint64_t volume_bytes;  /* of plaintext, if the data lie in this file */
  uint64_t num_key_slots; /* those in use */
  char volume_problem[256]; /* why it cannot be read here; "" where it can */
} phalanx_inspected;
#define PHALANX_INSPECTED_INIT                                                                                             \
  {                                                                                                                        \
    sizeof(phalanx_inspected), 0, 0, 0, "", "", 0, 0, 0, 0, "", 0, {0}, 0, 0, 0, "", "", "", "", "", 0, 0, 0, "", 0, 0, 0, \
        0, 0, ""                                                                                                           \
  }

/* Inspects a file, or a pipe, which is read to its end. */
PHALANX_MUST_CHECK int phalanx_inspect_file(const char* path, phalanx_inspected* inspected);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

/* This header reads encrypted volumes, LUKS1 and LUKS2, in C. volume.hpp says more about each function, and phalanx.h has
 * the conventions. */
#ifndef PHALANX_VOLUME_H
#define PHALANX_VOLUME_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Says where a volume is, and which of its keys is meant. Null means PHALANX_VOLUME_OPTIONS_INIT. */
typedef struct phalanx_volume_options {
  size_t struct_bytes;
  const char* header_path; /* a file with the header alone; null: the volume begins with its header */
  uint64_t start;          /* the volume begins behind so many bytes of its file */
  int key_slot;            /* the only slot that is tried, from 0 on; -1: all */
} phalanx_volume_options;
#define PHALANX_VOLUME_OPTIONS_INIT \
  { sizeof(phalanx_volume_options), NULL, 0, -1 }

/* This is what an open volume's header says. Texts are cut to fit. */
typedef struct phalanx_volume_facts {
  size_t struct_bytes;
  char format[16];     /* "LUKS1" or "LUKS2" */
  char uuid[48];       /* as text */
  char cipher[64];     /* dm-crypt's name of the first segment's: "aes-xts-plain64" */
  size_t key_bytes;    /* the size of the volume key in bytes */
  size_t sector_bytes; /* the longest sector in bytes: 512 to 4096 */
  unsigned key_slot;   /* the slot that the passphrase opened */
  char note[256];      /* that one of LUKS2's two headers is damaged; "" where both are right */
  uint64_t num_bytes;  /* the size of the plaintext in bytes */
} phalanx_volume_facts;
#define PHALANX_VOLUME_FACTS_INIT \
  { sizeof(phalanx_volume_facts), "", "", "", 0, 0, 0, "", 0 }

/* This reads a volume's plaintext, which nothing authenticates. Any number of threads may use it at once. `passphrase` has
 * the bytes of the passphrase, or all of a key file, its line end included. It is not kept. */
typedef struct phalanx_volume_reader phalanx_volume_reader;
PHALANX_MUST_CHECK int phalanx_volume_reader_new(phalanx_volume_reader** reader, const char* path, const uint8_t* passphrase,
                                                 size_t passphrase_bytes, const phalanx_volume_options* volume,
                                                 const phalanx_engine_options* options);
void phalanx_volume_reader_free(phalanx_volume_reader* reader);
PHALANX_MUST_CHECK int phalanx_volume_reader_facts(const phalanx_volume_reader* reader, phalanx_volume_facts* facts);
/* Reads the plaintext from `offset` on. got_bytes is less than size only at the volume's end, and 0 behind it. */
PHALANX_MUST_CHECK int phalanx_volume_reader_read(const phalanx_volume_reader* reader, uint64_t offset, uint8_t* out,
                                                  size_t size, size_t* got_bytes);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

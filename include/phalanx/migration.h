/* From files of old ciphertext to containers. migration.hpp says more, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_MIGRATION_H
#define PHALANX_MIGRATION_H

#include <phalanx/cancellation.h>
#include <phalanx/container.h>
#include <phalanx/foreign.h>
#include <phalanx/verification.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* With all 0, OUT is read back and compared, replaces nothing, and begins anew. Null means
 * PHALANX_MIGRATION_OPTIONS_INIT. */
typedef struct phalanx_migration_options {
  size_t struct_bytes;
  int without_verification;
  int replace;
  int resume;
  phalanx_on_progress on_progress; /* or null */
  void* context;
  const phalanx_cancellation* cancellation; /* or null */
} phalanx_migration_options;
#define PHALANX_MIGRATION_OPTIONS_INIT \
  { sizeof(phalanx_migration_options), 0, 0, 0, NULL, NULL, NULL }

typedef struct phalanx_migrated {
  size_t struct_bytes;
  uint64_t source_bytes;
  uint64_t container_bytes;
  char sha256[65]; /* of the plaintext, in hex; "" if it was not verified */
  char digest[32]; /* which made the key from the passphrase; "" under a key */
  char doubt[256]; /* why the old key may be wrong, cut to fit; "" if something vouches for the plaintext */
} phalanx_migrated;
#define PHALANX_MIGRATED_INIT \
  { sizeof(phalanx_migrated), 0, 0, "", "", "" }

int phalanx_migrate_file(const char* in, const phalanx_foreign_format* format, const char* out, const char* suite,
                         const phalanx_recipient* recipients, size_t num_recipients,
                         const phalanx_migration_options* migration, const phalanx_options* options,
                         phalanx_migrated* migrated);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

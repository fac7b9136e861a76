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

/* What became of one file of a tree. The strings live as long as the call of phalanx_on_migrated. */
typedef struct phalanx_tree_file_migration {
  const char* name; /* below the folder of the old files */
  int code;         /* PHALANX_OK, or what is wrong with it */
  int skipped;
  const char* why;          /* it failed or was skipped; "" otherwise */
  uint64_t source_bytes;    /* of the old file, where it is done */
  uint64_t container_bytes; /* of its container */
  int verified;
  const char* sha256; /* of the plaintext, where it was asked for; "" otherwise */
  const char* found;  /* what it was opened with, in words */
  const char* doubt;  /* why the old key may be wrong; "" if something vouches for the plaintext */
  int deleted;        /* the old file was removed */
  const char* kept;   /* why it was not, though it was to go and there is no doubt; "" otherwise */
} phalanx_tree_file_migration;

/* Returns 0, or another number to end the call: RUNTIME. Called by any thread, but one at a time. */
typedef int (*phalanx_on_migrated)(void* context, const phalanx_tree_file_migration* file);

/* With all 0, containers are read back and compared, get what the old files have (times, permissions, owner, attributes) and
 * replace nothing, and no old file is removed. Null means PHALANX_TREE_MIGRATION_OPTIONS_INIT. */
typedef struct phalanx_tree_migration_options {
  size_t struct_bytes;
  int without_verification;
  int without_preserving;
  int replace;
  int sha256;
  int find_wrapping; /* find whether each file is base64, and whether it has a salt */
  int delete_source;
  int delete_doubtful;
  int keep_going;
  size_t num_jobs;                 /* files at once; 0: as many as are usual */
  phalanx_on_migrated on_migrated; /* or null */
  void* context;
  phalanx_on_progress on_progress; /* or null */
  void* progress_context;
  const phalanx_cancellation* cancellation; /* or null */
} phalanx_tree_migration_options;
#define PHALANX_TREE_MIGRATION_OPTIONS_INIT \
  { sizeof(phalanx_tree_migration_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL }

typedef struct phalanx_tree_migration_counts {
  size_t struct_bytes;
  uint64_t num_done;
  uint64_t num_done_before; /* by an earlier call with the same manifest; nothing is told of them */
  uint64_t num_failed;
  uint64_t num_skipped;
  uint64_t num_doubtful; /* of those that are done */
  uint64_t num_deleted;
  uint64_t num_kept; /* though they were to go */
  uint64_t num_left; /* not tried, since most files could not be opened */
} phalanx_tree_migration_counts;
#define PHALANX_TREE_MIGRATION_COUNTS_INIT \
  { sizeof(phalanx_tree_migration_counts), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Every file below the folder `from`, to a container below the folder `to`. Any of the formats may be that of a file. OK even
 * where some failed: the counts say so. */
int phalanx_migrate_tree(const char* from, const char* to, const char* manifest,
                         const phalanx_foreign_format* const* formats, size_t num_formats, const char* suite,
                         const phalanx_recipient* recipients, size_t num_recipients,
                         const phalanx_tree_migration_options* migration, const phalanx_options* options,
                         phalanx_tree_migration_counts* counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

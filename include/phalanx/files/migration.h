/* This header migrates files of old ciphertext to containers. migration.hpp says more, and phalanx.h has the conventions. */
#ifndef PHALANX_MIGRATION_H
#define PHALANX_MIGRATION_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/container.h>
#include <phalanx/files/foreign.h>
#include <phalanx/files/tree_index.h>
#include <phalanx/files/verification.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* With the _INIT, OUT is read back and compared, replaces nothing, and begins anew. Null means
 * PHALANX_MIGRATION_OPTIONS_INIT. */
typedef struct phalanx_migration_options {
  size_t struct_bytes;
  int verify; /* read OUT back before it gets its name, and compare */
  int replace;
  int resume;
  phalanx_on_progress on_progress; /* or null */
  void* user_data;
  const phalanx_cancellation* cancellation; /* or null */
  int sha256;                               /* compute SHA-256 of the plaintext, which takes longer */
} phalanx_migration_options;
#define PHALANX_MIGRATION_OPTIONS_INIT \
  { sizeof(phalanx_migration_options), 1, 0, 0, NULL, NULL, NULL, 0 }

/* Says why the old key may be wrong, and the plaintext garbage. A program that decides whether an old file may go asks
 * for NONE: a number that you do not know is a doubt. */
enum phalanx_doubt {
  PHALANX_DOUBT_NONE = 0,            /* all of the plaintext is confirmed */
  PHALANX_DOUBT_NOTHING_KNOWN = 1,   /* no padding is checked, and the plaintext is of no known kind */
  PHALANX_DOUBT_BEGINNING_ALONE = 2, /* only the beginning is of a known kind */
  PHALANX_DOUBT_ANOTHER_FITS = 3,    /* another candidate, or sectors of another size, give what looks as right */
  PHALANX_DOUBT_CHANCE = 4,          /* there is padding, but a wrong key gives as much by chance */
  PHALANX_DOUBT_FIRST_BLOCK = 5,     /* the key was right, but the iv may be wrong or missing, and with it the first block */
  PHALANX_DOUBT_PADDING_IN_TEXT = 6, /* text that ends as padding does: padding may have been left in it */
  PHALANX_DOUBT_SECTORS_UNTRIED = 7, /* sectors of other sizes could not be tried */
  PHALANX_DOUBT_NOT_RECORDED = 8,    /* an earlier version was in doubt, and its manifest does not say of which kind */
  PHALANX_DOUBT_NO_TAG = 9           /* the data is of GCM, and its tag was not written: nothing shows that it is whole */
};

typedef struct phalanx_migrated {
  size_t struct_bytes;
  uint64_t source_bytes;
  uint64_t container_bytes;
  char sha256[65];          /* of the plaintext, in hex, where the options ask for it; "" otherwise */
  char digest[32];          /* the digest that made the key from the passphrase; "" under a key */
  int doubt;                /* a phalanx_doubt: why the old key may be wrong */
  char doubt_sentence[256]; /* the doubt for people, cut to fit; "" if there is none */
} phalanx_migrated;
#define PHALANX_MIGRATED_INIT \
  { sizeof(phalanx_migrated), 0, 0, "", "", 0, "" }

/* Opens the old file `in`, seals what it holds as the container `out`, and reads that back. migration.hpp says more. */
PHALANX_MUST_CHECK int phalanx_migrate_file(const char* in, const phalanx_foreign_format* format, const char* out,
                                            const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                                            const phalanx_migration_options* migration, const phalanx_binding* binding,
                                            const phalanx_engine_options* options, phalanx_migrated* migrated);

/* This is the result of one file of a tree. The strings live as long as the call of phalanx_on_migrated. */
typedef struct phalanx_tree_file_migration {
  const char* name; /* below the folder of the old files */
  int code;         /* PHALANX_OK, or what is wrong with it */
  int skipped;
  const char* why;          /* why it failed or was skipped; "" otherwise */
  uint64_t source_bytes;    /* bytes of the old file, where it is done */
  uint64_t container_bytes; /* bytes of its container */
  int verified;
  const char* sha256;         /* of the plaintext, in hex, where the options ask for it; "" otherwise */
  const char* found;          /* the format that opened it, in words */
  int doubt;                  /* a phalanx_doubt: why the old key may be wrong */
  const char* doubt_sentence; /* the doubt for people; "" if there is none */
  int deleted;                /* the old file was removed */
  const char* kept;           /* why the old file was kept, though it was to go and there is no doubt; "" otherwise */
  const char* container;      /* its container's name below the containers' folder */
} phalanx_tree_file_migration;

/* Returns 0, or another number to end the call with RUNTIME. Any thread may call it, but one at a time. */
typedef int (*phalanx_on_migrated)(void* user_data, const phalanx_tree_file_migration* file);

/* With the _INIT, containers are read back and compared, and replace nothing. They get times, permissions, owner and
 * attributes of the old files. No old file is removed. Null means PHALANX_TREE_MIGRATION_OPTIONS_INIT. */
typedef struct phalanx_tree_migration_options {
  size_t struct_bytes;
  int verify;   /* as in phalanx_migration_options */
  int preserve; /* containers and folders get what the old ones have */
  int replace;
  int sha256;
  int find_wrapping; /* find whether each file is base64, and whether it has a salt */
  int delete_source;
  int delete_doubtful;
  int keep_going;
  size_t num_jobs;                 /* files at once; 0: as many as are usual */
  phalanx_on_migrated on_migrated; /* or null */
  void* user_data;
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
  const char* const* strip_suffixes;        /* suffixes to take off old names before .phalanx is put behind them */
  size_t num_strip_suffixes;
  int bind_names;                          /* bind each container to its path below `to`, without ".phalanx" */
  const phalanx_tree_index_options* index; /* an index of `to`, to which the call appends its segment; or null */
  phalanx_index_generation* appended;      /* the segment that the call has appended to the index; or null */
  int delete_volatile; /* with delete_source: also where containers lie in memory (tmpfs) and old files do not */
} phalanx_tree_migration_options;
#define PHALANX_TREE_MIGRATION_OPTIONS_INIT                                                                            \
  {                                                                                                                    \
    sizeof(phalanx_tree_migration_options), 1, 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, \
        NULL, 0                                                                                                        \
  }

typedef struct phalanx_tree_migration_counts {
  size_t struct_bytes;
  uint64_t num_done;
  uint64_t num_done_before; /* done by an earlier call with the same manifest; on_migrated is not told of them */
  uint64_t num_failed;
  uint64_t num_skipped;
  uint64_t num_doubtful; /* doubtful ones of those that are done, by this call or an earlier one */
  uint64_t num_deleted;
  uint64_t num_kept; /* old files that were kept, though they were to go */
  uint64_t num_left; /* not tried, since most files could not be opened */
} phalanx_tree_migration_counts;
#define PHALANX_TREE_MIGRATION_COUNTS_INIT \
  { sizeof(phalanx_tree_migration_counts), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Migrates every file below the folder `from` to a container below the folder `to`. Any of the formats may be that of a
 * file. Returns OK even where some files failed: the counts say so. */
PHALANX_MUST_CHECK int phalanx_migrate_tree(const char* from, const char* to, const char* manifest,
                                            const phalanx_foreign_format* const* formats, size_t num_formats,
                                            const char* suite, const phalanx_recipient* recipients, size_t num_recipients,
                                            const phalanx_tree_migration_options* migration, const phalanx_binding* binding,
                                            const phalanx_engine_options* options, phalanx_tree_migration_counts* counts);

/* This is the finding about one file of a tree, by a call that only looks. */
enum phalanx_tree_verdict {
  PHALANX_TREE_OPENS = 1,       /* it would be migrated, as far as its beginning and its end tell */
  PHALANX_TREE_FAILS = 2,       /* it would not be migrated, since it does not open */
  PHALANX_TREE_SKIPPED = 3,     /* it is none of the files that are migrated */
  PHALANX_TREE_DONE = 4,        /* an earlier call with the same manifest has migrated it */
  PHALANX_TREE_SAME = 5,        /* its container opens, to what the old file holds if that is still there */
  PHALANX_TREE_DIFFERS = 6,     /* its container does not open to that, or one of the two cannot be read */
  PHALANX_TREE_NOT_COMPARED = 7 /* its container opens, and no format that was given opens the old file */
};

/* The strings live as long as the call of phalanx_on_finding. */
typedef struct phalanx_tree_file_finding {
  const char* name; /* below the folder of the old files */
  int verdict;      /* PHALANX_TREE_OPENS and so on */
  int code;         /* PHALANX_OK, or what is wrong with one that fails, differs or is not compared */
  const char* detail;
  int doubt;                  /* a phalanx_doubt: why the old key may be wrong */
  const char* doubt_sentence; /* the doubt for people; "" if there is none */
  uint64_t num_bytes;
} phalanx_tree_file_finding;

/* Returns 0, or another number to end the call with RUNTIME. Any thread may call it, but one at a time. */
typedef int (*phalanx_on_finding)(void* user_data, const phalanx_tree_file_finding* file);

/* Null means PHALANX_TREE_FINDING_OPTIONS_INIT. */
typedef struct phalanx_tree_finding_options {
  size_t struct_bytes;
  int find_wrapping;
  size_t num_jobs;               /* files at once; 0: as many as are usual */
  phalanx_on_finding on_finding; /* or null */
  void* user_data;
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
  const char* const* strip_suffixes;        /* as in phalanx_tree_migration_options */
  size_t num_strip_suffixes;
} phalanx_tree_finding_options;
#define PHALANX_TREE_FINDING_OPTIONS_INIT \
  { sizeof(phalanx_tree_finding_options), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

typedef struct phalanx_tree_finding_counts {
  size_t struct_bytes;
  uint64_t num_opening;
  uint64_t num_failing;
  uint64_t num_skipped;
  uint64_t num_done;
  uint64_t num_same;
  uint64_t num_differing;
  uint64_t num_doubtful; /* doubtful ones of those that open, are done, are the same or are not compared */
  uint64_t num_bytes;    /* bytes of the old files that open, or of the containers that are the same */
  uint64_t num_not_compared;
} phalanx_tree_finding_counts;
#define PHALANX_TREE_FINDING_COUNTS_INIT \
  { sizeof(phalanx_tree_finding_counts), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Says what phalanx_migrate_tree would do with each file below `from`. Nothing is written: neither `to` nor `manifest`
 * need be there. */
PHALANX_MUST_CHECK int phalanx_preview_tree(const char* from, const char* to, const char* manifest,
                                            const phalanx_foreign_format* const* formats, size_t num_formats,
                                            const phalanx_tree_finding_options* finding, const phalanx_binding* binding,
                                            const phalanx_engine_options* options, phalanx_tree_finding_counts* counts);

/* Reads every container that the manifest says is done, and compares it with the old file where that is still there. Each
 * of the identities must open it. Without any format, no old file is compared. */
PHALANX_MUST_CHECK int phalanx_verify_tree(const char* from, const char* to, const char* manifest,
                                           const phalanx_foreign_format* const* formats, size_t num_formats,
                                           const phalanx_identity* identities, size_t num_identities,
                                           const phalanx_tree_finding_options* finding, const phalanx_binding* binding,
                                           const phalanx_engine_options* options, phalanx_tree_finding_counts* counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

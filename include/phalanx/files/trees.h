/* This header seals folders of files as folders of containers, and unseals them. trees.hpp says more, and phalanx.h has
 * the conventions. */
#ifndef PHALANX_TREES_H
#define PHALANX_TREES_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/container.h>
#include <phalanx/files/tree_index.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Says which containers that are there already are replaced. */
enum phalanx_tree_update {
  PHALANX_UPDATE_NONE = 0,
  PHALANX_UPDATE_BY_TIME = 1,   /* those that differ from their files in length or time */
  PHALANX_UPDATE_BY_CONTENT = 2 /* those that do not open, with the recipients' secrets, to the content of their files */
};

enum phalanx_tree_outcome {
  PHALANX_TREE_FILE_DONE = 1,
  PHALANX_TREE_FILE_FAILED = 2,
  PHALANX_TREE_FILE_SKIPPED = 3,
  PHALANX_TREE_FILE_REMOVED = 4,
  PHALANX_TREE_FILE_KEPT = 5,      /* a container whose file is gone, or a folder of such: no call has told of it before */
  PHALANX_TREE_FILE_UNFINISHED = 6 /* a stopped run has left it half done: a copy of it alone is of no use */
};

/* This is the result of one file. The strings live as long as the call of phalanx_on_tree_file. */
typedef struct phalanx_tree_file_result {
  const char* path; /* the file, a removed or kept container, or a folder of several that are kept */
  int outcome;      /* PHALANX_TREE_FILE_DONE and so on */
  int code;         /* PHALANX_OK, or what is wrong with one that failed */
  const char* why;  /* why it failed, was skipped, is kept or unfinished; "" otherwise */
} phalanx_tree_file_result;

/* Returns 0, or another number to end the call with RUNTIME. Any thread may call it, but one at a time. It is not called
 * for files whose containers are up to date. */
typedef int (*phalanx_on_tree_file)(void* user_data, const phalanx_tree_file_result* file);

/* With the _INIT, a file that has a container is skipped, nothing is replaced or removed, and containers get mode and
 * time of their files. Null means PHALANX_SEAL_TREE_OPTIONS_INIT. */
typedef struct phalanx_seal_tree_options {
  size_t struct_bytes;
  int update;                   /* a phalanx_tree_update */
  int prune;                    /* remove containers whose files are gone, unless why_not_removed is given */
  int replace;                  /* replace any file that has a container's name; not with update */
  int keep;                     /* containers get mode and time of their files; PHALANX_UPDATE_BY_TIME needs it */
  int verify;                   /* read each container back before it gets its name */
  int changing_input;           /* take files as they come */
  phalanx_on_tree_file on_file; /* or null */
  void* user_data;
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
  const phalanx_tree_index_options* index;  /* an index of `to`, to which the call appends its segment; or null */
  phalanx_index_generation* appended;       /* the segment that the call has appended to the index; or null */
  int bind_names;                           /* bind each container to its file's path below `from` */
  const char* const* prune_also;            /* with prune: "emptied", "unrecorded", "mount:NAME"; or null */
  size_t num_prune_also;
  int renew_tree;        /* `from` is the same folder as before, restored or moved */
  int expect_tree;       /* USAGE where `to` has no .phalanx-tree: its disk may be missing */
  int dry_run;           /* write nothing, and tell what a run would do; not with an index, nor PHALANX_UPDATE_BY_CONTENT */
  int update_recipients; /* with update: containers get these recipients and no others; not with dry_run */
} phalanx_seal_tree_options;
#define PHALANX_SEAL_TREE_OPTIONS_INIT \
  { sizeof(phalanx_seal_tree_options), 0, 0, 0, 1, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0 }

typedef struct phalanx_seal_tree_counts {
  size_t struct_bytes;
  uint64_t num_sealed;
  uint64_t num_unchanged;
  uint64_t num_skipped;
  uint64_t num_failed;
  uint64_t num_gone;         /* containers that stay, though their files are gone */
  uint64_t num_removed;      /* such containers that the call removed */
  char why_not_removed[256]; /* why it removed none, though the options ask for it, cut to fit; "" otherwise */
  uint64_t num_newly_kept;   /* containers that stay though their files are gone, and that no call has told of before */
  char why_other_wish[256];  /* containers are, or may be, for other recipients, or bound otherwise, cut to fit; or "" */
  uint64_t num_unfinished;   /* files that a stopped run has left half done: they are not sealed */
} phalanx_seal_tree_counts;
#define PHALANX_SEAL_TREE_COUNTS_INIT \
  { sizeof(phalanx_seal_tree_counts), 0, 0, 0, 0, 0, 0, "", 0, "", 0 }

/* Seals every file below the folder `from` as a container below the folder `to`, which has its name and ".phalanx".
 * Returns OK even where some files failed: the counts say so. */
PHALANX_MUST_CHECK int phalanx_seal_tree(const char* from, const char* to, const char* suite,
                                         const phalanx_recipient* recipients, size_t num_recipients,
                                         const phalanx_seal_tree_options* tree_options, const phalanx_binding* binding,
                                         const phalanx_engine_options* options, phalanx_seal_tree_counts* counts);

/* With the _INIT, nothing is replaced, and files get mode and time of their containers. Null means
 * PHALANX_UNSEAL_TREE_OPTIONS_INIT. */
typedef struct phalanx_unseal_tree_options {
  size_t struct_bytes;
  int replace;
  int keep;                     /* files get mode and time of their containers */
  phalanx_on_tree_file on_file; /* or null */
  void* user_data;
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
  int update; /* PHALANX_UPDATE_NONE and so on: which files that are there are left; `replace` then replaces the others */
} phalanx_unseal_tree_options;
#define PHALANX_UNSEAL_TREE_OPTIONS_INIT \
  { sizeof(phalanx_unseal_tree_options), 0, 1, NULL, NULL, NULL, NULL, NULL, 0 }

typedef struct phalanx_unseal_tree_counts {
  size_t struct_bytes;
  uint64_t num_opened;
  uint64_t num_skipped;
  uint64_t num_failed;
  uint64_t num_unchanged; /* files that are there and are left, as `update` compares */
} phalanx_unseal_tree_counts;
#define PHALANX_UNSEAL_TREE_COUNTS_INIT \
  { sizeof(phalanx_unseal_tree_counts), 0, 0, 0, 0 }

/* Opens every container NAME.phalanx below the folder `from` to the file NAME below the folder `to`. Returns OK even
 * where some files failed. */
PHALANX_MUST_CHECK int phalanx_unseal_tree(const char* from, const char* to, const phalanx_identity* identities,
                                           size_t num_identities, const phalanx_cost_limits* limits,
                                           const phalanx_unseal_tree_options* tree_options, const phalanx_binding* binding,
                                           const phalanx_engine_options* options, phalanx_unseal_tree_counts* counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

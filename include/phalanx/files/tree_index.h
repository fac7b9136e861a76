/* This header has the index of a folder of containers, which says, authenticated, which container has which name.
 * tree_index.hpp says more, and phalanx.h has the conventions. phalanx_seal_tree (trees.h) and phalanx_migrate_tree
 * (migration.h) write it. */
#ifndef PHALANX_TREE_INDEX_H
#define PHALANX_TREE_INDEX_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/container.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define PHALANX_INDEX_KEY_BYTES 32 /* of each kind of key */

enum phalanx_index_key_kind {
  PHALANX_INDEX_SECRET = 1,    /* the verifier has it too: 32 uniformly random bytes */
  PHALANX_INDEX_SIGNING = 2,   /* Ed25519's private key, for the writer */
  PHALANX_INDEX_PUBLIC_KEY = 3 /* its public key, for the verifier */
};

/* Makes a new pair of keys for signatures, each of PHALANX_INDEX_KEY_BYTES. */
PHALANX_MUST_CHECK int phalanx_make_index_keys(uint8_t* signing_key, uint8_t* public_key);

/* Names the index of a call, and its key. */
typedef struct phalanx_tree_index_options {
  size_t struct_bytes;
  const char* path;
  const uint8_t* key; /* PHALANX_INDEX_KEY_BYTES */
  uint64_t at_least;  /* AUTHENTICATION where the index has fewer generations than that */
  int key_kind;       /* a phalanx_index_key_kind */
  int digest;         /* to write: SHA-256 of each body too; needed where the key signs */
  int forget;         /* to write: drop entries whose containers are not there any more */
} phalanx_tree_index_options;
#define PHALANX_TREE_INDEX_OPTIONS_INIT \
  { sizeof(phalanx_tree_index_options), NULL, NULL, 0, 0, 0, 0 }

/* Describes the last segment of an index. */
typedef struct phalanx_index_generation {
  size_t struct_bytes;
  uint64_t number;             /* counts the runs that came to their end */
  uint64_t num_containers;     /* containers in the index */
  uint64_t cut_bytes;          /* bytes behind it, which a killed run had left; a run that writes cuts them off */
  char digest[65];             /* in hex: to be kept elsewhere, with the number */
  uint64_t num_without_header; /* containers that a run of an earlier version put in, without headers */
  uint64_t num_headers_taken;  /* headers that the index never had; they opened, and are in it now */
  uint64_t num_headers_older;  /* headers of earlier generations that somebody had put back */
} phalanx_index_generation;
#define PHALANX_INDEX_GENERATION_INIT \
  { sizeof(phalanx_index_generation), 0, 0, 0, "", 0, 0, 0 }

/* This is the result for one name. */
enum phalanx_indexed_as {
  PHALANX_INDEXED_RIGHT = 1,   /* the container that the index has for it */
  PHALANX_INDEXED_SWAPPED = 2, /* the container that the index has for `other` */
  PHALANX_INDEXED_RENAMED = 3, /* its container is called `other` now */
  PHALANX_INDEXED_REMOVED = 4, /* there is nothing of that name */
  PHALANX_INDEXED_OLDER = 5,   /* a container of an earlier generation, which `other` had then */
  PHALANX_INDEXED_CHANGED = 6, /* a file that was never in the index, or has other bytes than it says */
  PHALANX_INDEXED_ADDED = 7,   /* not in the index */
  PHALANX_INDEXED_FAILED = 8,  /* its container does not open, or cannot be read */
  PHALANX_INDEXED_SKIPPED = 9, /* no container, and not in the index */
  /* its body is right, and the index never had its header: changed recipients, or damage, since `generation` */
  PHALANX_INDEXED_HEADER_CHANGED = 10,
  /* its body is right, and its header that of `generation`: a recipient removed since may open it again */
  PHALANX_INDEXED_HEADER_OLDER = 11
};

/* The strings live as long as the call of phalanx_on_indexed_file. */
typedef struct phalanx_indexed_file {
  const char* name;    /* below the folder */
  int outcome;         /* PHALANX_INDEXED_SWAPPED and so on */
  int code;            /* set for one that failed; PHALANX_OK otherwise */
  const char* other;   /* another name in the index; "" where there is none */
  uint64_t generation; /* for an older one: that generation; for a changed header: the one that gave it the header before */
  const char* why;     /* why it failed, changed or was skipped; "" otherwise */
} phalanx_indexed_file;

/* Returns 0, or another number to end the call with RUNTIME. It is called for each name but those that are right, in no
 * order. */
typedef int (*phalanx_on_indexed_file)(void* user_data, const phalanx_indexed_file* file);

/* Null means PHALANX_TREE_INDEX_VERIFICATION_INIT. */
typedef struct phalanx_tree_index_verification {
  size_t struct_bytes;
  phalanx_on_indexed_file on_file; /* or null */
  void* user_data;
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
} phalanx_tree_index_verification;
#define PHALANX_TREE_INDEX_VERIFICATION_INIT \
  { sizeof(phalanx_tree_index_verification), NULL, NULL, NULL, NULL, NULL }

typedef struct phalanx_tree_index_counts {
  size_t struct_bytes;
  uint64_t num_right;
  uint64_t num_opened;  /* of the right ones, those whose every chunk was authenticated */
  uint64_t num_digests; /* of the right ones that were not opened, those whose digest was compared */
  uint64_t num_wrong;   /* swapped, renamed, removed, older and changed names, and older headers */
  uint64_t num_added;
  uint64_t num_failed;
  uint64_t num_skipped;
  uint64_t num_headers_changed; /* bodies that are right below a changed header; none of them is counted as right */
  uint64_t num_without_header;  /* right ones whose header is not in the index */
} phalanx_tree_index_counts;
#define PHALANX_TREE_INDEX_COUNTS_INIT \
  { sizeof(phalanx_tree_index_counts), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Compares every container below the folder, and every name in the index, with what the index says. The containers are
 * opened where there are identities. Returns OK whatever is wrong with a name: the counts say so. `generation` may be
 * null. */
PHALANX_MUST_CHECK int phalanx_verify_tree_index(const char* folder, const phalanx_tree_index_options* index,
                                                 const phalanx_identity* identities, size_t num_identities,
                                                 const phalanx_cost_limits* limits,
                                                 const phalanx_tree_index_verification* verification,
                                                 const phalanx_binding* binding, const phalanx_engine_options* options,
                                                 phalanx_tree_index_counts* counts, phalanx_index_generation* generation);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

/* This header reads containers to their end, and writes nothing. verification.hpp says more, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_VERIFICATION_H
#define PHALANX_VERIFICATION_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/container.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct phalanx_verified {
  size_t struct_bytes;
  uint64_t plain_bytes;
  char sha256[65]; /* of the plaintext, in hex, where the options ask for it; "" otherwise */
} phalanx_verified;
#define PHALANX_VERIFIED_INIT \
  { sizeof(phalanx_verified), 0, "" }

/* This is the result of one of many files. The strings live as long as the call of phalanx_on_verified. */
typedef struct phalanx_file_verification {
  const char* path;
  int code; /* PHALANX_OK, or what is wrong with it */
  int skipped;
  const char* why;      /* why it failed or was skipped; "" otherwise */
  uint64_t plain_bytes; /* bytes of plaintext of an authentic one */
  const char* sha256;   /* of the plaintext of an authentic one, in hex, where the options ask for it; "" otherwise */
} phalanx_file_verification;

/* Returns 0, or another number to end the call with RUNTIME. */
typedef int (*phalanx_on_verified)(void* user_data, const phalanx_file_verification* file);

/* Null means PHALANX_VERIFICATION_OPTIONS_INIT. */
typedef struct phalanx_verification_options {
  size_t struct_bytes;
  int sha256;                      /* compute SHA-256 of each plaintext, which takes longer than to authenticate it */
  phalanx_on_progress on_progress; /* or null */
  void* progress_user_data;
  const phalanx_cancellation* cancellation; /* or null */
  int from_disk; /* sync each container, and read it from its disk, not from memory; where that fails: RUNTIME */
} phalanx_verification_options;
#define PHALANX_VERIFICATION_OPTIONS_INIT \
  { sizeof(phalanx_verification_options), 0, NULL, NULL, NULL, 0 }

/* Opens a container and authenticates all of it. */
PHALANX_MUST_CHECK int phalanx_verify_container(const char* path, const phalanx_identity* identities, size_t num_identities,
                                                const phalanx_cost_limits* limits,
                                                const phalanx_verification_options* verification,
                                                const phalanx_binding* binding, const phalanx_engine_options* options,
                                                phalanx_verified* verified);

typedef struct phalanx_verification_counts {
  size_t struct_bytes;
  uint64_t num_authentic;
  uint64_t num_failed;
  uint64_t num_skipped;
} phalanx_verification_counts;
#define PHALANX_VERIFICATION_COUNTS_INIT \
  { sizeof(phalanx_verification_counts), 0, 0, 0 }

/* Verifies every container among these files, and below these folders. Returns OK even where some failed: the counts say
 * so. on_verified may be null. */
PHALANX_MUST_CHECK int phalanx_verify_containers(const char* const* paths, size_t num_paths,
                                                 const phalanx_identity* identities, size_t num_identities,
                                                 const phalanx_cost_limits* limits, phalanx_on_verified on_verified,
                                                 void* user_data, const phalanx_verification_options* verification,
                                                 const phalanx_binding* binding, const phalanx_engine_options* options,
                                                 phalanx_verification_counts* counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

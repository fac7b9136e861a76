/* This header seals, unseals and verifies containers as files, and changes who can open them. container_file.hpp and
 * recipients.hpp say more about each function, and phalanx.h has the conventions. */
#ifndef PHALANX_CONTAINER_FILE_H
#define PHALANX_CONTAINER_FILE_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/container.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* With the _INIT, OUT replaces nothing, a run begins anew, all of the plaintext is written, and mode and time are kept.
 * Null means PHALANX_FILE_OPTIONS_INIT. Each function says which of these it has. */
typedef struct phalanx_file_options {
  size_t struct_bytes;
  int replace;
  int resume;
  int verify;                      /* sealing: read OUT back */
  int changing_input;              /* sealing: take IN as it comes */
  uint64_t offset;                 /* unsealing: the first byte to write */
  uint64_t num_bytes;              /* unsealing: how many bytes to write; 0: to the end */
  phalanx_on_progress on_progress; /* or null */
  void* user_data;
  const phalanx_cancellation* cancellation; /* or null */
  int keep; /* sealing and unsealing a file: a new OUT gets IN's mode, never wider, and OUT its time, but a part does not */
} phalanx_file_options;
#define PHALANX_FILE_OPTIONS_INIT \
  { sizeof(phalanx_file_options), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 1 }

/* This is the result of a call. Texts are cut to fit. */
typedef struct phalanx_file_result {
  size_t struct_bytes;
  uint64_t plain_bytes;      /* sealed, or written by unsealing */
  uint64_t container_bytes;  /* bytes of OUT, by sealing; 0 where it is no regular file */
  uint64_t resumed_bytes;    /* bytes of plaintext that an earlier run had done */
  uint64_t num_recipients;   /* after changing them */
  uint64_t num_other_names;  /* hard links that keep the old header, after changing them */
  char input_change[256];    /* how IN changed while it was read; "" if it did not */
  char lost_attributes[256]; /* extended attributes that could not be kept: "user.a, user.b" */
} phalanx_file_result;
#define PHALANX_FILE_RESULT_INIT \
  { sizeof(phalanx_file_result), 0, 0, 0, 0, 0, "", "" }

/* Seals IN as the container OUT. It takes all options but offset and num_bytes. `result` may be null, here and below. */
PHALANX_MUST_CHECK int phalanx_seal_file(const char* in, const char* out, const char* suite,
                                         const phalanx_recipient* recipients, size_t num_recipients,
                                         const phalanx_file_options* file_options, const phalanx_binding* binding,
                                         const phalanx_engine_options* options, phalanx_file_result* result);

/* Opens the container IN and writes its plaintext to OUT. It takes all options but verify and changing_input. */
PHALANX_MUST_CHECK int phalanx_unseal_file(const char* in, const char* out, const phalanx_identity* identities,
                                           size_t num_identities, const phalanx_cost_limits* limits,
                                           const phalanx_file_options* file_options, const phalanx_binding* binding,
                                           const phalanx_engine_options* options, phalanx_file_result* result);

/* A new container file is written as it comes, and has its name once it is finished. If it is freed without finish,
 * nothing of it is left. One thread at a time may use it. */
typedef struct phalanx_new_container_file phalanx_new_container_file;
PHALANX_MUST_CHECK int phalanx_new_container_file_new(phalanx_new_container_file** file, const char* out, int replace,
                                                      const char* suite, const phalanx_recipient* recipients,
                                                      size_t num_recipients, const phalanx_binding* binding,
                                                      const phalanx_engine_options* options);
PHALANX_MUST_CHECK int phalanx_new_container_file_write(phalanx_new_container_file* file, const uint8_t* plain, size_t size);
PHALANX_MUST_CHECK int phalanx_new_container_file_finish(phalanx_new_container_file* file);
void phalanx_new_container_file_free(phalanx_new_container_file* file);

/* Describes a recipient as a header shows it. The last four members are for a passphrase. */
typedef struct phalanx_listed_recipient {
  size_t struct_bytes;
  int kind; /* a phalanx_key_kind, or one that this version does not know */
  uint8_t log2_n, r, p;
  uint64_t scrypt_bytes; /* what trying it takes */
} phalanx_listed_recipient;
#define PHALANX_LISTED_RECIPIENT_INIT \
  { sizeof(phalanx_listed_recipient), 0, 0, 0, 0, 0 }

/* Lists the first `room` recipients, in the order of their numbers, from 1. num_recipients becomes how many there are. */
PHALANX_MUST_CHECK int phalanx_list_recipients(const char* path, phalanx_listed_recipient* recipients, size_t room,
                                               size_t* num_recipients);

/* Lists the numbers of the recipients that any of these identities is, the first `room` of them. num_numbers becomes how
 * many there are. recipients_opened_by in recipients.hpp says more. */
PHALANX_MUST_CHECK int phalanx_recipients_opened_by(const char* path, const phalanx_identity* identities,
                                                    size_t num_identities, const phalanx_cost_limits* limits,
                                                    size_t* numbers, size_t room, size_t* num_numbers);

/* Adds recipients, and removes those with the given numbers of phalanx_list_recipients. A recipient who can open it
 * already is not added once more. A header of the old one's size takes its place. It takes the options on_progress and
 * cancellation. */
PHALANX_MUST_CHECK int phalanx_change_recipients(const char* path, const phalanx_identity* identities, size_t num_identities,
                                                 const phalanx_recipient* added, size_t num_added, const size_t* removed,
                                                 size_t num_removed, const phalanx_cost_limits* limits,
                                                 const phalanx_file_options* file_options, const phalanx_binding* binding,
                                                 const phalanx_engine_options* options, phalanx_file_result* result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif

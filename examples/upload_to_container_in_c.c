/* Takes an upload from standard input into a container, lets another passphrase open it, and shows what it is. */
#include <phalanx/files/container_file.h>
#include <phalanx/files/inspect.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what) { return fprintf(stderr, "%s: %s\n", what, phalanx_last_error()), 1; }

static int take_upload(phalanx_new_container_file* container) {
  static uint8_t piece[1 << 16];
  size_t size;
  while ((size = fread(piece, 1, sizeof piece, stdin)) != 0) {
    if (phalanx_new_container_file_write(container, piece, size) != PHALANX_OK) return 1;
  }
  return ferror(stdin) || phalanx_new_container_file_finish(container) != PHALANX_OK;
}

static phalanx_recipient of_passphrase(const char* words) {
  phalanx_recipient recipient = PHALANX_RECIPIENT_INIT;
  recipient.kind = PHALANX_PASSPHRASE;
  recipient.secret = (const uint8_t*)words;
  recipient.secret_bytes = strlen(words);
  recipient.log2_n = 10; /* cheap, for an example; without these three it costs what it should */
  recipient.r = 8;
  recipient.p = 1;
  return recipient;
}

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "usage: %s OUT PASSPHRASE ANOTHER <UPLOAD\n", argv[0]), 2;
  /* Only in an example: keep secrets out of your program's arguments. */
  const phalanx_recipient first = of_passphrase(argv[2]);
  const phalanx_recipient other = of_passphrase(argv[3]);
  phalanx_new_container_file* container;
  if (phalanx_new_container_file_new(&container, argv[1], 0, "aes-256", &first, 1, NULL, NULL) != PHALANX_OK)
    return failed("opening");
  const int upload_failed = take_upload(container);
  phalanx_new_container_file_free(container);
  if (upload_failed) return failed("writing");

  phalanx_identity identity = PHALANX_IDENTITY_INIT;
  identity.kind = PHALANX_PASSPHRASE;
  identity.secret = first.secret;
  identity.secret_bytes = first.secret_bytes;
  if (phalanx_change_recipients(argv[1], &identity, 1, &other, 1, NULL, 0, NULL, NULL, NULL, NULL, NULL) != PHALANX_OK)
    return failed("adding");
  phalanx_inspected shown = PHALANX_INSPECTED_INIT;
  if (phalanx_inspect_file(argv[1], &shown) != PHALANX_OK) return failed("inspecting");
  printf("%s: %d recipients, %lu bytes\n", shown.suite, (int)shown.num_recipients, (unsigned long)shown.plain_bytes);
  return 0;
}

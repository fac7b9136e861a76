/* Seals a folder of files as a folder of containers; the same command again, each night, seals what changed since. */
#include <phalanx/files/trees.h>
#include <stdio.h>
#include <string.h>

static int say(void* user_data, const phalanx_tree_file_result* file) {
  (void)user_data;
  static const char* const outcomes[] = {"", "done", "failed", "skipped", "removed"};
  printf("%s: %s%s%s\n", file->path, outcomes[file->outcome], file->why[0] != '\0' ? ": " : "", file->why);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s FOLDER CONTAINERS PASSPHRASE\n", argv[0]);
    return 2;
  }
  phalanx_recipient recipient = PHALANX_RECIPIENT_INIT;
  recipient.kind = PHALANX_PASSPHRASE;
  recipient.secret = (const uint8_t*)argv[3]; /* only in an example: keep secrets out of your program's arguments */
  recipient.secret_bytes = strlen(argv[3]);
  phalanx_seal_tree_options options = PHALANX_SEAL_TREE_OPTIONS_INIT;
  options.update = PHALANX_UPDATE_BY_TIME;
  options.prune = 1;
  options.on_file = say;
  phalanx_seal_tree_counts counts = PHALANX_SEAL_TREE_COUNTS_INIT;
  if (phalanx_seal_tree(argv[1], argv[2], "aes-256", &recipient, 1, &options, NULL, NULL, &counts) != PHALANX_OK) {
    fprintf(stderr, "%s\n", phalanx_last_error());
    return 1;
  }
  if (counts.why_not_removed[0] != '\0') printf("nothing was removed: %s\n", counts.why_not_removed);
  return counts.num_failed == 0 ? 0 : 1;
}

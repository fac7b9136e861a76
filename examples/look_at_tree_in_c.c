/* Says what a migration of a folder of files of `openssl enc -des3` would do; or, with the new passphrase, what it has done. */
#include <phalanx/files/migration.h>
#include <stdio.h>
#include <string.h>

static int say(void* user_data, const phalanx_tree_file_finding* file) {
  (void)user_data;
  printf("%s: %s%s%s\n", file->name, file->detail, file->doubt != PHALANX_DOUBT_NONE ? "; doubtful: " : "", file->doubt_sentence);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: %s OLD NEW MANIFEST PASSPHRASE [NEW-PASSPHRASE]\n", argv[0]);
    return 2;
  }
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  format.cipher = "des3";
  format.passphrase = (const uint8_t*)argv[4]; /* only in an example: keep secrets out of your program's arguments */
  format.passphrase_bytes = strlen(argv[4]);
  format.digest = "auto";
  const phalanx_foreign_format* formats[] = {&format};
  phalanx_tree_finding_options options = PHALANX_TREE_FINDING_OPTIONS_INIT;
  options.on_finding = say;
  phalanx_tree_finding_counts counts = PHALANX_TREE_FINDING_COUNTS_INIT;
  phalanx_identity identity = PHALANX_IDENTITY_INIT;
  identity.kind = PHALANX_PASSPHRASE;
  identity.secret = (const uint8_t*)argv[argc - 1];
  identity.secret_bytes = strlen(argv[argc - 1]);
  const int code =
      argc == 5 ? phalanx_preview_tree(argv[1], argv[2], argv[3], formats, 1, &options, NULL, NULL, &counts)
                : phalanx_verify_tree(argv[1], argv[2], argv[3], formats, 1, &identity, 1, &options, NULL, NULL, &counts);
  if (code != PHALANX_OK) {
    fprintf(stderr, "%s\n", phalanx_last_error());
    return 1;
  }
  return counts.num_failing + counts.num_differing + counts.num_not_compared == 0 ? 0 : 1;
}

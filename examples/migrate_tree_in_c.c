/* Makes containers of a folder of files that `openssl enc -des3` wrote; the same command again goes on. */
#include <phalanx/files/migration.h>
#include <stdio.h>
#include <string.h>

static int say(void* user_data, const phalanx_tree_file_migration* file) {
  (void)user_data;
  printf("%s: %s\n", file->name, file->why[0] != '\0' ? file->why : file->found);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: %s OLD NEW MANIFEST PASSPHRASE NEW-PASSPHRASE\n", argv[0]);
    return 2;
  }
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  format.cipher = "des3";
  format.passphrase = (const uint8_t*)argv[4]; /* only in an example: keep secrets out of your program's arguments */
  format.passphrase_bytes = strlen(argv[4]);
  format.digest = "auto";
  const phalanx_foreign_format* formats[] = {&format};
  phalanx_recipient recipient = PHALANX_RECIPIENT_INIT;
  recipient.kind = PHALANX_PASSPHRASE;
  recipient.secret = (const uint8_t*)argv[5];
  recipient.secret_bytes = strlen(argv[5]);
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.on_migrated = say;
  phalanx_tree_migration_counts counts = PHALANX_TREE_MIGRATION_COUNTS_INIT;
  if (phalanx_migrate_tree(argv[1], argv[2], argv[3], formats, 1, "aes-256", &recipient, 1, &options, NULL, NULL, &counts) !=
      PHALANX_OK) {
    fprintf(stderr, "%s\n", phalanx_last_error());
    return 1;
  }
  return counts.num_failed == 0 ? 0 : 1;
}

/* Makes a container of a file that `openssl enc -des3 -md md5 -pass pass:...` wrote, and verifies it. The files are
 * arguments. */
#include <phalanx/files/migration.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, phalanx_last_error());
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s IN PASSPHRASE OUT NEW-PASSPHRASE\n", argv[0]);
    return 2;
  }
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  format.cipher = "des3";
  format.passphrase = (const uint8_t*)argv[2]; /* only in an example: keep secrets out of your program's arguments */
  format.passphrase_bytes = strlen(argv[2]);
  format.digest = "auto";

  phalanx_recipient recipient = PHALANX_RECIPIENT_INIT;
  recipient.kind = PHALANX_PASSPHRASE;
  recipient.secret = (const uint8_t*)argv[4];
  recipient.secret_bytes = strlen(argv[4]);
  phalanx_migration_options how = PHALANX_MIGRATION_OPTIONS_INIT;
  how.sha256 = 1;
  phalanx_migrated migrated = PHALANX_MIGRATED_INIT;
  if (phalanx_migrate_file(argv[1], &format, argv[3], "aes-256", &recipient, 1, &how, NULL, NULL, &migrated) != PHALANX_OK) {
    return failed("migrating");
  }
  printf("SHA-256 %s, written with %s%s%s\n", migrated.sha256, migrated.digest,
         migrated.doubt != PHALANX_DOUBT_NONE ? "; doubtful: " : "", migrated.doubt_sentence);

  phalanx_identity identity = PHALANX_IDENTITY_INIT;
  identity.kind = PHALANX_PASSPHRASE;
  identity.secret = recipient.secret;
  identity.secret_bytes = recipient.secret_bytes;
  phalanx_verification_options digest = PHALANX_VERIFICATION_OPTIONS_INIT;
  digest.sha256 = 1;
  phalanx_verified verified = PHALANX_VERIFIED_INIT;
  if (phalanx_verify_container(argv[3], &identity, 1, NULL, &digest, NULL, NULL, &verified) != PHALANX_OK)
    return failed("verifying");
  return strcmp(verified.sha256, migrated.sha256) == 0 ? 0 : 1;
}

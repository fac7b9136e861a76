/* Encrypts the file that is named where it lies, under a key from a file of 32 bytes. If it is killed, start it again: it goes on. */
#include <phalanx/files/in_place.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static const uint8_t iv[16]; /* a key encrypts one file: another needs another iv */
  uint8_t key[32];
  FILE* key_file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (key_file == NULL || fread(key, 1, sizeof key, key_file) != sizeof key) {
    return fprintf(stderr, "usage: %s KEY-FILE FILE\n", argv[0]), 2;
  }
  fclose(key_file);
  phalanx_in_place_format format = PHALANX_IN_PLACE_FORMAT_INIT;
  format.cipher = "aes-256-ctr";
  format.key = key;
  format.key_bytes = sizeof key;
  format.iv = iv;
  format.iv_bytes = sizeof iv;
  phalanx_crypted_in_place done = PHALANX_CRYPTED_IN_PLACE_INIT;
  if (phalanx_encrypt_in_place(argv[2], &format, NULL, NULL, NULL, &done) != PHALANX_OK) {
    return fprintf(stderr, "%s\n", phalanx_last_error()), 1;
  }
  printf("%lu bytes, %lu of them done by an earlier run\n", (unsigned long)done.file_bytes,
         (unsigned long)done.resumed_bytes);
  return 0;
}

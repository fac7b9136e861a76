/* The C interface: one message sealed under XAES-256-GCM, which draws its nonce itself, and opened again. */
#include <phalanx/phalanx.h>
#include <stdio.h>
#include <string.h>

enum { key_bytes = 32 };

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, phalanx_last_error());
  return 1;
}

int main(void) {
  static const uint8_t letter[] = "Dear all", header[] = "letter 1"; /* the header is authenticated, and stays readable */
  uint8_t sealed[sizeof letter + PHALANX_NONCE_AND_TAG_BYTES], opened[sizeof letter];
  phalanx_secret* key = NULL;
  uint8_t* key_data = NULL;
  phalanx_aead* aead = NULL;
  int result = 1;
  if (phalanx_secret_new(&key, key_bytes, &key_data) != PHALANX_OK) return failed("no memory for a key");
  if (phalanx_random_bytes(key_data, key_bytes) != PHALANX_OK)
    failed("no random key");
  else if (phalanx_aead_new(&aead, "xaes-256-gcm", key_data, key_bytes, NULL, NULL) != PHALANX_OK)
    failed("no aead");
  else if (phalanx_aead_seal_with_new_nonce(aead, header, sizeof header, letter, sizeof letter, sealed, sizeof sealed) !=
           PHALANX_OK)
    failed("sealing");
  else if (phalanx_aead_open_with_leading_nonce(aead, header, sizeof header, sealed, sizeof sealed, opened,
                                                sizeof opened) != PHALANX_OK)
    failed("opening");
  else
    result = memcmp(opened, letter, sizeof letter) != 0;
  if (result == 0) printf("%zu bytes sealed as %zu\n", sizeof letter, sizeof sealed);
  phalanx_aead_free(aead);
  phalanx_secret_free(key);
  return result;
}

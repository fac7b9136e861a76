/* The C interface: many small messages in 3DES-CBC, each under its own key, in one call, for a system that takes nothing
 * newer; then one of them by itself. */
#include <phalanx/phalanx.h>
#include <stdio.h>
#include <string.h>

enum { num_messages = 1000, message_bytes = 64, key_bytes = 24, iv_bytes = 8 };

static uint8_t keys[num_messages][key_bytes];
static uint8_t ivs[num_messages][iv_bytes];
static uint8_t data[num_messages][message_bytes];
static uint8_t plaintext[num_messages][message_bytes];
static phalanx_message messages[num_messages];

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, phalanx_last_error());
  return 1;
}

int main(void) {
  static const phalanx_message no_message = PHALANX_MESSAGE_INIT;
  phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  phalanx_cipher* cipher = NULL;
  const char* engine = NULL;
  uint8_t alone[message_bytes];
  int i;
  for (i = 0; i < num_messages; ++i) { /* numbers stand in for the random keys of a real system */
    keys[i][0] = (uint8_t)(2 * i);
    keys[i][1] = (uint8_t)(i >> 7 << 1);
    ivs[i][0] = (uint8_t)i;
    plaintext[i][0] = data[i][0] = (uint8_t)(i * 7);
    messages[i] = no_message;
    messages[i].key = keys[i];
    messages[i].iv = ivs[i];
    messages[i].in = messages[i].out = data[i];
    messages[i].size = message_bytes;
  }
  policy.allow_legacy = 1; /* triple DES is for reading old data otherwise */
  if (phalanx_cipher_new(&cipher, "des-ede3-cbc", keys[500], key_bytes, &policy, NULL) != PHALANX_OK)
    return failed("no cipher");
  if (phalanx_cipher_encrypt_batch(cipher, messages, num_messages) != PHALANX_OK) return failed("encryption");
  if (phalanx_cipher_engine(cipher, &engine) != PHALANX_OK) return failed("its engine");
  printf("des-ede3-cbc on %s: %d messages\n", engine, num_messages);

  if (phalanx_cipher_encrypt(cipher, ivs[500], plaintext[500], alone, message_bytes, NULL) != PHALANX_OK)
    return failed("one message");
  if (memcmp(alone, data[500], message_bytes) != 0) return 1;

  if (phalanx_cipher_decrypt_batch(cipher, messages, num_messages) != PHALANX_OK) return failed("decryption");
  phalanx_cipher_free(cipher);
  return memcmp(data, plaintext, sizeof data) != 0;
}

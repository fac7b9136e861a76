/* Many messages in one call of OpenSSL 3.5 and later: a pipeline. In CBC each block waits for the one before, so that one message
 * leaves most lanes of the processor empty; the provider of Phalanx fills them with the others.
 *
 *   OPENSSL_CONF=/usr/share/phalanx/phalanx_openssl.cnf ./pipeline_in_c [CIPHER]       AES-256-CBC, DES-EDE3-CBC, ...
 *
 * It encrypts 32 messages of 16 KiB one after another and then as a pipeline, compares, and prints both rates. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { num_messages = 32, message_bytes = 16384, room = message_bytes + 32, num_rounds = 50 };

static unsigned char texts[num_messages][message_bytes], alone[num_messages][room], together[num_messages][room];
static unsigned char key[64], ivs[num_messages][16];

static void fail(const char* what) {
  fprintf(stderr, "%s failed\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void encrypt_alone(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher) {
  for (int i = 0; i < num_messages; ++i) {
    int written = 0, rest = 0;
    if (EVP_EncryptInit_ex2(context, cipher, key, ivs[i], NULL) != 1) fail("EVP_EncryptInit_ex2");
    if (EVP_EncryptUpdate(context, alone[i], &written, texts[i], message_bytes) != 1) fail("EVP_EncryptUpdate");
    if (EVP_EncryptFinal_ex(context, alone[i] + written, &rest) != 1) fail("EVP_EncryptFinal_ex");
  }
}

static void encrypt_together(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher) {
  const unsigned char *all_ivs[num_messages], *ins[num_messages];
  unsigned char* outs[num_messages];
  size_t sizes[num_messages], rooms[num_messages], written[num_messages];
  for (int i = 0; i < num_messages; ++i) {
    all_ivs[i] = ivs[i];
    ins[i] = texts[i];
    outs[i] = together[i];
    sizes[i] = message_bytes;
    rooms[i] = room;
  }
  size_t key_bytes = (size_t)EVP_CIPHER_get_key_length(cipher), iv_bytes = (size_t)EVP_CIPHER_get_iv_length(cipher);
  /* OpenSSL 3.5 and 3.6 forget how many messages there are if a context gets its cipher a second time. */
  const EVP_CIPHER* named = EVP_CIPHER_CTX_get0_cipher(context) == NULL ? cipher : NULL;
  if (EVP_CipherPipelineEncryptInit(context, named, key, key_bytes, num_messages, all_ivs, iv_bytes) != 1) {
    fail("EVP_CipherPipelineEncryptInit");
  }
  if (EVP_CipherPipelineUpdate(context, outs, written, rooms, ins, sizes) != 1) fail("EVP_CipherPipelineUpdate");
  for (int i = 0; i < num_messages; ++i) {
    outs[i] += written[i];
    rooms[i] -= written[i];
  }
  if (EVP_CipherPipelineFinal(context, outs, written, rooms) != 1) fail("EVP_CipherPipelineFinal");
}

static double rate_of(void (*encrypt)(EVP_CIPHER_CTX*, const EVP_CIPHER*), EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher) {
  double begin = seconds();
  for (int i = 0; i < num_rounds; ++i) encrypt(context, cipher);
  return (double)num_rounds * num_messages * message_bytes / (seconds() - begin) / 1e6;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "AES-256-CBC";
  EVP_CIPHER* cipher = EVP_CIPHER_fetch(NULL, name, "provider=phalanx");
  if (cipher == NULL) fail("EVP_CIPHER_fetch");
  if (EVP_CIPHER_can_pipeline(cipher, 1) != 1) fail("EVP_CIPHER_can_pipeline");
  for (int i = 0; i < num_messages; ++i) {
    memset(texts[i], i, message_bytes);
    memset(ivs[i], 2 * i + 1, sizeof ivs[i]);
  }
  for (size_t i = 0; i < sizeof key; ++i) key[i] = (unsigned char)(i * 7);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* pipeline = EVP_CIPHER_CTX_new();
  double rate_alone = rate_of(encrypt_alone, context, cipher), rate_together = rate_of(encrypt_together, pipeline, cipher);
  if (memcmp(alone, together, sizeof alone) != 0) fail("the comparison");
  printf("%s: %.0f MB/s one after another, %.0f MB/s as a pipeline of %d\n", name, rate_alone, rate_together, (int)num_messages);
  EVP_CIPHER_CTX_free(pipeline);
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
  return 0;
}

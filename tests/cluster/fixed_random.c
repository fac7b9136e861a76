// Preloaded by a test into the process that draws random bytes: they are always the same ones.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// splitmix64, by Sebastiano Vigna (2015).
static uint64_t next_number(void) {
  static uint64_t state = 77;
  uint64_t number = state += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

int RAND_priv_bytes_ex(void* context, unsigned char* out, size_t size, unsigned strength) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  (void)context, (void)strength;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < size; ++i) out[i] = (unsigned char)next_number();
  pthread_mutex_unlock(&mutex);
  return 1;
}

// Memory, random bytes and threads, as faults.c judges them.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "faults.h"

#define VERDICT_OR(call, failure)                            \
  const struct Verdict verdict = verdict_of(call, -1, NULL); \
  if (verdict.error != 0) {                                  \
    errno = verdict.error;                                   \
    return failure;                                          \
  }

// What would have been called without us. All are looked up at once, by the first call of any: dlsym has a state that a
// later look-up, from within what dlerror calls, would spoil.
static struct {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
} next;

// False as long as they are being looked up.
static int found_next(void) {
  static int is_looking;
  if (next.posix_memalign != NULL) return 1;
  if (is_looking) return 0;
  is_looking = 1;
  next.malloc = (void* (*)(size_t))next_function("malloc");
  next.calloc = (void* (*)(size_t, size_t))next_function("calloc");
  next.realloc = (void* (*)(void*, size_t))next_function("realloc");
  next.aligned_alloc = (void* (*)(size_t, size_t))next_function("aligned_alloc");
  next.memalign = (void* (*)(size_t, size_t))next_function("memalign");
  next.posix_memalign = (int (*)(void**, size_t, size_t))next_function("posix_memalign");
  return 1;
}

// dlsym may ask for memory itself, while it looks for what gives memory: once, and never to be given back.
static void* early_memory(size_t size) {
  static unsigned char pool[4096] __attribute__((aligned(16)));
  static size_t used;
  const size_t begin = used;
  used += (size + 15) & ~(size_t)15;
  return used <= sizeof pool ? pool + begin : NULL;
}

void* malloc(size_t size) {
  if (!found_next()) return early_memory(size);
  VERDICT_OR(CALL_malloc, NULL)
  return next.malloc(size);
}

void* calloc(size_t number, size_t size) {
  if (!found_next()) return early_memory(number * size);
  VERDICT_OR(CALL_malloc, NULL)
  return next.calloc(number, size);
}

void* realloc(void* memory, size_t size) {
  if (!found_next()) return NULL;
  VERDICT_OR(CALL_malloc, NULL)
  return next.realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (!found_next()) return NULL;
  VERDICT_OR(CALL_malloc, NULL)
  return next.aligned_alloc(alignment, size);
}

void* memalign(size_t alignment, size_t size) {
  if (!found_next()) return NULL;
  VERDICT_OR(CALL_malloc, NULL)
  return next.memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (!found_next()) return ENOMEM;
  const struct Verdict verdict = verdict_of(CALL_malloc, -1, NULL);
  return verdict.error != 0 ? verdict.error : next.posix_memalign(memory, alignment, size);
}

// No file is written by a mapping of it: what faults.c counts are writes.
static bool writes_file(int protection, int flags, int file) {
  return file >= 0 && (protection & PROT_WRITE) != 0 && (flags & MAP_TYPE) == MAP_SHARED;
}

void* mmap(void* place, size_t size, int protection, int flags, int file, off_t position) {
  static void* (*next_mmap)(void*, size_t, int, int, int, off_t);
  if (next_mmap == NULL) next_mmap = (void* (*)(void*, size_t, int, int, int, off_t))next_function("mmap");
  VERDICT_OR(CALL_mmap, MAP_FAILED)
  if (writes_file(protection, flags, file)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return next_mmap(place, size, protection, flags, file, position);
}

void* mmap64(void* place, size_t size, int protection, int flags, int file, off_t position) {
  return mmap(place, size, protection, flags, file, position);
}

int mlock(const void* memory, size_t size) {
  NEXT(int, "mlock", const void*, size_t);
  VERDICT_OR(CALL_mlock, -1)
  return next(memory, size);
}

ssize_t getrandom(void* out, size_t size, unsigned flags) {
  NEXT(ssize_t, "getrandom", void*, size_t, unsigned);
  VERDICT_OR(CALL_getrandom, -1)
  const ssize_t got = next(out, part_of(verdict, size), flags);
  call_is_over(verdict);
  return got;
}

int getentropy(void* out, size_t size) {
  NEXT(int, "getentropy", void*, size_t);
  VERDICT_OR(CALL_getrandom, -1)
  return next(out, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  NEXT(int, "pthread_create", pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const struct Verdict verdict = verdict_of(CALL_pthread_create, -1, NULL);
  return verdict.error != 0 ? verdict.error : next(thread, attributes, start, argument);
}

int EVP_PBE_scrypt(const char* passphrase, size_t passphrase_size, const unsigned char* salt, size_t salt_size, uint64_t n,
                   uint64_t r, uint64_t p, uint64_t most_memory, unsigned char* key, size_t key_size) {
  NEXT(int, "EVP_PBE_scrypt", const char*, size_t, const unsigned char*, size_t, uint64_t, uint64_t, uint64_t, uint64_t,
       unsigned char*, size_t);
  VERDICT_OR(CALL_scrypt, 0)
  return next(passphrase, passphrase_size, salt, salt_size, n, r, p, most_memory, key, key_size);
}

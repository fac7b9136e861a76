// Memory, random bytes and threads, as faults.c judges them.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
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

// dlsym may ask for memory itself, while it looks for what gives memory: once, and never to be given back.
static void* early_memory(size_t size) {
  static unsigned char pool[4096] __attribute__((aligned(16)));
  static size_t used;
  const size_t begin = used;
  used += (size + 15) & ~(size_t)15;
  return used <= sizeof pool ? pool + begin : NULL;
}

#define NEXT_ALLOCATOR(type, name, ...)                                  \
  static type (*next)(__VA_ARGS__);                                      \
  static __thread int asking __attribute__((tls_model("initial-exec"))); \
  if (next == NULL && !asking) {                                         \
    asking = 1;                                                          \
    next = (type(*)(__VA_ARGS__))next_function(name);                    \
    asking = 0;                                                          \
  }

void* malloc(size_t size) {
  NEXT_ALLOCATOR(void*, "malloc", size_t)
  if (next == NULL) return early_memory(size);
  VERDICT_OR(CALL_malloc, NULL)
  return next(size);
}

void* calloc(size_t number, size_t size) {
  NEXT_ALLOCATOR(void*, "calloc", size_t, size_t)
  if (next == NULL) return early_memory(number * size);
  VERDICT_OR(CALL_malloc, NULL)
  return next(number, size);
}

void* realloc(void* memory, size_t size) {
  NEXT_ALLOCATOR(void*, "realloc", void*, size_t)
  if (next == NULL) return NULL;
  VERDICT_OR(CALL_malloc, NULL)
  return next(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  NEXT_ALLOCATOR(void*, "aligned_alloc", size_t, size_t)
  VERDICT_OR(CALL_malloc, NULL)
  return next(alignment, size);
}

void* memalign(size_t alignment, size_t size) {
  NEXT_ALLOCATOR(void*, "memalign", size_t, size_t)
  VERDICT_OR(CALL_malloc, NULL)
  return next(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  NEXT_ALLOCATOR(int, "posix_memalign", void**, size_t, size_t)
  const struct Verdict verdict = verdict_of(CALL_malloc, -1, NULL);
  return verdict.error != 0 ? verdict.error : next(memory, alignment, size);
}

void* mmap(void* place, size_t size, int protection, int flags, int file, off_t position) {
  NEXT_ALLOCATOR(void*, "mmap", void*, size_t, int, int, int, off_t)
  VERDICT_OR(CALL_mmap, MAP_FAILED)
  return next(place, size, protection, flags, file, position);
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

// Preloaded into the program by a test: kills it, as SIGKILL or a power cut would, at the CRASH_AT-th call that writes,
// syncs or removes. A write that is hit has put half of its bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int crash_now(void) {
  static int num_calls = 0;
  const char* at = getenv("CRASH_AT");
  return at != NULL && __sync_add_and_fetch(&num_calls, 1) == atoi(at);
}

ssize_t pwrite(int file, const void* in, size_t size, off_t position) {
  static ssize_t (*next)(int, const void*, size_t, off_t);
  if (next == NULL) next = (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (crash_now()) {
    if (next(file, in, size / 2, position) >= 0) kill(getpid(), SIGKILL);
  }
  return next(file, in, size, position);
}

ssize_t pwrite64(int file, const void* in, size_t size, off_t position) { return pwrite(file, in, size, position); }

int fdatasync(int file) {
  static int (*next)(int);
  if (next == NULL) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(file);
}

int unlink(const char* path) {
  static int (*next)(const char*);
  if (next == NULL) next = (int (*)(const char*))dlsym(RTLD_NEXT, "unlink");
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(path);
}

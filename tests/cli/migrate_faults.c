// Preloaded into the program by a test, does one of these:
// FAULT=flip: what was written to the unfinished OUT is changed by a bit once it is complete, before it is read back.
// FAULT=touch: IN, which FAULT_FILE names, is changed while it is read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static int asked_for(const char* fault) {
  const char* wanted = getenv("FAULT");
  return wanted != NULL && strcmp(wanted, fault) == 0;
}

// The program makes the whole of OUT durable before it reads it back.
int fsync(int file) {
  static int (*next)(int);
  if (next == NULL) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  struct stat status;
  unsigned char byte;
  const off_t position = 40000;
  if (asked_for("flip") && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && pread(file, &byte, 1, position) == 1) {
    byte ^= 4;
    if (pwrite(file, &byte, 1, position) != 1) abort();
  }
  return next(file);
}

ssize_t read(int file, void* out, size_t size) {
  static ssize_t (*next)(int, void*, size_t);
  if (next == NULL) next = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  if (asked_for("touch")) {
    static int num_calls = 0;
    const struct timeval then = {1000000 + ++num_calls, 0};
    const struct timeval times[2] = {then, then};
    utimes(getenv("FAULT_FILE"), times);
  }
  return next(file, out, size);
}

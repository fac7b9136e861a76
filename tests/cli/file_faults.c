// Preloaded into the program by a test: makes the system calls on files behave as a bad day would.
//   SHORT_CALLS=1   every read and write moves a part of what was asked, and some are interrupted first
//   FAIL_READ=N     the N-th read fails with EIO; FAIL_WRITE=N the N-th write with ENOSPC, after half of its bytes
//   FAIL_SYNC=N     the N-th fsync or fdatasync fails with EIO
//   CRASH_AT=N      SIGKILL at the N-th call that writes, syncs, cuts, renames or removes; a write has then put half of its bytes
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int number_of(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? 0 : atoi(text);
}

// Counts the calls of a kind; true at the one that the variable names.
static int hit(const char* name, int* num_calls) {
  const int at = number_of(name);
  return at != 0 && __sync_add_and_fetch(num_calls, 1) == at;
}

static int num_reads, num_writes, num_syncs, num_changes, num_short;

static int crash_now(void) { return hit("CRASH_AT", &num_changes); }

// How much a call may move: all, or less; -1 for an interruption.
static ssize_t allowed(size_t size) {
  if (number_of("SHORT_CALLS") == 0 || size < 2) return (ssize_t)size;
  const int turn = __sync_add_and_fetch(&num_short, 1);
  if (turn % 5 == 0) return -1;
  return (ssize_t)(size - size / (size_t)(2 + turn % 7));
}

#define NEXT(type, name, ...)                                             \
  static type (*next)(__VA_ARGS__);                                       \
  if (next == NULL) next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define INTERRUPTED(size)  \
  if ((size) < 0) {        \
    errno = EINTR;         \
    return -1;             \
  }

ssize_t read(int file, void* out, size_t size) {
  NEXT(ssize_t, "read", int, void*, size_t);
  if (size > 64 && hit("FAIL_READ", &num_reads)) return errno = EIO, -1;
  const ssize_t part = allowed(size);
  INTERRUPTED(part)
  return next(file, out, (size_t)part);
}

ssize_t pread(int file, void* out, size_t size, off_t position) {
  NEXT(ssize_t, "pread", int, void*, size_t, off_t);
  if (hit("FAIL_READ", &num_reads)) return errno = EIO, -1;
  const ssize_t part = allowed(size);
  INTERRUPTED(part)
  return next(file, out, (size_t)part, position);
}

ssize_t write(int file, const void* in, size_t size) {
  NEXT(ssize_t, "write", int, const void*, size_t);
  if (file == 2) return next(file, in, size);
  if (hit("FAIL_WRITE", &num_writes)) return next(file, in, size / 2), errno = ENOSPC, -1;
  if (crash_now() && next(file, in, size / 2) >= 0) kill(getpid(), SIGKILL);
  const ssize_t part = allowed(size);
  INTERRUPTED(part)
  return next(file, in, (size_t)part);
}

ssize_t pwrite(int file, const void* in, size_t size, off_t position) {
  NEXT(ssize_t, "pwrite", int, const void*, size_t, off_t);
  if (hit("FAIL_WRITE", &num_writes)) return next(file, in, size / 2, position), errno = ENOSPC, -1;
  if (crash_now() && next(file, in, size / 2, position) >= 0) kill(getpid(), SIGKILL);
  const ssize_t part = allowed(size);
  INTERRUPTED(part)
  return next(file, in, (size_t)part, position);
}

ssize_t pread64(int file, void* out, size_t size, off_t position) { return pread(file, out, size, position); }
ssize_t pwrite64(int file, const void* in, size_t size, off_t position) { return pwrite(file, in, size, position); }

int fdatasync(int file) {
  NEXT(int, "fdatasync", int);
  if (crash_now()) kill(getpid(), SIGKILL);
  if (hit("FAIL_SYNC", &num_syncs)) return errno = EIO, -1;
  return next(file);
}

int fsync(int file) {
  NEXT(int, "fsync", int);
  if (crash_now()) kill(getpid(), SIGKILL);
  if (hit("FAIL_SYNC", &num_syncs)) return errno = EIO, -1;
  return next(file);
}

int ftruncate(int file, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(file, size);
}

int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

int rename(const char* from, const char* to) {
  NEXT(int, "rename", const char*, const char*);
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  NEXT(int, "renameat2", int, const char*, int, const char*, unsigned);
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
  NEXT(int, "unlink", const char*);
  if (crash_now()) kill(getpid(), SIGKILL);
  return next(path);
}

// The calls on files that faults.c judges.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "faults.h"

#define FAIL_IF_TOLD(verdict) \
  if ((verdict).error != 0) { \
    errno = (verdict).error;  \
    return -1;                \
  }

// A full or broken disk takes a part before the call fails; an interrupted call takes nothing.
#define LEAVES_HALF(verdict) \
  ((verdict).deed == DEED_tear || ((verdict).deed == DEED_fail && (verdict).error != EINTR && (verdict).error != EAGAIN))

// A call that moves no bytes.
#define CALL(type, name, call, file, path, parameters, ...)            \
  type name parameters {                                               \
    static type(*next) parameters;                                     \
    if (next == NULL) next = (type(*) parameters)next_function(#name); \
    const struct Verdict verdict = verdict_of(call, file, path);       \
    FAIL_IF_TOLD(verdict)                                              \
    type result = next(__VA_ARGS__);                                   \
    call_is_over(verdict);                                             \
    return result;                                                     \
  }

// A call that looks at a file.
#define LOOK(name, file, path, parameters, ...)                       \
  int name parameters {                                               \
    static int(*next) parameters;                                     \
    if (next == NULL) next = (int(*) parameters)next_function(#name); \
    const struct Verdict verdict = verdict_of(CALL_stat, file, path); \
    FAIL_IF_TOLD(verdict)                                             \
    const int result = next(__VA_ARGS__);                             \
    if (result == 0) show_times(status);                              \
    call_is_over(verdict);                                            \
    return result;                                                    \
  }

ssize_t read(int file, void* out, size_t size) {
  NEXT(ssize_t, "read", int, void*, size_t);
  const struct Verdict verdict = verdict_of_bytes(CALL_read, file, size);
  FAIL_IF_TOLD(verdict)
  const ssize_t got = next(file, out, part_of(verdict, size));
  call_is_over(verdict);
  return got;
}

ssize_t pread(int file, void* out, size_t size, off_t position) {
  NEXT(ssize_t, "pread", int, void*, size_t, off_t);
  const struct Verdict verdict = verdict_of_bytes(CALL_pread, file, size);
  FAIL_IF_TOLD(verdict)
  const ssize_t got = next(file, out, part_of(verdict, size), position);
  call_is_over(verdict);
  return got;
}

ssize_t write(int file, const void* in, size_t size) {
  NEXT(ssize_t, "write", int, const void*, size_t);
  const struct Verdict verdict = verdict_of_bytes(CALL_write, file, size);
  if (LEAVES_HALF(verdict) && next(file, in, size / 2) < 0) return -1;
  if (verdict.deed == DEED_tear) die_now();
  FAIL_IF_TOLD(verdict)
  const ssize_t put = next(file, in, part_of(verdict, size));
  call_is_over(verdict);
  return put;
}

ssize_t pwrite(int file, const void* in, size_t size, off_t position) {
  NEXT(ssize_t, "pwrite", int, const void*, size_t, off_t);
  const struct Verdict verdict = verdict_of_bytes(CALL_pwrite, file, size);
  if (LEAVES_HALF(verdict) && next(file, in, size / 2, position) < 0) return -1;
  if (verdict.deed == DEED_tear) die_now();
  FAIL_IF_TOLD(verdict)
  const ssize_t put = next(file, in, part_of(verdict, size), position);
  call_is_over(verdict);
  return put;
}

ssize_t pread64(int file, void* out, size_t size, off_t position) { return pread(file, out, size, position); }
ssize_t pwrite64(int file, const void* in, size_t size, off_t position) { return pwrite(file, in, size, position); }

// Half of what a vector holds is its first buffer, or half of that.
static struct iovec first_part(const struct iovec* buffers, int num_buffers) {
  struct iovec part = {NULL, 0};
  if (num_buffers > 0) part = buffers[0];
  if (num_buffers == 1) part.iov_len /= 2;
  return part;
}

ssize_t readv(int file, const struct iovec* buffers, int num_buffers) {
  NEXT(ssize_t, "readv", int, const struct iovec*, int);
  const struct Verdict verdict = verdict_of(CALL_readv, file, NULL);
  FAIL_IF_TOLD(verdict)
  const struct iovec part = first_part(buffers, num_buffers);
  const ssize_t got =
      verdict.deed == DEED_short && part.iov_len != 0 ? next(file, &part, 1) : next(file, buffers, num_buffers);
  call_is_over(verdict);
  return got;
}

ssize_t writev(int file, const struct iovec* buffers, int num_buffers) {
  NEXT(ssize_t, "writev", int, const struct iovec*, int);
  const struct Verdict verdict = verdict_of(CALL_writev, file, NULL);
  const struct iovec part = first_part(buffers, num_buffers);
  if (LEAVES_HALF(verdict) && next(file, &part, 1) < 0) return -1;
  if (verdict.deed == DEED_tear) die_now();
  FAIL_IF_TOLD(verdict)
  const ssize_t put =
      verdict.deed == DEED_short && part.iov_len != 0 ? next(file, &part, 1) : next(file, buffers, num_buffers);
  call_is_over(verdict);
  return put;
}

ssize_t copy_file_range(int from, off64_t* from_position, int to, off64_t* to_position, size_t size, unsigned flags) {
  NEXT(ssize_t, "copy_file_range", int, off64_t*, int, off64_t*, size_t, unsigned);
  const struct Verdict verdict = verdict_of_bytes(CALL_copy_file_range, to, size);
  if (verdict.deed == DEED_tear && next(from, from_position, to, to_position, size / 2, flags) < 0) return -1;
  if (verdict.deed == DEED_tear) die_now();
  FAIL_IF_TOLD(verdict)
  const ssize_t put = next(from, from_position, to, to_position, part_of(verdict, size), flags);
  call_is_over(verdict);
  return put;
}

CALL(int, fsync, CALL_fsync, file, NULL, (int file), file)
CALL(int, fdatasync, CALL_fdatasync, file, NULL, (int file), file)
CALL(int, syncfs, CALL_syncfs, file, NULL, (int file), file)
CALL(int, ftruncate, CALL_ftruncate, file, NULL, (int file, off_t size), file, size)
CALL(int, fallocate, CALL_fallocate, file, NULL, (int file, int mode, off_t position, off_t size), file, mode, position,
     size)
CALL(int, flock, CALL_flock, file, NULL, (int file, int operation), file, operation)
CALL(int, fchmod, CALL_fchmod, file, NULL, (int file, mode_t mode), file, mode)
CALL(int, fchown, CALL_fchown, file, NULL, (int file, uid_t user, gid_t group), file, user, group)
CALL(int, fsetxattr, CALL_fsetxattr, file, NULL, (int file, const char* name, const void* value, size_t size, int flags),
     file, name, value, size, flags)
CALL(int, fremovexattr, CALL_fremovexattr, file, NULL, (int file, const char* name), file, name)
CALL(off_t, lseek, CALL_seek, file, NULL, (int file, off_t position, int from), file, position, from)
LOOK(fstat, file, NULL, (int file, struct stat* status), file, status)
LOOK(stat, -1, path, (const char* path, struct stat* status), path, status)
LOOK(lstat, -1, path, (const char* path, struct stat* status), path, status)
LOOK(fstatat, -1, path, (int folder, const char* path, struct stat* status, int flags), folder, path, status, flags)
CALL(int, rename, CALL_rename, -1, from, (const char* from, const char* to), from, to)
CALL(int, renameat, CALL_rename, -1, from, (int old_folder, const char* from, int new_folder, const char* to), old_folder,
     from, new_folder, to)
CALL(int, renameat2, CALL_rename, -1, from,
     (int old_folder, const char* from, int new_folder, const char* to, unsigned flags), old_folder, from, new_folder, to,
     flags)
CALL(int, link, CALL_link, -1, from, (const char* from, const char* to), from, to)
CALL(int, linkat, CALL_link, -1, to, (int old_folder, const char* from, int new_folder, const char* to, int flags),
     old_folder, from, new_folder, to, flags)
CALL(int, symlink, CALL_link, -1, path, (const char* target, const char* path), target, path)
CALL(int, unlink, CALL_unlink, -1, path, (const char* path), path)
CALL(int, unlinkat, CALL_unlink, -1, path, (int folder, const char* path, int flags), folder, path, flags)
CALL(int, remove, CALL_unlink, -1, path, (const char* path), path)
CALL(int, mkdir, CALL_mkdir, -1, path, (const char* path, mode_t mode), path, mode)
CALL(int, mkdirat, CALL_mkdir, -1, path, (int folder, const char* path, mode_t mode), folder, path, mode)

int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
off_t lseek64(int file, off_t position, int from) { return lseek(file, position, from); }
int stat64(const char* path, struct stat64* status) { return stat(path, (struct stat*)status); }
int lstat64(const char* path, struct stat64* status) { return lstat(path, (struct stat*)status); }
int fstat64(int file, struct stat64* status) { return fstat(file, (struct stat*)status); }

// Linux has freed the descriptor even where it says that close failed.
int close(int file) {
  NEXT(int, "close", int);
  const struct Verdict verdict = verdict_of(CALL_close, file, NULL);
  const int result = next(file);
  FAIL_IF_TOLD(verdict)
  call_is_over(verdict);
  return result;
}

int posix_fallocate(int file, off_t position, off_t size) {
  NEXT(int, "posix_fallocate", int, off_t, off_t);
  const struct Verdict verdict = verdict_of(CALL_fallocate, file, NULL);
  if (verdict.error != 0) return verdict.error;
  const int error = next(file, position, size);
  call_is_over(verdict);
  return error;
}

int posix_fallocate64(int file, off_t position, off_t size) { return posix_fallocate(file, position, size); }

// The mode that follows the flags of a call that may create.
#define MODE_AFTER(flags, mode)                     \
  mode_t mode = 0;                                  \
  if (((flags)&O_CREAT) || ((flags)&__O_TMPFILE)) { \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    mode = va_arg(rest, mode_t);                    \
    va_end(rest);                                   \
  }

// On ppc64le a function with "..." stores its arguments in room that its caller has made only if it knows of the "...".
static int judged_open(int folder, const char* path, int flags, mode_t mode) {
  NEXT(int, "openat", int, const char*, int, ...);
  const struct Verdict verdict = verdict_of(CALL_open, -1, path);
  FAIL_IF_TOLD(verdict)
  const int file = next(folder, path, flags, mode);
  call_is_over(verdict);
  return file;
}

int open(const char* path, int flags, ...) {
  MODE_AFTER(flags, mode)
  return judged_open(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MODE_AFTER(flags, mode)
  return judged_open(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  MODE_AFTER(flags, mode)
  return judged_open(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  MODE_AFTER(flags, mode)
  return judged_open(folder, path, flags, mode);
}

// What these are by a compiler that fortifies, of flags that make no file and with the room that it knows.
int __open_2(const char* path, int flags) { return judged_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return judged_open(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) { return judged_open(folder, path, flags, 0); }
int __openat64_2(int folder, const char* path, int flags) { return judged_open(folder, path, flags, 0); }
ssize_t __read_chk(int file, void* out, size_t size, size_t room) { return size <= room ? read(file, out, size) : -1; }
ssize_t __pread_chk(int file, void* out, size_t size, off_t position, size_t room) {
  return size <= room ? pread(file, out, size, position) : -1;
}
ssize_t __pread64_chk(int file, void* out, size_t size, off_t position, size_t room) {
  return __pread_chk(file, out, size, position, room);
}

#define OPENING(type, name, parameters, ...)                              \
  type* name parameters {                                                 \
    static type*(*next)parameters;                                        \
    if (next == NULL) next = (type * (*)parameters) next_function(#name); \
    const struct Verdict verdict = verdict_of(CALL_open, -1, path);       \
    if (verdict.error != 0) {                                             \
      errno = verdict.error;                                              \
      return NULL;                                                        \
    }                                                                     \
    return next(__VA_ARGS__);                                             \
  }

OPENING(FILE, fopen, (const char* path, const char* mode), path, mode)
OPENING(FILE, fopen64, (const char* path, const char* mode), path, mode)
OPENING(DIR, opendir, (const char* path), path)

struct dirent* readdir(DIR* folder) {
  NEXT(struct dirent*, "readdir", DIR*);
  const struct Verdict verdict = verdict_of(CALL_readdir, -1, NULL);
  if (verdict.error == 0) return next(folder);
  errno = verdict.error;
  return NULL;
}

struct dirent64* readdir64(DIR* folder) {
  return (struct dirent64*)readdir(folder);
}

// What has no function of its own in this C library comes by number: a call on files, or random bytes.
long syscall(long number, ...) {
  NEXT(long, "syscall", long, ...);
  long words[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(rest, long);
  va_end(rest);
  struct Verdict verdict = {DEED_nothing, 0};
  if (number == SYS_openat2 || number == SYS_openat) verdict = verdict_of(CALL_open, -1, (const char*)words[1]);
  if (number == SYS_renameat2) verdict = verdict_of(CALL_rename, -1, (const char*)words[1]);
  if (number == SYS_getrandom) verdict = verdict_of(CALL_getrandom, -1, NULL);
  FAIL_IF_TOLD(verdict)
  const long result = next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  call_is_over(verdict);
  return result;
}

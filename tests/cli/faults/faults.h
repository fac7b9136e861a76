// What the parts of the fault shim share; faults.c says what it does and how it is asked.
#pragma once
#include <stddef.h>
#include <sys/types.h>

enum Call {
  CALL_read,
  CALL_pread,
  CALL_readv,
  CALL_readdir,
  CALL_write,
  CALL_pwrite,
  CALL_writev,
  CALL_copy_file_range,
  CALL_fsync,
  CALL_fdatasync,
  CALL_syncfs,
  CALL_ftruncate,
  CALL_fallocate,
  CALL_open,
  CALL_opendir,
  CALL_close,
  CALL_flock,
  CALL_seek,
  CALL_rename,
  CALL_link,
  CALL_unlink,
  CALL_mkdir,
  CALL_stat,
  CALL_fchmod,
  CALL_fchown,
  CALL_fsetxattr,
  CALL_fremovexattr,
  CALL_malloc,
  CALL_mmap,
  CALL_mlock,
  CALL_getrandom,
  CALL_pthread_create,
  CALL_sleep,
  CALL_scrypt,
  NUM_CALLS
};

enum Deed { DEED_nothing, DEED_fail, DEED_interrupt, DEED_short, DEED_tear, DEED_kill_after };

// What is to become of a call. `error` is 0, or what errno must say.
struct Verdict {
  enum Deed deed;
  int error;
};

// Asked by each call, before it is made, with its file: a descriptor, or a path where `path` is not NULL. Acts of others and
// kills before the call happen in it. The second is of calls that are to move so many bytes.
struct Verdict verdict_of(enum Call call, int file, const char* path);
struct Verdict verdict_of_bytes(enum Call call, int file, size_t size_bytes);

// How much of `size_bytes` the call may move under this verdict.
size_t part_of(struct Verdict verdict, size_t size_bytes);

// Called after it: returns, or is the end of the process.
void call_is_over(struct Verdict verdict);

// The clock of the file systems goes on by so much, now; and what a file's times are by it.
void move_clock(long long nanoseconds);
struct stat;
void show_times(struct stat* status);

// SIGKILL, here and now.
_Noreturn void die_now(void);

// The function of that name that would have been called without us.
void* next_function(const char* name);

#define NEXT(type, name, ...)       \
  static type (*next)(__VA_ARGS__); \
  if (next == NULL) next = (type(*)(__VA_ARGS__))next_function(name)

// Preloaded into the program by a test: a disk that fails, as Linux has it. What is written is in memory, which is the file itself, and
// comes to the disk by a sync, which is a copy of it. Where a sync fails, it says so once; what was written before stays in memory, is
// taken for clean, and never comes to the disk. Who has the system drop what it keeps in memory reads what the disk has. The variables:
//
//   LOST_WRITES=FOLDER    has the disk's copies, each by the number of its file's inode
//   LOST_WRITES_IN=PATH   files below it are on the disk
//   LOST_WRITES_AT=N      the N-th sync of this process fails; N+: that and all later ones
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define MOST_PAGES (1 << 16)

static struct {
  ino_t inode;
  off_t page;
} dirty[MOST_PAGES];
static size_t num_dirty;
static int num_syncs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(type, name, ...)       \
  static type (*next)(__VA_ARGS__); \
  if (next == NULL) next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t put(int file, const void* bytes, size_t size, off_t position) {
  NEXT(ssize_t, "pwrite", int, const void*, size_t, off_t);
  return next(file, bytes, size, position);
}

static int cut(int file, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  return next(file, size);
}

static int open_file(const char* path, int flags, mode_t mode) {
  NEXT(int, "openat", int, const char*, int, mode_t);
  return next(AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

// Whether a descriptor is of a file of the disk; its inode.
static int is_on_disk(int file, ino_t* inode) {
  struct stat status;
  char link[64], path[PATH_MAX];
  const char *folder = getenv("LOST_WRITES"), *below = getenv("LOST_WRITES_IN");
  if (folder == NULL || below == NULL || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  *inode = status.st_ino;
  return strncmp(path, below, strlen(below)) == 0;
}

static void copy_pages(int from, int to, off_t begin, off_t end) {
  char bytes[PAGE];
  for (off_t at = begin; at < end; at += PAGE) {
    const ssize_t size = pread(from, bytes, PAGE, at);
    if (size > 0 && put(to, bytes, (size_t)size, at) != size) abort();
  }
}

// The disk's copy. A file that was there before has all of it on the disk.
static int open_copy(int file, ino_t inode) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%lu", getenv("LOST_WRITES"), (unsigned long)inode);
  int copy = open_file(path, O_RDWR, 0);
  if (copy >= 0) return copy;
  copy = open_file(path, O_RDWR | O_CREAT, 0600);
  struct stat status;
  if (copy < 0 || fstat(file, &status) != 0 || cut(copy, status.st_size) != 0) abort();
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const int again = open_file(link, O_RDONLY, 0);
  copy_pages(again, copy, 0, status.st_size);
  close(again);
  return copy;
}

static void note_written(int file, off_t position, size_t size) {
  ino_t inode;
  if (!is_on_disk(file, &inode)) return;
  pthread_mutex_lock(&mutex);
  close(open_copy(file, inode));  // as it was before this
  for (off_t page = position / PAGE; page * PAGE < position + (off_t)size; ++page) {
    size_t i = 0;
    while (i < num_dirty && (dirty[i].inode != inode || dirty[i].page != page)) ++i;
    if (i < num_dirty) continue;
    if (num_dirty == MOST_PAGES) abort();
    dirty[num_dirty].inode = inode;
    dirty[num_dirty++].page = page;
  }
  pthread_mutex_unlock(&mutex);
}

static int fails_now(void) {
  const char* const at = getenv("LOST_WRITES_AT");
  const int number = ++num_syncs;
  return at != NULL && (number == atoi(at) || (number > atoi(at) && strchr(at, '+') != NULL));
}

static int judged_sync(int file) {
  ino_t inode;
  if (!is_on_disk(file, &inode)) return 0;
  pthread_mutex_lock(&mutex);
  const int fails = fails_now(), copy = open_copy(file, inode);
  struct stat status;
  if (fstat(file, &status) != 0 || (!fails && cut(copy, status.st_size) != 0)) abort();
  size_t kept = 0;
  for (size_t i = 0; i < num_dirty; ++i) {
    if (dirty[i].inode != inode) {
      dirty[kept++] = dirty[i];
    } else if (!fails) {
      copy_pages(file, copy, dirty[i].page * PAGE, (dirty[i].page + 1) * PAGE);
    }
  }
  num_dirty = kept;
  close(copy);
  pthread_mutex_unlock(&mutex);
  if (!fails) return 0;
  errno = EIO;
  return -1;
}

int fsync(int file) { return judged_sync(file); }
int fdatasync(int file) { return judged_sync(file); }

ssize_t pwrite(int file, const void* bytes, size_t size, off_t position) {
  note_written(file, position, size);
  return put(file, bytes, size, position);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t position) { return pwrite(file, bytes, size, position); }

ssize_t write(int file, const void* bytes, size_t size) {
  NEXT(ssize_t, "write", int, const void*, size_t);
  ino_t inode;
  if (is_on_disk(file, &inode)) {
    const int appends = (fcntl(file, F_GETFL) & O_APPEND) != 0;
    note_written(file, lseek(file, 0, appends ? SEEK_END : SEEK_CUR), size);
  }
  return next(file, bytes, size);
}

// What is not dirty is dropped, and is what the disk has from then on.
static int drop(int file) {
  ino_t inode;
  if (!is_on_disk(file, &inode)) return 0;
  pthread_mutex_lock(&mutex);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const int copy = open_copy(file, inode), again = open_file(link, O_RDWR, 0);
  struct stat status;
  if (again < 0 || fstat(file, &status) != 0) abort();
  struct stat on_disk;
  if (fstat(copy, &on_disk) != 0) abort();
  if (on_disk.st_size < status.st_size && cut(copy, status.st_size) != 0) abort();
  for (off_t page = 0; page * PAGE < status.st_size; ++page) {
    size_t i = 0;
    while (i < num_dirty && (dirty[i].inode != inode || dirty[i].page != page)) ++i;
    if (i == num_dirty) copy_pages(copy, again, page * PAGE, (page + 1) * PAGE);
  }
  if (cut(again, status.st_size) != 0) abort();
  close(copy);
  NEXT(int, "fsync", int);
  next(again);  // so that the real system can drop it
  close(again);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int posix_fadvise(int file, off_t position, off_t size, int advice) {
  NEXT(int, "posix_fadvise", int, off_t, off_t, int);
  if (advice == POSIX_FADV_DONTNEED) drop(file);
  return next(file, position, size, advice);
}
int posix_fadvise64(int file, off_t position, off_t size, int advice) { return posix_fadvise(file, position, size, advice); }

// An inode that is used once more has nothing of the file before.
static int judged_open(int folder, const char* path, int flags, mode_t mode) {
  NEXT(int, "openat", int, const char*, int, mode_t);
  const int file = next(folder, path, flags, mode);
  ino_t inode;
  if (file < 0 || (flags & O_EXCL) == 0 || !is_on_disk(file, &inode)) return file;
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s/%lu", getenv("LOST_WRITES"), (unsigned long)inode);
  unlink(copy);
  return file;
}

#define OPEN(folder)             \
  mode_t mode = 0;               \
  if ((flags & O_CREAT) != 0) {  \
    va_list rest;                \
    va_start(rest, flags);       \
    mode = va_arg(rest, mode_t); \
    va_end(rest);                \
  }                              \
  return judged_open(folder, path, flags, mode);

int open(const char* path, int flags, ...) { OPEN(AT_FDCWD) }
int open64(const char* path, int flags, ...) { OPEN(AT_FDCWD) }
int openat(int folder, const char* path, int flags, ...) { OPEN(folder) }
int openat64(int folder, const char* path, int flags, ...) { OPEN(folder) }
int __open_2(const char* path, int flags) { return judged_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return judged_open(AT_FDCWD, path, flags, 0); }

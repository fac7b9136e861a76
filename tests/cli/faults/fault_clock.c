// The clock that faults.c moves: that of the file systems, as files show it. Files that are stamped after it was moved show
// later times, and those from before do not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "faults.h"

#define MOST_MOVES 64
#define SECOND 1000000000LL

static struct {
  long long at, by;  // nanoseconds
} moves[MOST_MOVES];
static int num_moves;

static long long nanoseconds_of(struct timespec time) { return time.tv_sec * SECOND + time.tv_nsec; }

static long long now_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return nanoseconds_of(now);
}

// The kernel stamps files by a clock that goes in steps, or by a finer one, and the first may lag behind by more than a step.
// So waits until it has passed the finer one: files that were made before have earlier stamps, and those to come have not.
static long long next_step(void) {
  const long long fine = now_by(CLOCK_REALTIME);
  long long now = 0;
  while (now <= fine) now = now_by(CLOCK_REALTIME_COARSE);
  return now;
}

// A move counts for other threads once it is whole.
void move_clock(long long nanoseconds) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const int number = num_moves;
  if (number == MOST_MOVES) abort();
  moves[number].at = next_step();
  moves[number].by = nanoseconds;
  __atomic_store_n(&num_moves, number + 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&mutex);
}

static struct timespec shown(struct timespec stamp) {
  const char* const clock = getenv("FAULT_CLOCK");
  const long long real = nanoseconds_of(stamp);
  const int is_stopped = clock != NULL && strcmp(clock, "stopped") == 0;
  const int is_coarse = is_stopped || (clock != NULL && strcmp(clock, "coarse") == 0);
  long long seen = is_coarse ? 1000000 * SECOND : real;
  const int number = __atomic_load_n(&num_moves, __ATOMIC_ACQUIRE);
  for (int i = 0; i < number && !is_stopped; ++i) {
    if (real >= moves[i].at) seen += moves[i].by;
  }
  return (struct timespec){.tv_sec = seen / SECOND, .tv_nsec = seen % SECOND};
}

void show_times(struct stat* status) {
  if (!S_ISREG(status->st_mode)) return;
  status->st_mtim = shown(status->st_mtim);
  status->st_ctim = shown(status->st_ctim);
}

static void show_time(struct statx_timestamp* time) {
  const struct timespec seen = shown((struct timespec){.tv_sec = time->tv_sec, .tv_nsec = time->tv_nsec});
  time->tv_sec = seen.tv_sec;
  time->tv_nsec = (unsigned)seen.tv_nsec;
}

int statx(int folder, const char* path, int flags, unsigned wanted, struct statx* status) {
  NEXT(int, "statx", int, const char*, int, unsigned, struct statx*);
  const int result = next(folder, path, flags, wanted, status);
  if (result != 0) return result;
  show_time(&status->stx_mtime);
  show_time(&status->stx_ctime);
  return 0;
}

// The clock of those who wait: each look at it is ten seconds later, where FAULT_STEADY is set.
int clock_gettime(clockid_t clock, struct timespec* time) {
  NEXT(int, "clock_gettime", clockid_t, struct timespec*);
  static int num_looks;
  const int result = next(clock, time);
  if (clock == CLOCK_MONOTONIC && getenv("FAULT_STEADY") != NULL) time->tv_sec += 10 * __sync_add_and_fetch(&num_looks, 1);
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time, struct timespec* left) {
  (void)clock, (void)flags, (void)left;
  const struct Verdict verdict = verdict_of(CALL_sleep, -1, NULL);
  move_clock(nanoseconds_of(*time));
  call_is_over(verdict);
  return verdict.error;
}

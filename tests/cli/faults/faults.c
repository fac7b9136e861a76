// Preloaded into the program by a test: makes its calls behave as a bad day would, or lets another process act in between.
// Calls are counted from main on. The variables:
//
//   FAULTS=RULE;RULE...   each rule is CALLS@WHEN=WHAT; the first that fits decides what becomes of a call
//     CALLS   names and groups, separated by commas, as in "pwrite,sync"; then perhaps :NAME, and only calls on files
//             count whose path, as the call has it, ends with NAME, as in "read:IN"
//     WHEN    N: the N-th of these calls; N+: that and all later ones; every
//     WHAT    EIO, ENOSPC, ...   the call fails; a write has put half of its bytes before it fails
//             note               nothing but a line in the log
//             short              it moves half of what was asked
//             ragged             it moves a part, and each fifth is interrupted (EINTR) instead
//             kill               SIGKILL before the call
//             tear               SIGKILL in the middle: half of the bytes were written; as kill where there are none
//             kill-after         SIGKILL after the call
//             term, int, hup     that signal before the call
//             run                the shell command in ACTOR runs to its end before the call, without us, and finds the
//                                name of the call and its path in FAULT_CALL and FAULT_PATH
//   ACTOR=COMMAND
//   FAULT_CLOCK=coarse    files have the same times, as where all was saved within one step of a coarse clock
//   FAULT_CLOCK=stopped   the same, and nothing makes it go on
//   FAULT_CLOCK=SECONDS   the clock goes on by so much before main: all files are at least so old
//   FAULT_STEADY=fast     the steady clock, by which the program waits, goes ten seconds further with each look at it
//   FAULT_LOG=FILE        gets a line "CALL BYTES PATH" for each call but those of memory (BYTES as asked for),
//                         "hit WHAT CALL PATH" for each that a rule hits, "actor STATUS" and what the command complains of
//
// Groups: read, write, sync, open, name (rename, link, unlink, mkdir), change (all that changes a disk: write, sync, name,
// ftruncate, fallocate, fsetxattr, fremovexattr), look (stat, seek, readdir), any (these but seek, flock, close, fchmod,
// fchown); and memory (malloc and its like, mmap), mlock, getrandom, pthread_create, sleep, scrypt (libcrypto's). Nothing sleeps: the
// clock by which file systems stamp files goes on instead (fault_clock.c). Descriptor 2 is left alone, so that
// messages can be judged.
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char* name;
  const char* groups;
} calls[NUM_CALLS] = {
    [CALL_read] = {"read", "any"},
    [CALL_pread] = {"pread", "read any"},
    [CALL_readv] = {"readv", "read any"},
    [CALL_readdir] = {"readdir", "look any"},
    [CALL_write] = {"write", "change any"},
    [CALL_pwrite] = {"pwrite", "write change any"},
    [CALL_writev] = {"writev", "write change any"},
    [CALL_copy_file_range] = {"copy_file_range", "write change any"},
    [CALL_fsync] = {"fsync", "sync change any"},
    [CALL_fdatasync] = {"fdatasync", "sync change any"},
    [CALL_syncfs] = {"syncfs", "sync change any"},
    [CALL_ftruncate] = {"ftruncate", "change any"},
    [CALL_fallocate] = {"fallocate", "change any"},
    [CALL_open] = {"open", "any"},
    [CALL_opendir] = {"opendir", "open any"},
    [CALL_close] = {"close", "any"},
    [CALL_flock] = {"flock", "any"},
    [CALL_seek] = {"seek", "look"},
    [CALL_rename] = {"rename", "name change any"},
    [CALL_link] = {"link", "name change any"},
    [CALL_unlink] = {"unlink", "name change any"},
    [CALL_mkdir] = {"mkdir", "name change any"},
    [CALL_stat] = {"stat", "look any"},
    [CALL_fchmod] = {"fchmod", "any"},
    [CALL_fchown] = {"fchown", "any"},
    [CALL_fsetxattr] = {"fsetxattr", "change any"},
    [CALL_fremovexattr] = {"fremovexattr", "change any"},
    [CALL_malloc] = {"malloc", "memory"},
    [CALL_mmap] = {"mmap", "memory"},
    [CALL_mlock] = {"mlock", ""},
    [CALL_getrandom] = {"getrandom", ""},
    [CALL_pthread_create] = {"pthread_create", ""},
    [CALL_sleep] = {"sleep", ""},
    [CALL_scrypt] = {"scrypt", ""},
};

static const struct {
  const char* name;
  int error;
} errors[] = {
    {"EIO", EIO},       {"ENOSPC", ENOSPC},         {"EINTR", EINTR},   {"EAGAIN", EAGAIN}, {"EACCES", EACCES},
    {"EPERM", EPERM},   {"ENOMEM", ENOMEM},         {"EMFILE", EMFILE}, {"ENOLCK", ENOLCK}, {"EINVAL", EINVAL},
    {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP}, {"EXDEV", EXDEV},   {"EDQUOT", EDQUOT}, {"EROFS", EROFS},
    {"ENOENT", ENOENT}, {"EEXIST", EEXIST},         {"EBUSY", EBUSY},   {"ESTALE", ESTALE}, {"EFBIG", EFBIG},
    {"EMLINK", EMLINK}, {"ENXIO", ENXIO},           {"E2BIG", E2BIG},   {"ERANGE", ERANGE},
};

enum What { WHAT_fail, WHAT_note, WHAT_short, WHAT_ragged, WHAT_kill, WHAT_tear, WHAT_kill_after, WHAT_signal, WHAT_run };

struct Rule {
  const char* text;
  unsigned long long calls;  // a bit for each
  char ending[256];
  int at, and_later;
  enum What what;
  int number;  // of the error or the signal
  int num_seen;
};

static struct Rule rules[8];
static int num_rules, log_file = -1, counting;
static unsigned long long wanted_calls;  // by any rule
static __thread int inside __attribute__((tls_model("initial-exec")));
extern char** environ;

void* next_function(const char* name) {
  ++inside;
  void* function = dlsym(RTLD_NEXT, name);
  --inside;
  return function;
}

static void give_up(const char* text) {
  fprintf(stderr, "faults: cannot understand %s\n", text);
  abort();
}

static int has_word(const char* words, const char* word, size_t length) {
  for (const char* at = words; (at = strstr(at, word)) != NULL; ++at) {
    const char after = at[length];
    if ((at == words || at[-1] == ' ') && (after == 0 || after == ' ')) return 1;
  }
  return 0;
}

static unsigned long long calls_named(const char* word) {
  unsigned long long found = 0;
  for (int call = 0; call < NUM_CALLS; ++call) {
    if (strcmp(calls[call].name, word) == 0 || has_word(calls[call].groups, word, strlen(word))) found |= 1ull << call;
  }
  if (found == 0) give_up(word);
  return found;
}

static void parse_what(struct Rule* rule, const char* what) {
  static const char* const names[] = {"", "note", "short", "ragged", "kill", "tear", "kill-after", "", "run"};
  for (int i = WHAT_note; i <= WHAT_run; ++i) {
    if (strcmp(names[i], what) == 0) {
      rule->what = (enum What)i;
      return;
    }
  }
  rule->what = WHAT_signal;
  rule->number = strcmp(what, "term") == 0  ? SIGTERM
                 : strcmp(what, "int") == 0 ? SIGINT
                 : strcmp(what, "hup") == 0 ? SIGHUP
                                            : 0;
  if (rule->number != 0) return;
  rule->what = WHAT_fail;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    if (strcmp(errors[i].name, what) == 0) rule->number = errors[i].error;
  }
  if (rule->number == 0) give_up(what);
}

static void parse_rule(char* text) {
  struct Rule* rule = &rules[num_rules];
  char *when = strchr(text, '@'), *what = when == NULL ? NULL : strchr(when, '=');
  if (what == NULL || num_rules++ == sizeof rules / sizeof *rules) give_up(text);
  rule->text = what + 1;
  *when++ = *what++ = 0;
  char* ending = strchr(text, ':');
  if (ending != NULL) {
    *ending++ = 0;
    if (strlen(ending) >= sizeof rule->ending) give_up(ending);
    strcpy(rule->ending, ending);
  }
  char* rest = NULL;
  for (char* word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
    rule->calls |= calls_named(word);
  rule->and_later = strcmp(when, "every") == 0 || strchr(when, '+') != NULL;
  rule->at = strcmp(when, "every") == 0 ? 1 : atoi(when);
  if (rule->at < 1) give_up(when);
  parse_what(rule, what);
  wanted_calls |= rule->calls;
}

static void begin(void) {
  ++inside;
  const char *text = getenv("FAULTS"), *log = getenv("FAULT_LOG");
  char* rest = NULL;
  static char copy[4096];  // the rules point into it
  if (text != NULL && strlen(text) < sizeof copy) {
    strcpy(copy, text);
    for (char* rule = strtok_r(copy, ";", &rest); rule != NULL; rule = strtok_r(NULL, ";", &rest)) parse_rule(rule);
  }
  if (log != NULL) {
    const int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    log_file = fcntl(file, F_DUPFD_CLOEXEC, 400);  // out of the way: the program's descriptors keep their numbers
    if (log_file < 0) give_up(log);
    close(file);
  }
  const char* const clock = getenv("FAULT_CLOCK");
  if (clock != NULL && atoi(clock) > 0) move_clock(atoi(clock) * 1000000000LL);
  --inside;
  counting = 1;
}

static int (*program_main)(int, char**, char**);

static int counted_main(int num_arguments, char** arguments, char** environment) {
  begin();
  return program_main(num_arguments, arguments, environment);
}

#if defined(__powerpc__)
// What the start-up code of a program calls. There main comes among other functions (glibc, sysdeps/unix/sysv/linux/powerpc/libc-start.c).
struct StartUp {
  void* small_data;
  int (*main)(int, char**, char**);
  void (*init)(void);
  void (*fini)(void);
};

int __libc_start_main(int num_arguments, char** arguments, char** environment, void* auxiliary, void (*end_of_loader)(void),
                      struct StartUp* start_up, char** stack) {
  int (*next)(int, char**, char**, void*, void (*)(void), struct StartUp*, char**) = next_function("__libc_start_main");
  static struct StartUp counted;
  counted = *start_up;
  counted.main = counted_main;
  program_main = start_up->main;
  return next(num_arguments, arguments, environment, auxiliary, end_of_loader, &counted, stack);
}
#else
// What the start-up code of a program calls with its main.
int __libc_start_main(int (*main)(int, char**, char**), int num_arguments, char** arguments, void (*init)(void),
                      void (*fini)(void), void (*end_of_loader)(void), void* stack_end) {
  int (*next)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      next_function("__libc_start_main");
  program_main = main;
  return next(counted_main, num_arguments, arguments, init, fini, end_of_loader, stack_end);
}
#endif

static void log_line(const char* format, const char* first, const char* second, const char* third) {
  if (log_file < 0) return;
  char line[1024];
  const int size = snprintf(line, sizeof line, format, first, second, third);
  if (write(log_file, line, size < (int)sizeof line ? (size_t)size : sizeof line) < 0) abort();
}

void die_now(void) {
  ++inside;
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Waits for a shell that has our environment, less ourselves.
static void run_actor(const char* call, const char* path) {
  char* words[] = {"/bin/sh", "-c", getenv("ACTOR"), NULL};
  char call_word[64], path_word[600], *environment[512];
  size_t size = 0;
  for (char** word = environ; *word != NULL && size < 500; ++word) {
    if (strncmp(*word, "LD_PRELOAD=", 11) != 0 && strncmp(*word, "FAULT", 5) != 0) environment[size++] = *word;
  }
  snprintf(call_word, sizeof call_word, "FAULT_CALL=%s", call);
  snprintf(path_word, sizeof path_word, "FAULT_PATH=%s", path);
  environment[size++] = call_word;
  environment[size++] = path_word;
  environment[size] = NULL;
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&streams, log_file < 0 ? 1 : log_file, 2);
  pid_t process = 0;
  int status = -1;
  if (words[2] == NULL || posix_spawn(&process, words[0], &streams, NULL, words, environment) != 0) give_up("ACTOR");
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  posix_spawn_file_actions_destroy(&streams);
  char number[16];
  snprintf(number, sizeof number, "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  log_line("actor %s%s%s\n", number, "", "");
}

static struct Verdict carry_out(const struct Rule* rule, int turn, enum Call call, const char* path) {
  const int writes = call == CALL_write || call == CALL_pwrite || call == CALL_writev || call == CALL_copy_file_range;
  log_line("hit %s %s %s\n", rule->text, calls[call].name, path);
  switch (rule->what) {
    case WHAT_fail:
      return (struct Verdict){DEED_fail, rule->number};
    case WHAT_note:
      break;
    case WHAT_short:
      return (struct Verdict){DEED_short, 0};
    case WHAT_ragged:
      if (turn % 5 == 0) return (struct Verdict){DEED_interrupt, EINTR};
      return (struct Verdict){DEED_short, 0};
    case WHAT_tear:
      if (writes) return (struct Verdict){DEED_tear, 0};
      die_now();
    case WHAT_kill:
      die_now();
    case WHAT_kill_after:
      return (struct Verdict){DEED_kill_after, 0};
    case WHAT_signal:
      raise(rule->number);
      break;
    case WHAT_run:
      run_actor(calls[call].name, path);
      break;
  }
  return (struct Verdict){DEED_nothing, 0};
}

static int ends_with(const char* path, const char* ending) {
  const size_t size = strlen(path), ending_size = strlen(ending);
  return size >= ending_size && strcmp(path + size - ending_size, ending) == 0;
}

static struct Verdict judge(enum Call call, int file, const char* path, size_t size_bytes) {
  struct Verdict verdict = {DEED_nothing, 0};
  char name[512] = "-", link[32], size_word[32];
  if (path == NULL && file >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, name, sizeof name - 1);
    if (size > 0) name[size] = 0;
    path = name;
  } else if (path == NULL) {
    path = name;
  }
  snprintf(size_word, sizeof size_word, "%zu", size_bytes);
  if (call < CALL_malloc) log_line("%s %s %s\n", calls[call].name, size_word, path);
  for (int i = 0; i < num_rules; ++i) {
    struct Rule* rule = &rules[i];
    if ((rule->calls >> call & 1) == 0 || !ends_with(path, rule->ending)) continue;
    const int turn = __sync_add_and_fetch(&rule->num_seen, 1);
    const int hits = turn == rule->at || (rule->and_later && turn > rule->at);
    if (hits && verdict.deed == DEED_nothing) verdict = carry_out(rule, turn, call, path);
  }
  return verdict;
}

static struct Verdict counted(enum Call call, int file, const char* path, size_t size_bytes) {
  const struct Verdict nothing = {DEED_nothing, 0};
  if (!counting || inside != 0 || (call < CALL_malloc && path == NULL && file == 2)) return nothing;
  if ((wanted_calls >> call & 1) == 0 && (log_file < 0 || call >= CALL_malloc)) return nothing;
  const int before = errno;
  ++inside;
  const struct Verdict verdict = judge(call, file, path, size_bytes);
  --inside;
  errno = before;
  return verdict;
}

struct Verdict verdict_of(enum Call call, int file, const char* path) {
  return counted(call, file, path, 0);
}

struct Verdict verdict_of_bytes(enum Call call, int file, size_t size_bytes) {
  return counted(call, file, NULL, size_bytes);
}

size_t part_of(struct Verdict verdict, size_t size_bytes) {
  return verdict.deed == DEED_nothing || verdict.deed == DEED_kill_after || size_bytes < 2 ? size_bytes
                                                                                           : size_bytes - size_bytes / 2;
}

void call_is_over(struct Verdict verdict) {
  if (verdict.deed == DEED_kill_after) die_now();
}

// Preloaded into one rank by a test: a bad day of the network, or somebody who listens. One of these variables is set:
//   MPI_FAULT=CALL@N   the N-th call of that function fails
//   MPI_HANG=CALL@N    it makes the file `hanging` and never returns
//   MPI_FLIP=CALL@N    one bit of what it sends is another; N 0: of all that is 64 KiB or more
//   MPI_RECORD=FILE    all that is sent is put there, too
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_time(const char* variable, const char* call, int number) {
  const char* rule = getenv(variable);
  const size_t size = strlen(call);
  return rule != NULL && strncmp(rule, call, size) == 0 && rule[size] == '@' && number == atoi(rule + size + 1);
}

static void hang(void) {
  close(open("hanging", O_CREAT | O_WRONLY, 0600));
  for (;;) pause();
}

static int fails(const char* call, int number) {
  if (is_time("MPI_HANG", call, number)) hang();
  return is_time("MPI_FAULT", call, number);
}

static void record(const void* data, size_t size) {
  const char* name = getenv("MPI_RECORD");
  if (name == NULL) return;
  const int file = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (write(file, data, size) != (ssize_t)size) abort();
  close(file);
}

// With MPICH a process that never came to its mpirun is not missed: there it is this process alone that believes in a failure.
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int has_failed = fails("MPI_Init_thread", 1);
#ifndef MPICH_VERSION
  if (has_failed) return MPI_ERR_OTHER;
#endif
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  return has_failed ? MPI_ERR_OTHER : result;
}

int MPI_Send(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  static int num_calls;
  if (fails("MPI_Send", ++num_calls)) return MPI_ERR_OTHER;
  record(data, (size_t)size);
  const int flips = is_time("MPI_FLIP", "MPI_Send", num_calls) || (size >= 65536 && is_time("MPI_FLIP", "MPI_Send", 0));
  if (!flips) return PMPI_Send(data, size, type, to, tag, ranks);
  unsigned char* copy = malloc((size_t)size);
  memcpy(copy, data, (size_t)size);
  copy[size / 2] ^= 1;
  const int result = PMPI_Send(copy, size, type, to, tag, ranks);
  free(copy);
  return result;
}

int MPI_Iprobe(int from, int tag, MPI_Comm ranks, int* flag, MPI_Status* status) {
  static int num_calls;
  return fails("MPI_Iprobe", ++num_calls) ? MPI_ERR_OTHER : PMPI_Iprobe(from, tag, ranks, flag, status);
}

int MPI_Recv(void* data, int size, MPI_Datatype type, int from, int tag, MPI_Comm ranks, MPI_Status* status) {
  static int num_calls;
  return fails("MPI_Recv", ++num_calls) ? MPI_ERR_OTHER : PMPI_Recv(data, size, type, from, tag, ranks, status);
}

int MPI_Finalize(void) { return fails("MPI_Finalize", 1) ? MPI_ERR_OTHER : PMPI_Finalize(); }

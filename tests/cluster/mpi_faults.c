// Preloaded into one rank by a test: MPI_FAULT=CALL@N makes the N-th call of that function fail, as on a bad day of the network.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int fails(const char* call) {
  static int num_calls;
  const char* rule = getenv("MPI_FAULT");
  const size_t size = strlen(call);
  if (rule == NULL || strncmp(rule, call, size) != 0 || rule[size] != '@') return 0;
  return ++num_calls == atoi(rule + size + 1);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return fails("MPI_Init_thread") ? MPI_ERR_OTHER : PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Send(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  return fails("MPI_Send") ? MPI_ERR_OTHER : PMPI_Send(data, size, type, to, tag, ranks);
}

int MPI_Iprobe(int from, int tag, MPI_Comm ranks, int* flag, MPI_Status* status) {
  return fails("MPI_Iprobe") ? MPI_ERR_OTHER : PMPI_Iprobe(from, tag, ranks, flag, status);
}

int MPI_Recv(void* data, int size, MPI_Datatype type, int from, int tag, MPI_Comm ranks, MPI_Status* status) {
  return fails("MPI_Recv") ? MPI_ERR_OTHER : PMPI_Recv(data, size, type, from, tag, ranks, status);
}

#include "cluster/ranks.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

namespace phalanx {
namespace {

constexpr int message_tag = 1;

// After a failure MPI cannot be asked for anything but the end.
void check(int result, const char* action) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int size = 0;
  MPI_Error_string(result, text, &size);
  std::fprintf(stderr, "phalanx-mpi: cannot %s: %s\n", action, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    std::fprintf(stderr, "phalanx-mpi: cannot start MPI\n");
    std::_Exit(1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "phalanx-mpi: this MPI does not let a process have threads\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "ask for the rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &num_ranks_), "count the ranks");
  char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int size = 0;
  check(MPI_Get_processor_name(name, &size), "ask for the host's name");
  host_ = name;
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "find the ranks of this host");
  check(MPI_Comm_rank(host, &rank_on_host_), "find the ranks of this host");
  check(MPI_Comm_size(host, &ranks_on_host_), "count the ranks of this host");
  MPI_Comm_free(&host);
}

Ranks::~Ranks() { MPI_Finalize(); }

void Ranks::send(int to, Bytes bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) abort(1);
  check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, message_tag, MPI_COMM_WORLD), "send to a rank");
}

std::optional<RankMessage> Ranks::receive() {
  int has_come = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, message_tag, MPI_COMM_WORLD, &has_come, &status), "hear from a rank");
  if (has_come == 0) return std::nullopt;
  int size = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &size), "hear from a rank");
  RankMessage message{.from = status.MPI_SOURCE, .bytes = SecretBytes(static_cast<std::size_t>(size))};
  check(MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        "hear from a rank");
  return message;
}

void Ranks::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace phalanx

#include "program/cluster/ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>

#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/signal_handlers.hpp"

namespace phalanx {
namespace {

constexpr int message_tag = 1;
constexpr std::chrono::milliseconds between_looks{100};

// MPICH's mpirun drops what it has not yet read of a rank's messages when the rank ends the job. A second at most: it may
// have gone.
void wait_until_messages_are_read() {
  constexpr int most_looks = 100;
  constexpr std::chrono::milliseconds between{10};
  for (int look = 0, unread = 0; look < most_looks; ++look) {
    if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) return;
    std::this_thread::sleep_for(between);
  }
}

// After a failure MPI cannot be asked for anything but the end, which may leave this process no time.
[[noreturn]] void end_all_ranks(const std::string& line) {
  clean_up_as_interrupted();
  print_error(line);
  wait_until_messages_are_read();
  MPI_Abort(MPI_COMM_WORLD, exit_code_of(ErrorCode::runtime));
  std::_Exit(exit_code_of(ErrorCode::runtime));
}

std::string name_of_machine() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "this machine";
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) : host_(name_of_machine()), launcher_(getppid()) {
  int provided = 0, is_there = 0;
  MPI_Initialized(&is_there);
  has_started_ = is_there == 0;
  if (has_started_ && MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    print_error("MPI does not start on " + host_);
    std::_Exit(exit_code_of(ErrorCode::runtime));
  }
  if (!has_started_) MPI_Query_thread(&provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "ask for the rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &num_ranks_), "count the ranks");
  if (provided < MPI_THREAD_FUNNELED) end_all_ranks("this MPI does not let a process have threads");
  char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int size = 0;
  check(MPI_Get_processor_name(name, &size), "ask for the host's name");
  host_ = name;
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "find the ranks of this host");
  check(MPI_Comm_rank(host, &rank_on_host_), "find the ranks of this host");
  check(MPI_Comm_size(host, &ranks_on_host_), "count the ranks of this host");
  MPI_Comm_free(&host);
  if (num_ranks_ > 1) watch_ = std::thread([this] { watch_launcher(); });
}

// An mpirun that is killed does not always take its ranks along, and nobody would be left to end them.
void Ranks::watch_launcher() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [&] { return is_over_; })) end_after_launcher();
}

void Ranks::end_after_launcher() const {
  if (num_ranks_ > 1 && getppid() != launcher_) kill(getpid(), SIGTERM);
}

void Ranks::check(int result, const char* action) const {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int size = 0;
  MPI_Error_string(result, text, &size);
  end_all_ranks(fmt::format("rank {} on {}: MPI cannot {}: {}", rank_, host_, action, text));
}

Ranks::~Ranks() {
  if (has_started_) MPI_Finalize();
  if (!watch_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  watch_.join();
}

void Ranks::send(int to, Bytes bytes) {
  SecretBytes sealed;
  if (seal_) {
    sealed = seal_->seal(to, bytes);
    bytes = sealed;
  }
  if (bytes.size() > most_message_bytes) check(MPI_ERR_COUNT, "send so much at once");
  check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, message_tag, MPI_COMM_WORLD), "send to a rank");
}

std::optional<RankMessage> Ranks::receive() {
  end_after_launcher();  // before Open MPI 6 does: its next call ends this process by _exit, which leaves nothing clean
  int has_come = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, message_tag, MPI_COMM_WORLD, &has_come, &status), "hear from a rank");
  if (has_come == 0) return std::nullopt;
  int size = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &size), "hear from a rank");
  if (size < 0 || static_cast<std::size_t>(size) > most_message_bytes) refuse(status.MPI_SOURCE, "it is too long");
  RankMessage message{.from = status.MPI_SOURCE, .bytes = SecretBytes(static_cast<std::size_t>(size))};
  check(MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        "hear from a rank");
  if (!seal_) return message;
  try {
    message.bytes = seal_->open(message.from, message.bytes);
  } catch (const Error&) {
    end_all_ranks(fmt::format("rank {} on {}: what came from rank {} is not authentic", rank_, host_, message.from));
  }
  return message;
}

void Ranks::refuse(int from, const std::string& why) const {
  end_all_ranks(fmt::format("rank {} on {}: what came from rank {} is refused: {}", rank_, host_, from, why));
}

}  // namespace phalanx

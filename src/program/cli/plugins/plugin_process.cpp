#include "program/cli/plugins/plugin_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <phalanx/error.hpp>
#include <string_view>

#include "engine/text/utf8.hpp"
#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_received_bytes = std::size_t{1} << 20;
constexpr std::size_t most_complaint_bytes = 4096;
constexpr int milliseconds_until_note = 5000, milliseconds_of_look = 100;
constexpr int milliseconds_of_try = 5, tries_before_signal = 200;

struct Pipe {
  FileDescriptor read_end, write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_system_error("make", "a pipe to a plugin");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void make_nonblocking(int descriptor) { fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

// A folder may have the right to be executed too, so that only a regular file is a program.
bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Closes the descriptors that /proc lists, and returns false where there is no /proc. Closing some does not hide those that
// come later in the list.
bool close_listed() {
  const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(dirent64) char entries[4096];
  ssize_t size = 0;
  while ((size = getdents64(folder, entries, sizeof entries)) > 0) {
    for (ssize_t place = 0; place < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + place);
      place += entry->d_reclen;
      int number = 0;
      for (const char* digit = entry->d_name; *digit >= '0' && *digit <= '9'; ++digit) number = 10 * number + (*digit - '0');
      if (number > 2 && number != folder) ::close(number);
    }
  }
  ::close(folder);
  return size == 0;
}

// Linux gives numbers below the limit, and below this number unless root has said otherwise (fs.nr_open).
void close_all_numbers() {
  constexpr rlim_t usual_numbers = rlim_t{1} << 20, most_numbers = rlim_t{1} << 30;
  rlimit limit{};
  const bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < most_numbers;
  const rlim_t end = is_known ? std::max(usual_numbers, limit.rlim_max) : usual_numbers;
  for (rlim_t number = 3; number < end; ++number) ::close(static_cast<int>(number));
}

// Among the descriptors may be the caller's key. An older kernel, or a sandbox, does not close them by one call.
void close_above_two() {
  if (close_range(3, ~0U, 0) != 0 && !close_listed()) close_all_numbers();
}

// Returns a descriptor that is readable once the process has ended; none where the kernel is older than Linux 5.3.
FileDescriptor watch_process(pid_t process) {
#ifdef SYS_pidfd_open
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0U)));
#else
  return {};
#endif
}

// Between fork and exec only system calls are made, since other threads may hold any lock.
[[noreturn]] void become(const char* path, char* const* arguments, const int* ends, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  for (int number = 0; number < 3; ++number) {
    if (dup2(ends[number], number) < 0) _exit(127);
  }
  close_above_two();
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(number, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(path, arguments);
  _exit(127);
}

// Moves an end above the first three numbers, so that no end is one of those that become the three.
FileDescriptor above_three(FileDescriptor end) {
  if (end.get() > 2) return end;
  const int moved = fcntl(end.get(), F_DUPFD_CLOEXEC, 3);
  if (moved < 0) throw_system_error("make", "a pipe to a plugin");
  return FileDescriptor(moved);
}

}  // namespace

std::string find_plugin(const std::string& name) {
  const std::string program = "age-plugin-" + name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!folder.starts_with('/')) continue;
    std::string candidate = std::string(folder) + "/" + program;
    if (is_program(candidate)) return candidate;
  }
  throw Error(ErrorCode::usage, "the plugin " + program + " is in no absolute folder of PATH: install it");
}

PluginProcess::PluginProcess(const std::string& name, const std::string& state_machine)
    : name_("age-plugin-" + name), outgoing_(0), incoming_(4096) {
  const std::string path = find_plugin(name);
  Pipe in = make_pipe(), out = make_pipe(), complaints = make_pipe();
  const FileDescriptor its[] = {above_three(std::move(in.read_end)), above_three(std::move(out.write_end)),
                                above_three(std::move(complaints.write_end))};
  const int ends[] = {its[0].get(), its[1].get(), its[2].get()};
  std::string program = name_, option = "--age-plugin=" + state_machine;
  char* const arguments[] = {program.data(), option.data(), nullptr};
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ < 0) throw_system_error("start", path);
  if (child_ == 0) become(path.c_str(), arguments, ends, parent);
  watch_ = watch_process(child_);
  to_ = std::move(in.write_end);
  from_ = std::move(out.read_end);
  complaints_from_ = std::move(complaints.read_end);
  for (const FileDescriptor* end : {&to_, &from_, &complaints_from_}) make_nonblocking(end->get());
}

// The plugin's pipes are closed first, so that it ends by itself if it can: it may have a card to put away.
PluginProcess::~PluginProcess() {
  to_ = FileDescriptor();
  from_ = FileDescriptor();
  complaints_from_ = FileDescriptor();
  int status = 0;
  for (int tries = 0; tries < 2 * tries_before_signal; ++tries) {
    if (waitpid(child_, &status, WNOHANG) != 0) return;
    if (tries == tries_before_signal) kill(child_, SIGTERM);
    poll(nullptr, 0, milliseconds_of_try);
  }
  kill(child_, SIGKILL);
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
}

void PluginProcess::fail(const std::string& what) const { throw Error(ErrorCode::runtime, name_ + ": " + what); }

void PluginProcess::send(const std::vector<std::string_view>& arguments, Bytes body) {
  const SecretBytes text = age_stanza_text(arguments, body);
  const Bytes left = Bytes(outgoing_).subspan(num_written_);
  SecretBytes joined(left.size() + text.size());
  std::ranges::copy(Bytes(text), std::ranges::copy(left, joined.begin()).out);
  outgoing_ = std::move(joined);
  num_written_ = 0;
}

void PluginProcess::write_some() {
  const Bytes left = Bytes(outgoing_).subspan(num_written_);
  const ssize_t written = ::write(to_.get(), left.data(), left.size());
  if (written > 0) num_written_ += static_cast<std::size_t>(written);
  if (written < 0 && errno == EPIPE) num_written_ = outgoing_.size();  // it reads no more, and its complaint tells why
}

void PluginProcess::read_some(bool has_exited) {
  if (num_read_ == incoming_.size()) {
    if (num_read_ >= most_received_bytes) fail("it sends a stanza of more than 1 MiB");
    SecretBytes more(2 * num_read_);
    std::copy_n(incoming_.begin(), num_read_, more.begin());
    incoming_ = std::move(more);
  }
  const ssize_t got = ::read(from_.get(), incoming_.data() + num_read_, incoming_.size() - num_read_);
  if (got > 0) num_read_ += static_cast<std::size_t>(got);
  if (got == 0 || (got < 0 && has_exited)) has_ended_ = true;
}

// Processes that the plugin started may live on and hold its pipes. So an open pipe does not say that it will answer.
bool PluginProcess::has_exited() const {
  siginfo_t about{};
  return waitid(P_PID, static_cast<id_t>(child_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == child_;
}

void PluginProcess::read_complaints() {
  char text[1024];
  const ssize_t got = ::read(complaints_from_.get(), text, sizeof text);
  if (got == 0) complaints_from_ = FileDescriptor();
  if (got <= 0) return;
  complaints_.append(text, static_cast<std::size_t>(got));
  if (complaints_.size() > most_complaint_bytes) complaints_.erase(0, complaints_.size() - most_complaint_bytes);
}

void PluginProcess::exchange() {
  const bool is_over = has_exited();  // all that it wrote is in its pipes by now
  const bool writes = num_written_ < outgoing_.size() && !is_over;
  pollfd watched[] = {{from_.get(), POLLIN, 0},
                      {writes ? to_.get() : -1, POLLOUT, 0},
                      {complaints_from_.is_open() ? complaints_from_.get() : -1, POLLIN, 0},
                      {watch_.is_open() ? watch_.get() : -1, POLLIN, 0}};
  const int longest = watch_.is_open() ? milliseconds_until_note : milliseconds_of_look;
  const int num_ready = is_over ? 1 : poll(watched, 4, longest);
  if (num_ready == 0) say_that_we_wait(longest);
  if (num_ready <= 0) return;
  if (watched[1].revents != 0) write_some();
  if (watched[2].revents != 0 || is_over) read_complaints();
  if (watched[0].revents != 0 || is_over) read_some(is_over);
}

void PluginProcess::say_that_we_wait(int milliseconds) {
  milliseconds_waited_ += milliseconds;
  if (has_said_so_ || milliseconds_waited_ < milliseconds_until_note) return;
  print_note("waiting for " + name_ + ": it may want to be touched, or told something", false);
  has_said_so_ = true;
}

AgeStanza PluginProcess::receive() {
  for (;;) {
    const Bytes received = Bytes(incoming_).first(num_read_);
    const std::optional<std::size_t> size = first_stanza_bytes(characters_of(received));
    if (size) {
      std::string_view text = characters_of(received.first(*size));
      AgeStanza stanza = [&] {
        try {
          return read_age_stanza(text);
        } catch (const Error& error) {
          fail(std::string("it does not keep to its protocol: ") + error.what());
        }
      }();
      std::copy(incoming_.begin() + *size, incoming_.begin() + num_read_, incoming_.begin());
      num_read_ -= *size;
      return stanza;
    }
    if (has_ended_) {
      for (std::size_t i = 0; i < 8 && complaints_from_.is_open(); ++i) read_complaints();  // what it has said already
      while (complaints_.ends_with('\n')) complaints_.pop_back();
      const std::string last = complaints_.substr(complaints_.rfind('\n') + 1);
      fail("it ended before it was done" + (last.empty() ? "" : ": " + plain_line(last)));
    }
    exchange();
  }
}

}  // namespace phalanx

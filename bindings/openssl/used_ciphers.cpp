#include "used_ciphers.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

#include "served_ciphers.hpp"

namespace phalanx {
namespace {

// Of each cipher, the last process that has told of it: a child tells again.
std::atomic<pid_t> told[num_served_ciphers];

std::string line_of(pid_t process, const ServedCipher& served) {
  const std::string_view names = served.names;
  return std::to_string(process) + ' ' + program_invocation_short_name + ' ' +
         std::string(names.substr(0, names.find(':'))) + '\n';
}

void append(const std::string& file, const std::string& line) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t written = write(descriptor, line.data(), line.size());
  close(descriptor);
}

}  // namespace

void report_use(const Provider& provider, std::size_t number_of_cipher) {
  if (provider.report.empty()) [[likely]]
    return;
  const pid_t process = getpid();
  if (told[number_of_cipher].exchange(process, std::memory_order_relaxed) == process) return;
  const int error = errno;
  append(provider.report, line_of(process, served_ciphers[number_of_cipher]));
  errno = error;
}

}  // namespace phalanx

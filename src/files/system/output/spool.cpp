#include "files/system/output/spool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <phalanx/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder == '/' ? folder : "/var/tmp";
}

FileDescriptor open_in_memory(const std::string& name) {
  FileDescriptor file(memfd_create("phalanx", MFD_CLOEXEC));
  if (!file.is_open()) throw_system_error("hold in memory", name);
  return file;
}

// The name of a file on a file system that has none without: it goes before anything is written.
FileDescriptor open_and_unlink(const std::string& folder) {
  std::string path = folder + "/phalanx-XXXXXX";
  FileDescriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_open()) throw_system_error("create a file in", folder);
  if (::unlink(path.c_str()) != 0) throw_system_error("remove", path);
  return file;
}

FileDescriptor open_without_name(const std::string& folder) {
  FileDescriptor file(call_again([&] { return ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600); }));
  if (file.is_open()) return file;
  const bool knows_none = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
  if (!knows_none) throw_system_error("create a file in", folder);
  return open_and_unlink(folder);
}

void write_to(const FileDescriptor& file, Bytes in, const std::string& folder) {
  try {
    write_all(file.get(), in, "a file without a name in " + folder);
  } catch (const Error& error) {
    throw Error(error,
                std::string(error.what()) + ": all that a pipe gives is kept there meanwhile, and TMPDIR names another");
  }
}

}  // namespace

Input spool(Input& input) { return spool(input, input.name()); }

Input spool(ByteSource& source, const std::string& name) {
  std::vector<std::uint8_t> buffer(buffer_bytes);
  const std::size_t got = source.read(buffer);
  FileDescriptor file;
  if (got < buffer.size()) {
    file = open_in_memory(name);
    write_all(file.get(), Bytes(buffer).first(got), name);
  } else {
    const std::string folder = temporary_folder();
    file = open_without_name(folder);
    for (std::size_t size = got; size != 0; size = source.read(buffer)) write_to(file, Bytes(buffer).first(size), folder);
  }
  Input spooled(std::move(file), name);
  spooled.seek(0);
  return spooled;
}

}  // namespace phalanx

#include "in_place/half_done.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "files/file_identity.hpp"
#include "files/named_place.hpp"
#include "files/paths.hpp"
#include "in_place/journal.hpp"
#include "in_place/mark.hpp"

namespace phalanx {
namespace {

// The journal that a run over this name would go on with, "" if there is none. One that cannot be read is not known.
std::string journal_beside(const Input& input) {
  const std::string path = resolve_links(input.name());
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !(FileIdentity(status) == FileIdentity(input.status()))) return "";
  const std::string journal = path + journal_suffix;
  const FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::array<std::uint8_t, journal_magic.size()> beginning{};
  const std::size_t size = read_at(file.get(), beginning, 0, journal);
  const std::string_view read(reinterpret_cast<const char*>(beginning.data()), size);
  return read == journal_magic || read == earlier_journal_magic ? journal : "";
}

}  // namespace

void refuse_half_done(const Input& input) {
  if (!S_ISREG(input.status().st_mode)) return;
  const std::string marked = InPlaceMark::journal_of(input.descriptor(), input.name());
  const std::string journal = marked.empty() ? journal_beside(input) : marked;
  if (journal.empty()) return;
  throw Error(ErrorCode::format, input.name() + " is half done: a run in place over it was stopped, whose journal is " +
                                     journal + ". Give the command of that run again, which finishes it; to take the file " +
                                     "as it is, name a copy that cp has made");
}

}  // namespace phalanx

// The file .phalanx-tree of any bytes: files are removed after their sources only where it says, line by line, what is true of
// the source; and what is no mark is refused, and not overwritten.
#include <set>
#include <sstream>

#include "container/trees/tree_mark.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::string_view beginning = "phalanx tree 1\nsource ";

struct Folders {
  ScratchFolder source, copies;
  TreeMark mark{folder_of_many()};
  RootedFolder to{copies.path().string()};
  std::filesystem::path path = copies.path() / tree_mark_name;
  Buffer right = written();

  // As if another disk were mounted in it.
  [[nodiscard]] FolderOfMany folder_of_many() const {
    FolderOfMany all{.folder = std::make_shared<const RootedFolder>(source.path().string()), .folders = {}};
    all.folders = {{.name = ""}, {.name = "disk", .is_mount = true}};
    return all;
  }
  [[nodiscard]] Buffer written() const {
    mark.write(to, false);
    return read_file(path);
  }
};

std::set<std::string> lines_of(const Buffer& text) {
  std::istringstream all(std::string(text.begin(), text.end()));
  std::set<std::string> lines;
  for (std::string line; std::getline(all, line);) lines.insert(line);
  return lines;
}

bool begins_as_mark(const Buffer& text) {
  return text.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), text.begin());
}

void check_mark(const Folders& folders, const Buffer& text) {
  write_file(folders.path, text);
  std::string why;
  const auto error = error_of([&] { why = folders.mark.why_not(folders.to); });
  require(error.has_value() != begins_as_mark(text), "what does not begin as a mark is none");
  require(!error || error == ErrorCode::usage, "and is the user's to move away");
  if (!error && why.empty()) {
    const std::set<std::string> found = lines_of(text), right = lines_of(folders.right);
    require(std::includes(right.begin(), right.end(), found.begin(), found.end()), "all that a mark says is so");
  }
  const auto error_of_writing = error_of([&] { folders.mark.write(folders.to, true); });
  require(error_of_writing == error, "what is no mark is not overwritten");
  require(read_file(folders.path) == (error ? text : folders.right), "a mark is renewed as a whole");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  static const Folders folders;
  FuzzedInput input(data, size);
  const bool is_changed = input.flag();
  if (!is_changed) {
    const phalanx::Bytes rest = input.take_rest();
    check_mark(folders, {rest.begin(), rest.end()});
    return 0;
  }
  check_mark(folders, changed(folders.right, input));
  return 0;
}

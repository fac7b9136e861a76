// The file .phalanx-tree of any bytes: what it names lies below its folder, what is no record is refused and not overwritten, and
// what one run has written the next one reads.
#include <set>

#include "files/container/trees/tree_record.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

const LastingIdentity own{.inode = 42, .born = timespec{7, 8}};
const RecordedSource source{.bytes = 3, .modified = {5, 6}, .file = {.inode = 9, .born = timespec{1, 2}}};

struct Folder {
  ScratchFolder copies;
  RootedFolder to{copies.path().string()};
  std::filesystem::path path = copies.path() / tree_record_name;
  Buffer right = written();

  [[nodiscard]] Buffer written() const {
    TreeRecord record(to);
    record.enter(own, "/data/me");
    for (const char* const name : {"one", "a/two", "a/b/three"}) record.put_file(name, source);
    record.put_mount("a", {.inode = 2});
    record.put_subfolders({"a", "a/b"});
    record.put_told({"four.phalanx"});
    record.put_wish("x");
    record.write();
    return read_file(path);
  }
};

bool lies_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !path.is_absolute() && !name.empty() && std::ranges::find(path, "..") == path.end();
}

void check_names(const TreeRecord& record) {
  for (const TreeSection& section : record.sections()) {
    for (const auto& [name, file] : section.files) require(lies_below(name), "a file lies below its folder");
    for (const auto& [name, mounted] : section.mounts) require(lies_below(name), "and a mount point");
    for (const std::string& name : section.subfolders) require(lies_below(name), "and a folder");
  }
}

// Adds a file; returns what all sections name then.
std::set<std::string> add_run(const Folder& folder) {
  TreeRecord record(folder.to);
  check_names(record);
  record.enter(own, "/data/me");
  record.put_file("a/new", source);
  record.put_missing("one");
  record.write();
  std::set<std::string> names;
  for (const TreeSection& section : record.sections()) {
    for (const auto& [name, file] : section.files)
      names.insert(name + ' ' + std::to_string(file.since) + ' ' + std::to_string(file.missing));
  }
  return names;
}

void check_record(const Folder& folder, const Buffer& text) {
  write_file(folder.path, text);
  std::set<std::string> written;
  const auto error = error_of([&] { written = add_run(folder); });
  if (error) {
    require(error == ErrorCode::usage || error == ErrorCode::format, "it is the user's to move away");
    require(read_file(folder.path) == text, "what is no record is not overwritten");
    return;
  }
  require(written == add_run(folder), "what a run has written the next one reads");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  static const Folder folder;
  FuzzedInput input(data, size);
  const bool is_changed = input.flag();
  if (!is_changed) {
    const phalanx::Bytes rest = input.take_rest();
    check_record(folder, {rest.begin(), rest.end()});
    return 0;
  }
  check_record(folder, changed(folder.right, input));
  return 0;
}

// Manifests of any content, and of any records: what was appended is found again, and what is no manifest is left as it is.
#include <fcntl.h>

#include <algorithm>
#include <map>

#include "files/migration/manifest/manifest.hpp"
#include "files/system/line_reader.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

const ManifestTrees trees{.from = "/old", .to = "/new"};

FileStamp old_file(std::uint64_t num_bytes) {
  FileStamp stamp;
  stamp.identity.inode = 5;
  stamp.size = static_cast<off_t>(num_bytes);
  stamp.modified = {.tv_sec = 7, .tv_nsec = 30};
  return stamp;
}

void take_done(FuzzedInput& input, ManifestRecord& record) {
  record.in_bytes = input.below(std::size_t{1} << 40);
  record.out_bytes = ~std::uint64_t{0} - input.below(3);
  record.verified = input.flag();
  record.deleted = input.flag();
  record.with.found = input.flag() ? "des-ede3-cbc, sha256" : "";
  if (input.flag()) record.with.also_fits = {"sha1", "md5"};
  if (input.flag()) record.source = mark_of(old_file(0));
  const std::size_t last_bytes = record.name.size() - (record.name.rfind('/') + 1);
  if (last_bytes > 1 && input.flag()) record.stripped = record.name.back();
}

ManifestRecord take_record(FuzzedInput& input) {
  constexpr MigratedAs states[] = {MigratedAs::done, MigratedAs::failed, MigratedAs::skipped};
  ManifestRecord record;
  record.name = input.text(1 + input.below(12));
  record.state = input.one_of(states);
  if (record.state == MigratedAs::done) {
    take_done(input, record);
  } else {
    record.why = "it \"failed\"\n";
  }
  if (record.state == MigratedAs::failed) {
    constexpr ErrorCode codes[] = {ErrorCode::runtime,        ErrorCode::usage,     ErrorCode::wrong_key, ErrorCode::policy,
                                   ErrorCode::authentication, ErrorCode::truncated, ErrorCode::runtime,   ErrorCode::usage};
    record.code = input.one_of(codes);
    record.reason = reason_of(record.code, input.below(2));
  }
  return record;
}

using Records = std::map<std::string, ManifestRecord>;

void check_source(const ManifestRecord& record) {
  const std::string name = record.container();
  require(name == record.name.substr(0, record.name.size() - record.stripped.size()) + ".phalanx", "a container has a name");
  FileStamp stamp = old_file(record.in_bytes);
  require(is_source_of(record, stamp) == !record.deleted, "a file that is there is the source");
  ++stamp.size;
  require(!is_source_of(record, stamp), "one of another length is another file");
  --stamp.size;
  ++stamp.identity.inode;
  require(is_source_of(record, stamp) == (!record.deleted && record.source.empty()), "and one in its place");
}

// Of names that are done, whatever came of them later.
void check_done(const std::string& path, const Records& done, bool all) {
  const Manifest manifest(path, trees, ManifestUse::look);
  for (const auto& [name, record] : done) {
    const std::optional<ManifestRecord> found = manifest.find_done(name);
    require(found && manifest_line(*found) == manifest_line(record), "what was done is found again");
    check_source(*found);
  }
  std::size_t num_done = 0;
  manifest.for_each_done([&](const ManifestRecord& record) {
    const auto own = done.find(record.name);
    if (own == done.end()) return;
    require(manifest_line(record) == manifest_line(own->second), "and is listed");
    ++num_done;
  });
  require(num_done == done.size() && (!all || !manifest.find_done("no/such/name")), "each once");
}

// Lines of any file, of which one may be too long.
void check_lines(const std::string& path, Bytes content) {
  constexpr std::size_t most_bytes = 16;
  const FileDescriptor file = open_file(path, O_RDONLY);
  LineReader lines(file.get(), path, most_bytes);
  std::string read;
  const auto error = error_of([&] {
    for (std::string line; lines.next(line);) {
      require(line.size() <= most_bytes, "no line is longer");
      read += line + (lines.ended() ? "\n" : "");
      require(!lines.ended() || lines.whole_bytes() == read.size(), "it counts what had an end");
    }
  });
  require(read.size() <= content.size() && same(bytes_of(read), content.first(read.size())), "lines are what the file has");
  require(error ? error == ErrorCode::format : read.size() == content.size(), "to its end, or to a longer one");
}

// Whoever looks for one that is not there, or takes one that another run has, or lost it.
void check_refusals(const std::string& path) {
  const auto error_of_use = [&](ManifestUse use) {
    return error_of([&] { require(!Manifest(path, trees, use).find("name"), "an empty one has no names"); });
  };
  require(error_of_use(ManifestUse::look) == ErrorCode::usage, "there is one to look at");
  require(!error_of_use(ManifestUse::preview), "a run that is to come needs none");
  Manifest manifest(path, trees, ManifestUse::append);
  require(error_of_use(ManifestUse::append) == ErrorCode::usage, "one run has it");
  std::filesystem::remove(path);
  ManifestRecord record;
  record.name = "name";
  require(error_of([&] { manifest.append(record); }) == ErrorCode::runtime, "one that is gone ends the run");
}

void append_and_find(const std::string& path, FuzzedInput& input) {
  Records appended;
  Records done;
  {
    Manifest manifest(path, trees, ManifestUse::append);
    for (std::size_t left = input.below(6); left > 0; --left) {
      const ManifestRecord record = take_record(input);
      manifest.append(record);
      appended[record.name] = record;
      if (record.state == MigratedAs::done) done[record.name] = record;
    }
  }
  const Manifest again(path, trees, ManifestUse::append);
  for (const auto& [name, record] : appended) {
    const std::optional<ManifestRecord> found = again.find(name);
    require(found.has_value() && found->name == name, "what was appended is found again");
    require(manifest_line(*found) == manifest_line(record), "as it was");
    require(manifest_line(record).find('\n') == std::string::npos, "each in a line");
  }
  check_done(path, done, done.size() == appended.size());
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const ScratchFolder folder;
  const std::string path = (folder.path() / "manifest").string();
  FuzzedInput input(data, size);
  FuzzedInput choices(data, size);
  const Bytes content = input.take_rest();
  std::filesystem::remove(path);
  check_refusals(path);
  append_and_find(path, choices);  // in a new one

  write_file(path, content);
  check_lines(path, content);
  if (const auto error = error_of([&] { const Manifest manifest(path, trees, ManifestUse::append); })) {
    require(error == ErrorCode::format || error == ErrorCode::usage,
            "what is no manifest, or is of other folders, is refused so");
    require(same(read_file(path), content), "and is left as it is");
    return 0;
  }
  const Buffer read = read_file(path);
  const auto last_end = std::find(content.rbegin(), content.rend(), '\n');
  const auto num_whole = static_cast<std::size_t>(content.rend() - last_end);
  require(num_whole == 0 || same(read, content.first(num_whole)), "all whole lines stay");
  FuzzedInput more(data, size);
  append_and_find(path, more);
  return 0;
}

// Manifests of any content, and of any records: what was appended is found again, and what is no manifest is left as it is.
#include <algorithm>
#include <map>

#include "migration/trees/manifest.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

const ManifestTrees trees{.from = "/old", .to = "/new"};

ManifestRecord take_record(FuzzedInput& input) {
  constexpr MigrationState states[] = {MigrationState::done, MigrationState::failed, MigrationState::skipped};
  ManifestRecord record;
  record.name = input.text(1 + input.below(12));
  record.state = input.one_of(states);
  if (record.state == MigrationState::done) {
    record.in_bytes = input.below(std::size_t{1} << 40);
    record.out_bytes = ~std::uint64_t{0} - input.below(3);
    record.verified = input.flag();
    record.deleted = input.flag();
    record.with.found = input.flag() ? "des-ede3-cbc, sha256" : "";
  } else {
    record.why = "it \"failed\"\n";
  }
  if (record.state == MigrationState::failed) {
    constexpr ErrorCode codes[] = {ErrorCode::runtime, ErrorCode::usage, ErrorCode::wrong_key, ErrorCode::policy};
    record.code = input.one_of(codes);
  }
  return record;
}

void append_and_find(const std::string& path, FuzzedInput& input) {
  std::map<std::string, ManifestRecord> appended;
  {
    Manifest manifest(path, trees, ManifestUse::append);
    for (std::size_t left = input.below(6); left > 0; --left) {
      const ManifestRecord record = take_record(input);
      manifest.append(record);
      appended[record.name] = record;
    }
  }
  const Manifest again(path, trees, ManifestUse::append);
  for (const auto& [name, record] : appended) {
    const std::optional<ManifestRecord> found = again.find(name);
    require(found.has_value() && found->name == name, "what was appended is found again");
    require(manifest_line(*found) == manifest_line(record), "as it was");
    require(manifest_line(record).find('\n') == std::string::npos, "each in a line");
  }
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
  append_and_find(path, choices);  // in a new one

  write_file(path, content);
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

#include "files/container/index/index_comparison.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/host/process_mark.hpp"
#include "engine/text/hex.hpp"
#include "files/container/file/read_back.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

std::vector<std::string> folder_alone(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {folder};
  throw Error(ErrorCode::usage, folder + " is no folder: name the one that the index is of");
}

FileDescriptor open_index(const std::string& path, std::uint64_t at_least) {
  require_index_there(path, at_least);
  FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw_system_error("open", path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path + " is not a regular file: name an index");
  return file;
}

}  // namespace

IndexComparison::OpenIndex::OpenIndex(const TreeIndexOptions& options)
    : authenticator(options.key),
      path(resolve_links(file_named(options.path))),
      file(open_index(path, options.at_least)),
      reader(file.get(), path, authenticator) {
  reader.require_at_least(options.at_least);
  if (reader.generation() != 0) return;
  throw Error(ErrorCode::authentication, path + " has no segment: it says nothing of any container");
}

IndexComparison::IndexComparison(const std::string& folder, const TreeIndexOptions& options, const ProtectedFiles& needed)
    : files_(folder_alone(folder), needed),
      index_(options),
      tree_(index_.reader.read_tree()),
      findings_(tree_, index_.reader) {}

// Returns the digest of the body, where the index has one. It opens all of the body before, where that is wanted.
std::optional<Sha256Digest> IndexComparison::digest_of(const IndexedContainer& entry, Input& input, const std::string& name,
                                                       const IndexComparing& how, Progress& progress) const {
  const bool has_digest = entry.body.sha256.has_value();
  if (!how.open) return has_digest ? std::optional(digest_body(input.descriptor(), input.name(), progress)) : std::nullopt;
  const ChunkedCipher cipher = how.open(input, name_of_container(name));
  const auto num_bytes = static_cast<std::uint64_t>(input.status().st_size);
  const BodyFacts opened = read_open_body(cipher, input, num_bytes, has_digest, {}, how.engine, progress);
  if (!opened.is_same_body(entry.body)) throw Error(ErrorCode::runtime, "it was changed while it was read");
  return opened.sha256;
}

// Compares the container at a name of the index. A header that differs, and opens, is compared once more: opening it may
// have settled an unfinished change of recipients.
void IndexComparison::compare_with(const IndexedContainer& entry, Input& input, const std::string& name,
                                   const IndexComparing& how, Progress& progress) {
  BodyFacts shown = shown_body_facts(input.descriptor(), input.name());
  if (!shown.is_same_body(entry.body)) {
    findings_.add(StrangeName{.name = name, .body = shown});
    return;
  }
  const bool has_digest = entry.body.sha256.has_value(), has_header = entry.body.header.has_value();
  std::optional<Sha256Digest> digest;
  try {
    digest = digest_of(entry, input, name, how, progress);
  } catch (const Error& error) {
    if (!has_header || shown.header == entry.body.header || error.code() == ErrorCode::runtime) throw;
    findings_.add(StrangeHeader{.name = name, .header = *shown.header, .code = error.code(), .why = error.what()});
    return;
  }
  if (digest != entry.body.sha256 && has_digest) {
    findings_.add(
        StrangeName{.name = name, .body = shown, .why = "its bytes are others than those whose digest the index has"});
    return;
  }
  if (has_header && how.open) shown = shown_body_facts(input.descriptor(), input.name());
  if (has_header && shown.header != entry.body.header) {
    findings_.add(StrangeHeader{.name = name, .header = *shown.header});
    return;
  }
  ++counts_.num_right;
  if (!has_header) ++counts_.num_without_header;
  if (how.open) ++counts_.num_opened;
  if (!how.open && has_digest) ++counts_.num_digests;
}

// Returns why the file is skipped.
std::string IndexComparison::compare(Input& input, const ListedFile& file, const IndexComparing& how, Progress& progress) {
  const std::string& name = file.name;
  const auto entry = tree_.find(name);
  if (entry == tree_.end()) {
    if (!is_meant_as_container(input, file)) return no_container;
    findings_.add(StrangeName{.name = name, .body = shown_body_facts(input.descriptor(), input.name())});
    return "";
  }
  if (how.from_disk) require_from_disk(input.descriptor(), input.name());
  try {
    compare_with(entry->second, input, name, how, progress);
  } catch (const Error& error) {
    const bool is_no_container = error.code() == ErrorCode::format || error.code() == ErrorCode::truncated;
    if (!is_no_container) throw;
    findings_.add(StrangeName{.name = name, .why = error.what()});
  }
  return "";
}

void IndexComparison::tell(const IndexedFile& file, const OnIndexedFile& on_file) {
  switch (file.outcome) {
    case IndexedAs::right:
      return;
    case IndexedAs::added:
      ++counts_.num_added;
      break;
    case IndexedAs::failed:
      ++counts_.num_failed;
      break;
    case IndexedAs::skipped:
      ++counts_.num_skipped;
      break;
    case IndexedAs::header_changed:
      ++counts_.num_headers_changed;
      break;
    default:
      ++counts_.num_wrong;
  }
  const CallerRuns away;
  if (on_file) on_file(file);
}

// A file that stands at a name of the index and is skipped is wrong.
void IndexComparison::judge_outcome(const ListedFile& file, const FileOutcome& outcome, const OnIndexedFile& on_file) {
  const auto entry = tree_.find(file.name);
  if (entry != tree_.end()) entry->second.is_seen = true;
  if (outcome.failed) {
    return tell({.name = file.name, .outcome = IndexedAs::failed, .code = outcome.code, .why = outcome.why}, on_file);
  }
  if (outcome.why.empty() || (outcome.why == no_container && is_tree_record(file))) return;
  if (entry != tree_.end()) return findings_.add(StrangeName{.name = file.name, .why = outcome.why});
  tell({.name = file.name, .outcome = IndexedAs::skipped, .why = outcome.why}, on_file);
}

TreeIndexCounts IndexComparison::run(const IndexComparing& how, const OnIndexedFile& on_file, Progress& progress) {
  const auto work = [&](Input& input, const ListedFile& file) -> std::string {
    require_not_cancelled(how.cancellation);
    return compare(input, file, how, progress);
  };
  const auto on_outcome = [&](const ListedFile& file, const FileOutcome& outcome) { judge_outcome(file, outcome, on_file); };
  run_tree(files_, work, on_outcome, {.cancellation = how.cancellation});
  require_not_cancelled(how.cancellation);
  for (const auto& [name, container] : tree_) {
    if (!container.is_seen) findings_.add(StrangeName{.name = name});
  }
  for (const IndexedFile& file : findings_.explain()) tell(file, on_file);
  counts_.generation = {.number = index_.reader.generation(),
                        .digest = encode_hex(index_.reader.digest()),
                        .num_containers = tree_.size(),
                        .cut_bytes = index_.reader.cut_bytes(),
                        .num_without_header = num_without_header(tree_)};
  return counts_;
}

}  // namespace phalanx

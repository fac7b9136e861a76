#include "files/container/trees/tree_unsealing.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>

#include "files/container/file/read_back.hpp"
#include "files/container/results/found_file.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

bool is_container_name(const ListedFile& file) { return without_container_suffix(file.path).has_value(); }

const std::vector<std::string>& fitting(const std::vector<std::string>& from, const TreeUnsealing& unsealing) {
  require_times(unsealing.options.update, unsealing.options.keep, unsealing.names);
  return from;
}

}  // namespace

TreeUnsealer::TreeUnsealer(const std::vector<std::string>& from, const TreeUnsealing& unsealing,
                           const ProtectedFiles& needed)
    : unsealing_(unsealing),
      files_(fitting(from, unsealing), needed,
             [](const ListedFile& file) { return file.why_not.empty() && is_container_name(file); }),
      places_(
          files_, unsealing.to, [](const std::string& name) { return without_container_suffix(name).value(); },
          unsealing.within),
      folders_(files_, places_.result_folder(), {.keep = kept_of_folders(unsealing.options.keep), .keep_of_found = false}) {}

TreeCounts TreeUnsealer::run(const TreeProgress& how) {
  const auto work = [&](Input& input, const ListedFile& file, TreeTally& tally) { return take(input, file, how, tally); };
  return take_tree(files_, folders_, how, work, [&](TreeTally& tally) { tally.counts().time_step = times_.longest_step(); });
}

std::string TreeUnsealer::take(Input& input, const ListedFile& file, const TreeProgress& how, TreeTally& tally) {
  if (!is_container_name(file)) {
    if (!file.from_folder()) throw Error(ErrorCode::usage, "there is no .phalanx to take off the name: open it by itself");
    if (is_tree_record(file)) tally.note_ignored(file);
    return "its name does not end in .phalanx";
  }
  const OutputRegistry::Source source{.name = file.path, .identity = FileIdentity(input.status())};
  const ResultPlace place = places_.place_of(file);
  if (files_.has_named_files() && made_.is_taken_again(source, place.path)) return "given twice";
  place.refuse_long_name();
  std::shared_ptr<const HeldFolder> free_in;
  const std::optional<FoundFile> found = find_file(place, free_in);
  if (found && is_left(input, file, place, *found, source, how.progress)) {
    if (unsealing_.options.update == TreeUpdate::none) return "done before";
    tally.note_unchanged(file);
    return "unchanged";
  }
  unseal(input, file, place, std::move(free_in), source, how);
  return "";
}

// Says whether the file that is there is to stay. With `update`, another one fails here, and says in what it differs.
bool TreeUnsealer::is_left(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                           const OutputRegistry::Source& source, Progress& progress) {
  const UnsealTreeOptions& options = unsealing_.options;
  if (made_.is_of(found.stamp().identity, place.path, source)) return true;
  files_.inputs().refuse(found.status, place.path);
  if (is_restored(input, file, place, found, progress)) {
    made_.add(found.stamp().identity, source);
    return true;
  }
  if (options.update == TreeUpdate::none || options.replace) return false;
  throw Error(ErrorCode::usage, place.path + " has another " +
                                    (options.update == TreeUpdate::by_time ? "size or time" : "content") +
                                    ": it is replaced only with " + unsealing_.names.output.force);
}

// A file with the length and the time that this container would give it seems to come from it, or the container from that
// file. But anybody who may write to either can give it both.
bool TreeUnsealer::is_restored(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                               Progress& progress) {
  const UnsealTreeOptions& options = unsealing_.options;
  if (options.update == TreeUpdate::none && (options.replace || !options.keep)) return false;
  const bool compares_times = options.update != TreeUpdate::by_content;
  if (compares_times && !times_.has_time(found, input.status().st_mtim, place)) return false;
  const std::optional<SeenContainer> seen = look_at_container(input.descriptor(), input.name());
  if (!seen || seen->plain_bytes != static_cast<std::uint64_t>(found.status.st_size)) return false;
  if (options.update == TreeUpdate::by_time) {
    progress.add(file.bytes);
    return true;
  }
  if (has_content(input, file, place, progress)) return true;
  if (options.update == TreeUpdate::by_content) {
    input.seek(0);
    return false;
  }
  throw Error(ErrorCode::usage, place.path + " has the length and the time of what " + input.name() +
                                    " holds, and another content: it is overwritten only with " +
                                    unsealing_.names.output.force);
}

// Opens the container to its end.
bool TreeUnsealer::has_content(Input& input, const ListedFile& file, const ResultPlace& place, Progress& progress) const {
  const PlaintextMacKey key;
  const ChunkedCipher cipher = unsealing_.open(input, container_name_of(file));
  require_possible_length(input);
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(input.descriptor(), input.name()).size);
  const std::string sealed = read_back_chunks(cipher, input, num_bytes, unsealing_.engine, key, progress);
  Input there(place.open(O_RDONLY), place.path);
  Progress uncounted;
  return plaintext_mac_of(there, unsealing_.engine, key, uncounted) == sealed;
}

void TreeUnsealer::unseal(Input& input, const ListedFile& file, const ResultPlace& place,
                          std::shared_ptr<const HeldFolder> free_in, const OutputRegistry::Source& source,
                          const TreeProgress& how) {
  OutputOptions writing{.force = unsealing_.options.replace,
                        .made_up = true,
                        .umask = umask_,
                        .widest = read_attributes(input.descriptor()),
                        .takes_partial = true};
  writing.free_in = std::move(free_in);
  writing.needed = &files_.inputs();
  writing.shared = how.running.shared;
  writing.is_brief = !SharedSync::is_large(file.bytes);
  writing.names = unsealing_.names.output;
  if (unsealing_.options.keep) keep_mode_and_time(*writing.widest, writing);
  std::optional<Output> output;
  made_.make(source, place.path, [&](const OutputRegistry::Claim& claim) {
    output.emplace(place.path, writing, &input);
    const ChunkedCipher cipher = unsealing_.open(input, container_name_of(file));
    require_possible_length(input);
    if (writing.free_in == nullptr)
      place.require_free();  // a folder that became a symbolic link meanwhile would have been followed
    output->open();
    claim(output->file()->identity());
    unseal_input(cipher, input, *output, unsealing_.engine, {}, how.progress);
  });
  if (unsealing_.on_done) unsealing_.on_done(*output);
}

}  // namespace phalanx

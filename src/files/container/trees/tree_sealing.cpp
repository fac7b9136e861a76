#include "files/container/trees/tree_sealing.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/container/file/header_rewrite.hpp"
#include "files/container/file/read_back.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/container/file/stages.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/file_clock.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/progress.hpp"

namespace phalanx {
namespace {

std::string container_name(const std::string& name) { return name + container_suffix; }

const TreeListing& fitting(const TreeListing& files, const TreeSealing& sealing) {
  require_fitting(files, sealing);
  return files;
}

// Returns "" where nothing is half done.
std::string explain_unsealed(const Input& input, bool journal_may_lie_beside) {
  const std::string why = explain_half_done(input, journal_may_lie_beside);
  return why.empty() ? "" : "it is " + why + ". It is not sealed until then, and a container of before stays";
}

// A copy alone would lack the file that completes it: the journal, or the headers beside a container, which are not sealed.
// A file that is marked, and was moved away from its journal, is found when it is to be sealed.
std::string explain_unfinished(const Input& input, const ListedFile& file) {
  if (!file.has_no_journal) {
    if (std::string why = explain_unsealed(input, true); !why.empty()) return why;
  }
  if (file.has_no_rewrite || !is_half_changed(input)) return "";
  return "it is a container whose recipients a run was changing when it was stopped, and a copy would open for "
         "nobody: open it once, with `phalanx verify`, which settles that. It is not sealed until then";
}

timespec time_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

}  // namespace

// If containers lie beside their files, a container is no file to read, but the output of its file.
bool TreeSealer::is_read(const ListedFile& file, const TreeSealing& sealing) {
  if (!file.why_not.empty() || is_unfinished(file.path)) return false;
  if (sealing.to != nullptr || !file.path.ends_with(container_suffix)) return true;
  try {
    Input input = file.open();
    return !begins_as_container(input);
  } catch (const Error&) {
    return true;  // opening it once more says what is wrong
  }
}

TreeSealer::TreeSealer(const std::vector<std::string>& from, const TreeSealing& sealing, const ProtectedFiles& needed)
    : sealing_(sealing),
      prune_also_(read_prune_also(sealing.options.prune_also, sealing.names.prune_also)),
      begun_(time_now()),
      files_(from, needed, [&](const ListedFile& file) { return is_read(file, sealing); }),
      places_(fitting(files_, sealing), sealing.to, container_name, sealing.within),
      folders_(files_, places_.result_folder(),
               {.keep = kept_of_folders(sealing.options.keep), .makes = !sealing.options.dry_run}),
      standings_(sealing),
      wishes_(sealing) {}

std::vector<std::string> TreeSealer::container_paths() const {
  std::vector<std::string> paths;
  for (const ListedFile& file : files_.files()) {
    if (file.why_not.empty()) paths.push_back(places_.place_of(file).path);
  }
  return paths;
}

bool TreeSealer::has_record() const { return sealing_.to != nullptr && files_.is_one_folder(); }

// If another run has it, or it is damaged, the end of this run says so.
void TreeSealer::read_record() {
  const ListedFolder& from = files_.folders().front();
  const LastingIdentity& identity = from.folders.front().identity;
  try {
    const TreeRecord record(*places_.to());
    wishes_.begin(*places_.to(), record, identity);
    if (!sealing_.options.renew_tree) others_.begin(record, *from.folder, identity);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
  }
}

// A container that may be the last copy of another folder's file must not be replaced, where both have one name.
void TreeSealer::require_own(const ListedFile& file, const ResultPlace& place) const {
  const std::string owner = others_.owner_of(file.name);
  if (owner.empty()) return;
  throw Error(ErrorCode::usage, place.path + " is of a file of " + owner + ", which is another folder: seal this one into " +
                                    "another; or, if it is the same folder now, give " + sealing_.names.renew_tree);
}

TreeCounts TreeSealer::run(const TreeProgress& how) {
  const auto work = [&](Input& input, const ListedFile& file, TreeTally& tally) { return take(input, file, how, tally); };
  if (has_record()) read_record();
  return take_tree(files_, folders_, how, work, [&](TreeTally& tally) { end(tally, how.progress); });
}

std::string TreeSealer::take(Input& input, const ListedFile& file, const TreeProgress& how, TreeTally& tally) {
  if (sealing_.to == nullptr && begins_as_container(input)) return "a container already";
  if (std::string why = explain_unfinished(input, file); !why.empty()) {
    tally.note_unfinished(file);
    return why;
  }
  const OutputRegistry::Source source{.name = file.path, .identity = FileIdentity(input.status())};
  const ResultPlace place = places_.place_of(file);
  if (files_.has_named_files() && made_.is_taken_again(source, place.path)) return "given twice";
  if (!sealing_.options.dry_run || sealing_.to == nullptr || is_folder_there(place)) {
    place.refuse_long_name();
  }
  std::shared_ptr<const HeldFolder> free_in;
  std::optional<FoundFile> found = find_file(place, free_in);
  if (found) {
    if (made_.is_of(found->stamp().identity, place.path, source)) return "given twice";
    files_.inputs().refuse(found->status, place.path);
  }
  SyncState state = found ? standings_.judge(input, file, place, *found, how.progress) : SyncState::new_one;
  if (state == SyncState::replaced && !sealing_.options.replace) require_own(file, place);
  if (found) state = judge_recipients(state, file, place, found, how.progress);
  if (state == SyncState::new_one || state == SyncState::replaced) {
    if (std::string why = explain_unsealed(input, false); !why.empty()) {
      tally.note_unfinished(file);
      return why;
    }
    if (!sealing_.options.dry_run) seal(input, file, place, found, std::move(free_in), source, how, tally);
    found_.add(file.name, input.status(), input.descriptor());
    return "";
  }
  made_.add(found->stamp().identity, source);
  if (!sealing_.options.dry_run) remove_stale_record(place.path);
  if (state == SyncState::unchanged || state == SyncState::done_before) {
    found_.add(file.name, input.status(), input.descriptor());
  }
  if (state == SyncState::unchanged) {
    tally.note_unchanged(file);
    how.progress.add(file.bytes * (sealing_.options.verify ? 2 : 1));
    return "unchanged";
  }
  if (state == SyncState::done_before) return "done before";
  if (state == SyncState::unknown) {
    return std::string("done before, and not the container that the index has, nor one of this content: with ") +
           sealing_.names.update + " it is sealed anew";
  }
  return std::string("done before, and of another size, time or binding now: with ") + sealing_.names.update +
         " it is sealed anew";
}

// A container that stands for its file may be for other recipients. A new header may have made another file of it.
SyncState TreeSealer::judge_recipients(SyncState state, const ListedFile& file, const ResultPlace& place,
                                       std::optional<FoundFile>& found, Progress& progress) {
  if (state == SyncState::replaced) return state;
  UncountedProgress uncounted(progress);
  if (!wishes_.take(job_of(sealing_, file, true), place, files_.inputs(), uncounted)) return SyncState::replaced;
  if (sealing_.options.update_recipients) found = find_file(place);
  return found ? state : SyncState::new_one;
}

void TreeSealer::take_kept(const std::string& container, const std::string& file, Progress& progress) {
  ContainerJob job = sealing_.job;
  job.binding = placed_at(job.binding, file);
  UncountedProgress uncounted(progress);
  wishes_.take_kept(job, places_.at(container), files_.inputs(), uncounted);
}

// A dry run makes no folder: where there is none, nothing stands in the way.
bool TreeSealer::is_folder_there(const ResultPlace& place) const {
  const std::string folder = parent_name_of(place.name);
  return folder.empty() || place.folder->look_at(folder).has_value();
}

// A killed change of recipients may have left a mixture of two headers. Other links of the file have it too, but not the
// file beside this name. A run that can open it settles that, before another container takes the name. If this run cannot,
// the file beside it stays.
void TreeSealer::settle(const ResultPlace& place, FoundFile& found) const {
  if (headers_beside(place.path).empty()) return;
  try {
    Input container(place.open(O_RDONLY), place.path);
    if (!(FileStamp(container.status()) == found.stamp())) return;
    Binding binding = sealing_.job.binding;
    binding.any_name = true;
    static_cast<void>(read_beginning(container, openers_of(sealing_.job), {}, binding, sealing_.job.options));
    if (fstat(container.descriptor(), &found.status) != 0) throw_system_error("look at", place.path);
  } catch (const Error&) {
  }
}

void TreeSealer::look_for_salts(const ContainerJob& job) {
  salts_.look_once(job, [this, i = std::size_t{0}]() mutable -> std::optional<ResultPlace> {
    const std::vector<ListedFile>& files = files_.files();
    while (i < files.size() && !files[i].why_not.empty()) ++i;
    if (i == files.size()) return std::nullopt;
    return places_.place_of(files[i++]);
  });
}

void TreeSealer::seal(Input& input, const ListedFile& file, const ResultPlace& place, std::optional<FoundFile> found,
                      std::shared_ptr<const HeldFolder> free_in, const OutputRegistry::Source& source,
                      const TreeProgress& how, TreeTally& tally) {
  const FileDescriptor replaced = found ? place.open(O_RDONLY) : FileDescriptor();
  if (found) settle(place, *found);
  if (sealing_.options.keep) wait_until_settled(input.status().st_mtim);
  wishes_.before_sealing();
  OutputOptions writing{.force = found.has_value(),
                        .made_up = true,
                        .umask = standings_.umask(),
                        .widest = read_attributes(input.descriptor()),
                        .takes_partial = true,
                        .is_leftover = sealing_.options.replace ? nullptr : may_be_begun_container};
  writing.free_in = std::move(free_in);
  writing.needed = &files_.inputs();
  writing.shared = how.running.shared;
  writing.is_brief = !SharedSync::is_large(file.bytes);
  writing.names = sealing_.names.output;
  if (found) writing.replaces = found->stamp();
  writing.keep_mode = sealing_.options.replace || !sealing_.options.keep;
  if (sealing_.options.keep) keep_mode_and_time(*writing.widest, writing);
  std::optional<Output> output;
  FileSealing sealing = sealing_.sealing;
  sealing.verify = sealing_.options.verify;
  BodyFacts body;
  if (sealing_.index != nullptr) {
    sealing.on_written = [&](const ContainerFileWriter& writer) {
      body = writer.body_facts(sealing_.index->wants_digests());
    };
  }
  InputWatch watch(input, {sealing_.options.changing_input, sealing_.names.changing_input});
  ContainerJob job = job_of(sealing_, file, sealing_.options.bind_names);
  look_for_salts(job);
  if (sealing_.options.update_recipients) job.identities.clear();  // they open containers for the recipients of before
  made_.make(source, place.path, [&](const OutputRegistry::Claim& claim) {
    output.emplace(place.path, writing, &input);
    if (writing.free_in == nullptr)
      place.require_free();  // a folder that became a symbolic link meanwhile would have been followed
    sealing.on_begun = [&](const ContainerFileWriter& writer) {
      claim(output->file()->identity());
      if (sealing_.sealing.on_begun) sealing_.sealing.on_begun(writer);
    };
    seal_input(job, sealing, watch, *output, how.progress);
  });
  if (sealing_.index != nullptr) sealing_.index->put(name_in_index(sealing_, place.name), body);
  if (found && remove_stale_rewrite(place.path, replaced.get())) {
    tally.note_unfinished(place.path + header_suffix, needed_by_other_links);
  }
  if (sealing_.on_done) sealing_.on_done(*output);
}

void TreeSealer::prune(TreeTally& tally, Progress& progress) {
  const auto on_kept = [&](const std::string& container, const std::string& file) { take_kept(container, file, progress); };
  try {
    if (sealing_.options.update_recipients)
      wishes_.before_sealing();  // containers without a file are changed while the record is held
    const PruneSettings settings{.removes = sealing_.options.prune,
                                 .writes = !sealing_.options.dry_run,
                                 .renews = sealing_.options.renew_tree,
                                 .also = prune_also_,
                                 .on_kept = on_kept,
                                 .wish = [&](TreeCounts& counts) { return wishes_.end(counts); }};
    Pruning pruning({files_, places_, made_, found_, standings_.times(), sealing_.options.keep, sealing_.names, begun_},
                    settings);
    if (sealing_.index != nullptr) pruning.tell_removed_to(*sealing_.index, name_in_index(sealing_, ""));
    pruning.run(tally);
  } catch (const Error& error) {
    tally.tell_failure(*sealing_.to, error);
  }
}

void TreeSealer::finish_index() {
  const RootedFolder& folder = sealing_.to == nullptr ? *files_.folders().front().folder : *places_.to();
  sealing_.index->forget_where_asked([&](const std::string& name) { return folder.look_at(name).has_value(); });
  generation_ = sealing_.index->finish();
}

void TreeSealer::end(TreeTally& tally, Progress& progress) {
  tally.counts().time_step = standings_.times().longest_step();
  if (has_record()) {
    prune(tally, progress);
  } else {
    static_cast<void>(wishes_.end(tally.counts()));
  }
  if (sealing_.index != nullptr && sealing_.within == nullptr) finish_index();
}

}  // namespace phalanx

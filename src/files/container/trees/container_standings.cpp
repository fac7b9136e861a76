#include "files/container/trees/container_standings.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "files/container/file/read_back.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/trees/wished_recipients.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/file_clock.hpp"

namespace phalanx {

// The file's attributes are taken before it is read. A later change gives another time, and the next run finds it. A file
// that is no container is never taken for ours: it is replaced with `force` only, which writes over anything.
SyncState ContainerStandings::judge(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                                    Progress& progress) {
  if (sealing_.options.replace) return SyncState::replaced;
  if (found.container) return judge_container(input, file, place, found, progress);
  throw Error(ErrorCode::usage, place.path + " exists, and is no container that could be " + input.name() +
                                    "'s: it is overwritten only with " + sealing_.names.output.force);
}

SyncState ContainerStandings::judge_container(Input& input, const ListedFile& file, const ResultPlace& place,
                                              const FoundFile& found, Progress& progress) {
  if (sealing_.options.update == TreeUpdate::by_content) wait_until_settled(input.status().st_mtim);
  input.look_again();
  const FileAttributes wanted = read_attributes(input.descriptor(), input.status());
  const FileStamp now(input.status());
  // A container that is bound to more than the options ask for stays so, unless WishRun changes it.
  const bool is_bound = (asked_binding_flags(sealing_) & ~unsigned{found.container->binding_flags}) == 0;
  const bool has_size = is_bound && found.container->plain_bytes == static_cast<std::uint64_t>(now.size);
  const bool is_alike = has_size && times_.has_time(found, wanted.modified, place);
  const bool is_known = this->is_known(file, place);
  if (sealing_.options.update == TreeUpdate::none) {
    if (!is_alike) return SyncState::changed;
    return is_known || holds_the_same(input, file, place, progress) ? SyncState::done_before : SyncState::unknown;
  }
  const bool by_time = sealing_.options.update == TreeUpdate::by_time;
  const bool is_same =
      by_time && is_known ? is_alike : has_size && (!by_time || is_alike) && holds_the_same(input, file, place, progress);
  return is_same && (sealing_.options.dry_run || mend(wanted, place, found)) ? SyncState::unchanged : SyncState::replaced;
}

// Says whether it is the very container that the index has for its name. Without an index any container may be. An index of
// version 1 has no header: it is added where it opens.
bool ContainerStandings::is_known(const ListedFile& file, const ResultPlace& place) {
  if (sealing_.index == nullptr) return true;
  const std::string name = name_in_index(sealing_, place.name);
  try {
    const FileDescriptor container = place.open(O_RDONLY);
    if (!sealing_.index->keep_if_known(name, shown_body_facts(container.get(), place.path))) return false;
    if (!sealing_.index->lacks_header(name)) return true;
    const std::optional<Sha256Digest> header = digest_of_opened_header(job_of(sealing_, file, true), place);
    if (header) sealing_.index->put_header(name, *header);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return false;
  }
}

// A container that does not open is not ours to keep: the file is there, and is sealed anew. A container with the file's
// content is in the index from then on, unless somebody has put its header back.
bool ContainerStandings::holds_the_same(Input& input, const ListedFile& file, const ResultPlace& place, Progress& progress) {
  const PlaintextMacKey key;
  try {
    const ContainerJob job = job_of(sealing_, file, true);
    Input container(place.open(O_RDONLY), place.path);
    const auto num_bytes = static_cast<std::uint64_t>(container.status().st_size);
    UncountedProgress uncounted(progress);
    TreeIndexRun* const index = sealing_.index;
    FoundBody body{.with_digest = index != nullptr && index->wants_digests()};
    const std::string sealed =
        read_back_mac(job, container, num_bytes, key, uncounted, {}, index == nullptr ? nullptr : &body);
    const bool is_same = sealed == plaintext_mac_of(input, job.options, key, uncounted);
    input.seek(0);
    return is_same && (index == nullptr || index->take_opened(name_in_index(sealing_, place.name), body.facts));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return false;
  }
}

// Gives a container of the same content the permissions of its file as they are now, and the time. Returns false where that
// would change other attributes: then it is made anew.
bool ContainerStandings::mend(const FileAttributes& wanted, const ResultPlace& place, const FoundFile& found) {
  if (!sealing_.options.keep) return true;
  const mode_t mode = all_rights & ~umask_;
  const bool has_mode = (found.status.st_mode & all_rights) == mode_within(mode, wanted, found.status.st_gid);
  if (has_mode && times_.has_time(found, wanted.modified, place)) return true;
  if (found.status.st_nlink != 1) return false;
  const FileDescriptor container = place.open(O_RDONLY);
  if (!(stamp_of(container.get(), place.path) == found.stamp())) return false;
  return put_mode_within(container.get(), mode, wanted) && put_time(container.get(), wanted.modified) &&
         sync_whole(container.get());
}

}  // namespace phalanx

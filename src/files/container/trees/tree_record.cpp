#include "files/container/trees/tree_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "files/container/trees/record_words.hpp"
#include "files/container/trees/tree_wish.hpp"
#include "files/libcrypto/sha256.hpp"
#include "files/system/line_reader.hpp"
#include "files/system/output/output.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

constexpr std::string_view first_line = "phalanx tree 2";
constexpr std::string_view earlier_first_line = "phalanx tree 1";
constexpr std::size_t max_line_bytes = std::size_t{1} << 16;
constexpr std::uint64_t stale_lines_always_kept = 1000;
constexpr std::uint64_t most_runs = std::uint64_t{1} << 62;

std::string file_line(const std::string& name, const RecordedFile& file) {
  return "file " + escape(name) + ' ' + std::to_string(file.source.bytes) + ' ' + words_of(file.source.modified) + ' ' +
         words_of(file.source.file) + ' ' + std::to_string(file.since);
}

std::string folder_line(const char* word, const LastingIdentity& folder, const std::string& path) {
  return word + (' ' + words_of(folder)) + ' ' + escape(path);
}

// Computes the digest at a run's end.
class Sha256Lines {
 public:
  void add(std::string_view line) {
    add_all(line);
    add_all("\n");
  }
  void add_all(std::string_view lines) { digest_->update(bytes_of(lines)); }

  // Digests all lines, and the run's number. Then it begins anew.
  std::string finish(std::string_view number) {
    add_all(number);
    const std::string digest = digest_->finish();
    digest_.emplace();
    return digest;
  }

 private:
  std::optional<Sha256> digest_{std::in_place};
};

// A power cut may leave zeros in place of the last written lines, more of them than a line may have. The lines end there.
bool next_line(LineReader& lines, std::string& line) {
  try {
    return lines.next(line);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::format && line.find('\0') != std::string::npos) return false;
    throw;
  }
}

}  // namespace

bool RecordedSource::operator==(const RecordedSource& other) const {
  return bytes == other.bytes && are_equal(modified, other.modified) && file == other.file;
}

bool RecordedSource::is_same_file(const RecordedSource& other) const {
  if (file.born && other.file.born) return file == other.file;
  return bytes == other.bytes && are_equal(modified, other.modified);
}

std::size_t TreeSection::num_lines() const {
  const auto is_missing = [](const auto& file) { return file.second.missing != 0; };
  const auto num_missing = static_cast<std::size_t>(std::ranges::count_if(files, is_missing));
  return 3 + files.size() + num_missing + subfolders.size() + mounts.size() + told.size();
}

bool TreeRecord::is_there(const RootedFolder& to) { return to.look_at(tree_record_name).has_value(); }

TreeRecord::TreeRecord(const RootedFolder& to) : to_(to), path_(to.path_of(tree_record_name)) {
  open();
  if (descriptor_.is_open()) read();
}

void TreeRecord::open() {
  const std::optional<struct stat> seen = to_.look_at(tree_record_name);
  if (!seen) return;
  require_regular(*seen, path_);
  descriptor_ = to_.open(tree_record_name, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  const bool is_held = !lock_file(descriptor_.get(), path_);
  const std::optional<struct stat> now = to_.look_at(tree_record_name);
  if (!is_held && now && FileIdentity(*now) == ::phalanx::identity_of(descriptor_.get(), path_)) return;
  throw Error(ErrorCode::usage,
              path_ + " is in use: another run is at work on this folder; give the same command again when that is done");
}

void TreeRecord::throw_damaged() const {
  throw Error(ErrorCode::usage, path_ +
                                    " is no record of what runs have made here, or damaged: move it away; the next run " +
                                    "writes it anew, and removes nothing that it does not find in place");
}

// The file is read twice: first to find where its whole runs end, then for their content.
void TreeRecord::read() {
  const auto rewind = [this] {
    if (lseek(descriptor_.get(), 0, SEEK_SET) != 0) throw_system_error("read", path_);
  };
  try {
    find_end();
    if (is_earlier_ || end_ == 0) return;
    rewind();
    LineReader lines(descriptor_.get(), path_, max_line_bytes);
    std::string line;
    static_cast<void>(lines.next(line));
    while (lines.whole_bytes() < end_ && lines.next(line)) apply(line);
  } catch (const BadLine&) {
    throw_damaged();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::format) throw_damaged();  // a line that is too long
    throw;
  }
  has_new_section_ = false;
}

// A run without its last line, as a kill leaves it, is cut off. If more lies behind a wrong line, the record was damaged.
void TreeRecord::find_end() {
  LineReader lines(descriptor_.get(), path_, max_line_bytes);
  std::string line;
  Sha256Lines digest;
  const bool has_line = lines.next(line);
  is_earlier_ = has_line && line == earlier_first_line;
  if (is_earlier_ || !has_line) return;
  require_line(line == first_line && lines.ended());
  end_ = lines.whole_bytes();
  std::uint64_t num_lines = 0;
  while (next_line(lines, line)) {
    ++num_lines;
    if (!line.starts_with("run ")) {
      digest.add(line);
      continue;
    }
    const std::vector<std::string_view> fields = fields_of(line);
    const bool is_whole = fields.size() == 3 && lines.ended() && digest.finish(fields[1]) == fields[2];
    if (!is_whole) {
      require_line(!next_line(lines, line));
      return;
    }
    const std::uint64_t number = number_of(fields[1]);
    require_line(number > last_run_ && number < most_runs);
    last_run_ = number;
    end_ = lines.whole_bytes();
    num_lines_ = num_lines;
  }
}

const TreeSection* TreeRecord::find(const LastingIdentity& folder) const {
  const auto found = std::ranges::find(sections_, folder, &TreeSection::folder);
  return found == sections_.end() ? nullptr : &*found;
}

void TreeRecord::select(const LastingIdentity& folder, const std::string& path) {
  const TreeSection* const found = find(folder);
  if (found != nullptr) {
    current_ = static_cast<std::size_t>(found - sections_.data());
    return;
  }
  current_ = sections_.size();
  has_new_section_ = true;
  sections_.push_back({.folder = folder, .path = path});
}

const TreeSection& TreeRecord::enter(const LastingIdentity& folder, const std::string& path) {
  add(folder_line("folder", folder, path));
  return current();
}

void TreeRecord::renew(const LastingIdentity& folder, const std::string& path) {
  if (find(folder) != nullptr) return;
  const auto has_path = [&](const TreeSection& section) { return section.path == path; };
  const auto found = sections_.size() == 1 ? sections_.begin() : std::ranges::find_if(sections_, has_path);
  if (found == sections_.end() || std::count_if(sections_.begin(), sections_.end(), has_path) > 1) {
    std::string paths;
    for (const TreeSection& section : sections_) paths += (paths.empty() ? "" : ", ") + section.path;
    throw Error(ErrorCode::usage,
                path_ + " does not say which folder " + path + " was before" + (paths.empty() ? "" : ": it names " + paths));
  }
  enter(found->folder, found->path);
  add(folder_line("renew", folder, path));
  forget_since();
}

void TreeRecord::put_latest(const timespec& changed) {
  if (is_before(current().latest, changed)) add("latest " + words_of(changed));
}

void TreeRecord::put_wish(const std::string& wish) {
  if (current().wish != wish) add("wish " + escape(wish));
}

// A file that is still that very one keeps the run since which it is there, whatever became of its content.
void TreeRecord::put_file(const std::string& name, const RecordedSource& source) {
  const auto found = current().files.find(name);
  const bool is_known = found != current().files.end() && found->second.missing == 0 && !is_renewed_;
  if (is_known && found->second.source == source) return;
  const bool is_same = is_known && found->second.source.is_same_file(source);
  const std::uint64_t since = is_same ? found->second.since : run_number();
  take_from_others(name);
  add(file_line(name, {.source = source, .since = since}));
}

void TreeRecord::take_from_others(const std::string& name) {
  const TreeSection own = {.folder = current().folder, .path = current().path};
  for (const TreeSection& section : sections_) {
    if (section.folder == own.folder || !section.files.contains(name)) continue;
    add(folder_line("folder", section.folder, section.path));
    if (!section.wish.empty() && section.wish != mixed_wish) add(std::string("wish ") + mixed_wish);  // it may have others
    add("gone " + escape(name));
    add(folder_line("folder", own.folder, own.path));
    return;
  }
}

void TreeRecord::put_missing(const std::string& name) {
  const auto found = current().files.find(name);
  if (found != current().files.end() && found->second.missing == 0) {
    add("missing " + escape(name) + ' ' + std::to_string(run_number()));
  }
}

void TreeRecord::remove_file(const std::string& name) {
  if (current().files.contains(name)) add("gone " + escape(name));
}

void TreeRecord::put_mount(const std::string& name, const LastingIdentity& mounted) {
  const auto found = current().mounts.find(name);
  if (found == current().mounts.end() || found->second != mounted) add("mount " + escape(name) + ' ' + words_of(mounted));
}

void TreeRecord::remove_mount(const std::string& name) {
  if (current().mounts.contains(name)) add("nomount " + escape(name));
}

void TreeRecord::put_subfolders(const Names& names) { put_names(current().subfolders, names, "sub ", "nosub "); }

void TreeRecord::put_told(const Names& names) { put_names(current().told, names, "told ", "untold "); }

void TreeRecord::put_names(const Names& before, const Names& now, const char* added, const char* removed) {
  Names gone, come;
  std::ranges::set_difference(before, now, std::inserter(gone, gone.end()));
  std::ranges::set_difference(now, before, std::inserter(come, come.end()));
  for (const std::string& name : gone) add(removed + escape(name));
  for (const std::string& name : come) add(added + escape(name));
}

void TreeRecord::add(const std::string& line) {
  apply(line);
  added_ += line + '\n';
  ++num_added_;
}

// One function serves what is read and what is written, so that both are the same.
void TreeRecord::apply(std::string_view line) {
  const Fields fields = fields_of(line);
  const std::string_view word = fields.front();
  if (word == "run") return;
  if (word == "folder" || word == "renew") {
    require_line(fields.size() == 4);
    const LastingIdentity folder = identity_of(fields[1], fields[2]);
    if (word == "folder") return select(folder, unescape(fields[3]));
    require_line(current_ < sections_.size() && find(folder) == nullptr);
    current().folder = folder;
    current().path = unescape(fields[3]);
    return;
  }
  require_line(current_ < sections_.size() && fields.size() >= 2);
  if (word == "wish") {
    current().wish = unescape(fields[1]);
    return;
  }
  if (word == "latest") {
    require_line(fields.size() == 2);
    current().latest = time_of(fields[1]);
    return;
  }
  apply_to_section(fields);
}

void TreeRecord::apply_to_section(const Fields& fields) {
  const std::string_view word = fields.front();
  TreeSection& section = current();
  const std::string name = name_below(fields[1]);
  if (word == "file" && fields.size() == 7) {
    section.files[name] = {
        .source = {.bytes = number_of(fields[2]), .modified = time_of(fields[3]), .file = identity_of(fields[4], fields[5])},
        .since = number_of(fields[6])};
  } else if (word == "missing" && fields.size() == 3) {
    const auto found = section.files.find(name);
    require_line(found != section.files.end());
    found->second.missing = number_of(fields[2]);
  } else if (word == "mount" && fields.size() == 4) {
    section.mounts[name] = identity_of(fields[2], fields[3]);
  } else {
    require_line(fields.size() == 2);
    apply_name(word, name);
  }
}

void TreeRecord::apply_name(std::string_view word, const std::string& name) {
  TreeSection& section = current();
  if (word == "gone")
    section.files.erase(name);
  else if (word == "nomount")
    section.mounts.erase(name);
  else if (word == "sub")
    section.subfolders.insert(name);
  else if (word == "nosub")
    section.subfolders.erase(name);
  else if (word == "told")
    section.told.insert(name);
  else if (word == "untold")
    section.told.erase(name);
  else
    throw BadLine();
}

std::string TreeRecord::all_lines() const {
  std::string lines;
  for (const TreeSection& section : sections_) {
    lines += folder_line("folder", section.folder, section.path) + '\n';
    if (!section.wish.empty()) lines += "wish " + escape(section.wish) + '\n';
    if (section.latest.tv_sec != 0) lines += "latest " + words_of(section.latest) + '\n';
    for (const auto& [name, mounted] : section.mounts) lines += "mount " + escape(name) + ' ' + words_of(mounted) + '\n';
    for (const std::string& name : section.subfolders) lines += "sub " + escape(name) + '\n';
    for (const auto& [name, file] : section.files) {
      lines += file_line(name, file) + '\n';
      if (file.missing != 0) lines += "missing " + escape(name) + ' ' + std::to_string(file.missing) + '\n';
    }
    for (const std::string& name : section.told) lines += "told " + escape(name) + '\n';
  }
  return lines;
}

std::string TreeRecord::ending(std::string_view lines) const {
  Sha256Lines digest;
  digest.add_all(lines);
  const std::string number = std::to_string(run_number());
  return "run " + number + ' ' + digest.finish(number) + '\n';
}

void TreeRecord::write() {
  if (only_entered()) return;
  std::uint64_t num_live = 0;
  for (const TreeSection& section : sections_) num_live += section.num_lines();
  const bool is_stale = num_lines_ + num_added_ > 2 * num_live + stale_lines_always_kept;
  if (is_new() || is_earlier_ || end_ == 0 || is_stale) {
    write_anew();
  } else {
    append();
  }
  added_.clear();
}

// Entering a section that is there changes nothing.
bool TreeRecord::only_entered() const { return num_added_ <= 1 && added_.starts_with("folder ") && !has_new_section_; }

void TreeRecord::append() {
  const std::string text = added_ + ending(added_);
  if (!set_size(descriptor_.get(), end_)) throw_system_error("write", path_);
  write_at(descriptor_.get(), bytes_of(text), end_, path_);
  if (!sync_data(descriptor_.get())) throw_system_error("write", path_);
}

void TreeRecord::write_anew() {
  const std::string lines = all_lines();
  OutputOptions options{.force = !is_new(), .made_up = true, .takes_partial = true};
  if (!is_new()) options.replaces = stamp_of(descriptor_.get(), path_);
  Output output(path_, options);
  to_.require_free(tree_record_name);
  output.open();
  output.write(bytes_of(std::string(first_line) + '\n' + lines + ending(lines)));
  output.commit();
}

}  // namespace phalanx

#include "files/system/output/output.hpp"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <phalanx/error.hpp>
#include <utility>

#include "files/system/paths.hpp"

namespace phalanx {

void keep_mode_and_time(FileAttributes of, OutputOptions& options) {
  options.mode = all_rights;
  options.modified = of.modified;
  options.widest = std::move(of);
}

void keep_of_named(const Input& input, bool with_time, OutputOptions& options) {
  if (!input.is_named_file()) return;
  keep_mode_and_time(read_attributes(input.descriptor()), options);
  options.is_widest_of_new = true;
  if (!with_time) options.modified.reset();
}

Output::Output(const std::string& path, const OutputOptions& options, const Input* input)
    : name_(path.empty() || path == "-" ? "standard output" : path), options_(options), needed_(options.needed) {
  if (input != nullptr) needed_.add(input->status(), "IN");
  if (options.free_in != nullptr) {
    place_.path = path;  // whoever takes the name meanwhile keeps it: a new file replaces none
    return;
  }
  place_ = options.made_up ? find_made_up_place(path) : find_place(name_ == path ? path : "/dev/stdout");
  if (const auto number = inherited_descriptor(place_.path); number && !options.made_up) {
    straight_ = true;
    descriptor_ = duplicate(*number, name_);
    if (fstat(descriptor_.get(), &status_) != 0) throw_system_error("use", name_);
    check_terminal();
    refuse_needed_file(input);
    return;
  }
  if (place_.file.is_open()) {
    exists_ = true;
    status_ = place_.status;
    refuse_needed_file(input);
    check_existing();
    if (!straight_) place_.file = FileDescriptor();  // a file of NFS would go on under another name when it is replaced
  } else if (place_.error != ENOENT) {
    errno = place_.error;
    throw_system_error("create", name_);
  }
}

std::string Output::own_name() const { return straight_ ? "" : last_name_of(name_); }

void Output::check_terminal() {
  if (!options_.binary || isatty(descriptor_.get()) != 1) return;
  if (!options_.text_on_terminal) {
    throw Error(ErrorCode::usage, name_ + " is a terminal and the output is binary: name a file as OUT, or redirect it");
  }
  held_back_ = std::make_unique<TerminalText>(name_);
}

// A pipe or device that is opened here must be meant for us: another user may have put it there to read what we write.
void Output::check_straight() const {
  const std::string is_this = name_ + " is " + kind_of_file(status_.st_mode);
  if (S_ISSOCK(status_.st_mode)) throw Error(ErrorCode::usage, is_this + ": name a file as OUT");
  if (options_.file_only) {
    throw Error(ErrorCode::usage, is_this + ": name a file as OUT, or have standard output redirected into it");
  }
  if (!place_.is_anothers) return;
  throw Error(ErrorCode::usage, is_this +
                                    " that another user put there, who might read what is written: name another OUT, or "
                                    "have standard output redirected into it");
}

void Output::check_existing() {
  if (options_.made_up) require_regular(status_, name_);
  if (S_ISDIR(status_.st_mode)) throw Error(ErrorCode::usage, name_ + " is a folder: name a file as OUT");
  straight_ = !S_ISREG(status_.st_mode);
  if (straight_) check_straight();
  if (options_.replaces && !(FileStamp(status_) == *options_.replaces)) {
    throw Error(ErrorCode::usage, name_ + " was changed by another program meanwhile: it is left as it is");
  }
  // A pipe or a character device has nothing to lose; a disk has.
  const bool holds_data = !straight_ || S_ISBLK(status_.st_mode);
  if (!holds_data || options_.force) return;
  const OutputSettingNames& names = options_.names;
  if (names.each == nullptr) throw Error(ErrorCode::usage, name_ + " exists: it is overwritten only with " + names.force);
  throw Error(ErrorCode::usage, name_ + " exists: it is overwritten, with what IN gives, only with " + names.force +
                                    "; if it is an input too, give " + names.each);
}

void Output::refuse_needed_file(const Input* input) const {
  if (needed_.find(status_) == "IN") {
    throw Error(ErrorCode::usage, "IN and OUT are the same file (" + input->name() + "): name another OUT");
  }
  needed_.refuse(status_, name_);
}

void Output::open() {
  if (options_.resume && straight_) {
    throw Error(ErrorCode::usage,
                std::string(options_.names.resume) + " needs a file, and " + name_ + " is none: name a file as OUT");
  }
  if (descriptor_.is_open()) return;
  if (straight_) {
    descriptor_ = open_place(place_, O_WRONLY);
    check_terminal();
  } else {
    if (exists_ && options_.is_widest_of_new) {
      options_.mode = OutputOptions().mode;
      options_.widest.reset();
    }
    file_ = std::make_unique<AtomicFile>(
        place_.path, AtomicFileOptions{.replace = options_.force || options_.takes_partial,
                                       .can_resume = options_.can_resume,
                                       .resume = options_.resume,
                                       .mode = options_.mode,
                                       .umask = options_.umask,
                                       .widest = options_.widest,
                                       .keep_attributes = options_.keep_attributes,
                                       .keep_mode = options_.keep_mode,
                                       .modified = options_.modified,
                                       .is_attacker_writable = place_.is_attacker_writable && geteuid() == 0,
                                       .replaced = exists_ ? std::optional(FileIdentity(status_)) : std::nullopt,
                                       .heir = options_.heir,
                                       .is_leftover = options_.is_leftover,
                                       .folder = options_.free_in,
                                       .needed = &needed_,
                                       .shared = options_.shared,
                                       .names = options_.names});
    if (options_.replaces) file_->replace_only(*options_.replaces);
    struct stat named {};
    if (!options_.made_up && ::lstat(name_.c_str(), &named) == 0 && S_ISLNK(named.st_mode)) linked_ = resolve_links(name_);
  }
}

// reserve_standard_descriptors puts /dev/null, opened only for reading, in the place of a closed descriptor: writing to it
// must fail.
bool Output::is_null() const {
  if (!S_ISCHR(status_.st_mode) || status_.st_rdev != makedev(1, 3) || !descriptor_.is_open()) return false;
  return (fcntl(descriptor_.get(), F_GETFL) & O_ACCMODE) != O_RDONLY;
}

void Output::write(Bytes in) {
  if (file_) return file_->append(in);
  if (held_back_) return held_back_->append(in);
  write_all(descriptor_.get(), in, name_);
}

// A link that was changed meanwhile leads to another file than the written one.
void Output::require_same_link() const {
  if (linked_.empty() || resolve_links(name_) == linked_) return;
  throw Error(ErrorCode::usage,
              name_ + " was a link to " + linked_ + ", and leads elsewhere now: both are left as they are");
}

void Output::commit() {
  if (file_) {
    require_same_link();
    file_->commit();
    return;
  }
  if (held_back_) held_back_->show(descriptor_.get());
  if (S_ISBLK(status_.st_mode) && !sync_whole(descriptor_.get())) throw_system_error("write", name_);
  if (!descriptor_.close()) throw_system_error("write", name_);
}

}  // namespace phalanx

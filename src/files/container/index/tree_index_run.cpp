#include "files/container/index/tree_index_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "engine/text/hex.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

// Writes a file a buffer at a time, and digests it.
class DigestedOutput {
 public:
  DigestedOutput(int descriptor, const std::string& name, std::uint64_t position)
      : descriptor_(descriptor), name_(name), position_(position) {}

  std::vector<std::uint8_t>& buffer() { return buffer_; }
  void write_if_full() {
    if (buffer_.size() >= buffer_bytes) write();
  }
  void write() {
    digest_.update(buffer_);
    write_at(descriptor_, buffer_, position_, name_);
    position_ += buffer_.size();
    buffer_.clear();
  }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] Sha256Digest finish() { return digest_.finish_bytes(); }

 private:
  int descriptor_;
  const std::string& name_;
  std::uint64_t position_;
  std::vector<std::uint8_t> buffer_;
  Sha256 digest_;
};

bool may_be_there(const TreeIndexRun::IsThere& is_there, const std::string& name) {
  try {
    return is_there(name);
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

TreeIndexRun::TreeIndexRun(const TreeIndexOptions& options)
    : options_(options), authenticator_(options.key), path_(resolve_links(file_named(options.path))) {
  if (!authenticator_.can_write())
    throw Error(ErrorCode::usage,
                "an index that is written needs a secret, or the key that signs: a public key writes none");
  if (authenticator_.signs() && !options_.digest) {
    throw Error(ErrorCode::usage,
                "an index that is signed needs the digest of each body: who verifies it may have no key that opens one");
  }
  open();
  const IndexReader reader(file_.get(), path_, authenticator_);
  reader.require_at_least(options_.at_least);
  tree_ = reader.read_tree();
  cut_bytes_ = reader.cut_bytes();
  end_ = reader.whole_bytes();
  generation_ = reader.generation();
  digest_ = reader.digest();
  changes_since_whole_ = reader.changes_since_whole();
  if (cut_bytes_ != 0 && !set_size(file_.get(), end_)) throw_system_error("write", path_);
  sync_folder_of(path_);
}

void TreeIndexRun::open() {
  require_index_there(path_, options_.at_least);
  struct stat status {};
  file_ = open_file(path_, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path_ + " is not a regular file: name another index");
  identity_ = FileIdentity(status);
  if (!lock_file(file_.get(), path_))
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on this tree");
  // The system's memory may still have bytes that an earlier run could not make durable.
  read_from_disk(file_.get());
}

void TreeIndexRun::require_name() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && FileIdentity(status) == identity_) return;
  throw Error(ErrorCode::runtime, path_ + " was moved, replaced or removed by another program: this run is not in an index");
}

bool TreeIndexRun::keep_if_known(const std::string& name, const BodyFacts& shown) {
  const std::lock_guard lock(mutex_);
  const auto found = tree_.find(name);
  if (found == tree_.end() || !found->second.body.is_same_body(shown)) return false;
  if (options_.digest && !found->second.body.sha256) return false;
  if (has_other_header(name, shown)) return false;
  found->second.is_seen = true;
  return true;
}

bool TreeIndexRun::lacks_header(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = tree_.find(name);
  return found != tree_.end() && !found->second.body.header;
}

void TreeIndexRun::put_header(const std::string& name, const Sha256Digest& header) {
  const std::lock_guard lock(mutex_);
  const auto found = tree_.find(name);
  if (found == tree_.end()) return;
  found->second.body.header = header;
  found->second.is_changed = true;
}

// Says whether the index has an entry of this body, with another header.
bool TreeIndexRun::has_other_header(const std::string& name, const BodyFacts& body) const {
  const auto found = tree_.find(name);
  if (found == tree_.end() || !found->second.body.is_same_body(body)) return false;
  return found->second.body.header && found->second.body.header != body.header;
}

// Says whether an earlier generation had this header, and no container has it now. The index is this run's: nobody else
// appends to it.
bool TreeIndexRun::is_former_header(const BodyFacts& body) {
  if (!body.header) return false;
  if (!former_headers_) {
    former_headers_.emplace();
    IndexReader(file_.get(), path_, authenticator_).for_each_change([&](std::uint64_t, const IndexChange& change) {
      if (change.body && change.body->header) former_headers_->insert(*change.body->header);
    });
    for (const auto& [name, container] : tree_) {
      if (container.body.header) former_headers_->erase(*container.body.header);
    }
  }
  return former_headers_->contains(*body.header);
}

bool TreeIndexRun::take_opened(const std::string& name, const BodyFacts& opened) {
  const std::lock_guard lock(mutex_);
  if (is_former_header(opened)) {
    strange_.older.insert(name);
    return false;
  }
  if (has_other_header(name, opened)) strange_.taken.insert(name);
  put_entry(name, opened);
  return true;
}

bool TreeIndexRun::admit_opened(const std::string& name, const BodyFacts& opened) {
  const std::lock_guard lock(mutex_);
  const auto found = tree_.find(name);
  if (found == tree_.end()) return false;
  if (!found->second.body.is_same_body(opened))
    throw Error(ErrorCode::authentication, "it is not the container that the index has for its name: it is left as it is");
  if (is_former_header(opened)) {
    throw Error(ErrorCode::authentication,
                "its header is of an earlier generation of the index, and was put back: it is left as it is; the next run "
                "that seals the folder with the index seals it anew");
  }
  if (has_other_header(name, opened)) strange_.taken.insert(name);
  return true;
}

TreeIndexRun::StrangeHeaders TreeIndexRun::strange_headers() const {
  const std::lock_guard lock(mutex_);
  return strange_;
}

void TreeIndexRun::put(const std::string& name, const BodyFacts& body) {
  const std::lock_guard lock(mutex_);
  put_entry(name, body);
}

// If a run does not compute a digest anew, the entry's digest stays where the body is the same.
void TreeIndexRun::put_entry(const std::string& name, const BodyFacts& body) {
  if (!is_index_name(name))
    throw Error(ErrorCode::usage, "the index takes no name of " + std::to_string(name.size()) + " bytes");
  const bool was_gone = gone_.erase(name) != 0;
  const auto [place, is_new] = tree_.try_emplace(name);
  IndexedContainer& container = place->second;
  container.is_seen = true;
  BodyFacts kept = body;
  if (!is_new && !was_gone && container.body.is_same_body(body)) {
    if (!kept.sha256) kept.sha256 = container.body.sha256;
    if (!kept.header) kept.header = container.body.header;
    if (kept.sha256 == container.body.sha256 && kept.header == container.body.header) return;
  }
  container.body = kept;
  container.is_changed = true;
}

void TreeIndexRun::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (tree_.erase(name) != 0) gone_.insert(name);
}

bool TreeIndexRun::has_put(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = tree_.find(name);
  return found != tree_.end() && found->second.is_seen;
}

bool TreeIndexRun::contains(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return tree_.contains(name);
}

bool TreeIndexRun::is_of_other_folder(const IsThere& is_there) const {
  const std::lock_guard lock(mutex_);
  const auto may_be = [&](const auto& entry) { return may_be_there(is_there, entry.first); };
  return !tree_.empty() && std::ranges::none_of(tree_, may_be);
}

void TreeIndexRun::forget_missing(const IsThere& is_there) {
  const std::lock_guard lock(mutex_);
  for (auto place = tree_.begin(); place != tree_.end();) {
    const bool stays = place->second.is_seen || may_be_there(is_there, place->first);
    if (!stays) gone_.insert(place->first);
    place = stays ? std::next(place) : tree_.erase(place);
  }
}

// Names come in their order. In a segment that is not whole, changed names and gone names come in turns.
void TreeIndexRun::for_each_new(bool is_whole, const Act& act) const {
  auto gone = gone_.begin();
  for (const auto& [name, container] : tree_) {
    if (!is_whole && !container.is_changed) continue;
    for (; !is_whole && gone != gone_.end() && *gone < name; ++gone) act(*gone, std::nullopt);
    act(name, container.body);
  }
  for (; !is_whole && gone != gone_.end(); ++gone) act(*gone, std::nullopt);
}

IndexHead TreeIndexRun::new_head(bool is_whole) const {
  IndexHead head{.authenticator = authenticator_.number(), .is_whole = is_whole, .generation = generation_ + 1};
  head.num_containers = tree_.size();
  head.key_id = authenticator_.id();
  head.before = digest_;
  for_each_new(is_whole, [&](const std::string& name, const auto& body) { head.change_bytes += change_bytes(name, body); });
  return head;
}

bool TreeIndexRun::is_to_be_whole() const {
  if (generation_ == 0) return true;
  return changes_since_whole_ + new_head(false).change_bytes > new_head(true).change_bytes;
}

// The authenticator is written once all before it is on the disk. So a missing end shows what a crash has left.
void TreeIndexRun::append(const IndexHead& head) {
  if (head.change_bytes > most_index_bytes - end_ - index_head_bytes - authenticator_bytes) {
    throw Error(ErrorCode::runtime, path_ + " would have more than " + std::to_string(most_index_bytes) +
                                        " bytes, the most that an index has: keep it, and begin another");
  }
  DigestedOutput output(file_.get(), path_, end_);
  const IndexHeadBytes bytes = encode_index_head(head);
  output.buffer().assign(bytes.begin(), bytes.end());
  for_each_new(head.is_whole, [&](const std::string& name, const auto& body) {
    append_change(name, body, output.buffer());
    output.write_if_full();
  });
  output.write();
  if (!sync_whole(file_.get())) throw_system_error("write", path_);
  const Sha256Digest digest = output.finish();
  const Authenticator authenticator = authenticator_.authenticate(digest);
  write_at(file_.get(), authenticator, output.position(), path_);
  if (!sync_whole(file_.get())) throw_system_error("write", path_);
  digest_ = digest;
  generation_ = head.generation;
  end_ = output.position() + authenticator.size();
}

IndexGeneration TreeIndexRun::finish() {
  const std::lock_guard lock(mutex_);
  require_name();
  try {
    append(new_head(is_to_be_whole()));
    require_name();
  } catch (...) {
    // A full disk must not leave a half segment.
    static_cast<void>(set_size(file_.get(), end_));
    throw;
  }
  return {.number = generation_,
          .digest = encode_hex(digest_),
          .num_containers = tree_.size(),
          .cut_bytes = cut_bytes_,
          .num_without_header = num_without_header(tree_),
          .num_headers_taken = strange_.taken.size(),
          .num_headers_older = strange_.older.size()};
}

}  // namespace phalanx

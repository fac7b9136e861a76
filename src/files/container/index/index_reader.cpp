#include "files/container/index/index_reader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

// Reads a file from a position on, by a buffer, and digests it on the way.
class DigestedFile {
 public:
  DigestedFile(int descriptor, const std::string& name, std::uint64_t position, std::size_t most_bytes = buffer_bytes)
      : descriptor_(descriptor), name_(name), position_(position), buffer_(std::min(most_bytes, buffer_bytes)) {}

  void read(MutableBytes out) {
    while (!out.empty()) {
      if (begin_ == end_) fill();
      const std::size_t size = std::min(out.size(), end_ - begin_);
      std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), size, out.begin());
      begin_ += size;
      digest_->update(out.first(size));
      out = out.subspan(size);
    }
  }
  void begin() { digest_.emplace(); }
  [[nodiscard]] Sha256Digest finish() { return digest_->finish_bytes(); }

 private:
  void fill() {
    begin_ = 0;
    end_ = read_at(descriptor_, buffer_, position_, name_);
    position_ += end_;
    if (end_ == 0) throw Error(ErrorCode::runtime, name_ + " became shorter while it was read");
  }

  int descriptor_;
  const std::string& name_;
  std::uint64_t position_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::optional<Sha256> digest_{std::in_place};
};

bool are_zeros(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool are_zeros(int descriptor, const std::string& name, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint8_t> bytes(buffer_bytes);
  while (begin < end) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - begin));
    if (!are_zeros(Bytes(bytes).first(read_at(descriptor, MutableBytes(bytes).first(size), begin, name)))) return false;
    begin += size;
  }
  return true;
}

}  // namespace

void require_index_there(const std::string& path, std::uint64_t at_least) {
  struct stat status {};
  if (at_least == 0 || ::stat(path.c_str(), &status) == 0 || errno != ENOENT) return;
  throw Error(ErrorCode::authentication,
              path + " is not there, and had the generation " + std::to_string(at_least) + " before: it was removed");
}

std::uint64_t num_without_header(const IndexedTree& tree) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(tree, [](const auto& entry) { return !entry.second.body.header.has_value(); }));
}

IndexReader::IndexReader(int descriptor, std::string name, const IndexAuthenticator& authenticator)
    : descriptor_(descriptor), name_(std::move(name)) {
  file_bytes_ = static_cast<std::uint64_t>(stamp_of(descriptor_, name_).size);
  try {
    if (file_bytes_ > most_index_bytes) {
      throw_damaged_index("it has " + std::to_string(file_bytes_) + " bytes, and no index has more than " +
                          std::to_string(most_index_bytes) +
                          ": something has made it longer; put a copy of it back, or begin another");
    }
    authenticate_all(authenticator);
  } catch (const Error& error) {
    throw Error(error, name_ + ": " + error.what());
  }
}

// Says whether a killed run has left a half segment: its end is missing, or was not written, as far as that shows.
bool IndexReader::is_torn(std::uint64_t position, const IndexHeadBytes& bytes, std::size_t num_bytes) const {
  if (bytes[0] == 0 && are_zeros(descriptor_, name_, position, file_bytes_)) return true;
  if (num_bytes < bytes.size() && begins_as_index_head(Bytes(bytes).first(num_bytes))) return true;
  if (position != 0 && !begins_as_index_head(bytes))
    throw_damaged_index("what follows its last segment is no beginning of another");
  if (num_bytes < bytes.size()) throw Error(ErrorCode::format, "this is no index of a tree: name another file");
  const std::uint64_t left = file_bytes_ - position - num_bytes, changes = parse_index_head(bytes).change_bytes;
  if (left < authenticator_bytes || left - authenticator_bytes < changes) return true;
  const bool is_last = left - authenticator_bytes == changes;
  return is_last && are_zeros(descriptor_, name_, file_bytes_ - authenticator_bytes, file_bytes_);
}

void IndexReader::require_next(const IndexHead& head, const IndexAuthenticator& authenticator) const {
  if (head.authenticator != authenticator.number() || head.key_id != authenticator.id()) {
    const bool is_signed = head.authenticator == 2;
    const char* const why = head.authenticator == authenticator.number() ? "of another key than the one that is given"
                            : is_signed                                  ? "signed, and a secret is given"
                                        : "under a secret, and another kind of key is given";
    throw Error(ErrorCode::wrong_key, std::string("this index is ") + why);
  }
  const bool is_next = head.generation == generation_ + 1 && head.before == digest_ && head.version >= version_;
  if (is_next && (generation_ != 0 || head.is_whole)) return;
  throw_damaged_index("a segment does not follow the one before it");
}

void IndexReader::authenticate_all(const IndexAuthenticator& authenticator) {
  std::vector<std::uint8_t> buffer(buffer_bytes);
  while (end_ < file_bytes_) {
    IndexHeadBytes bytes{};
    const std::size_t got = read_at(descriptor_, bytes, end_, name_);
    if (is_torn(end_, bytes, got)) return;
    const IndexHead head = parse_index_head(bytes);
    require_next(head, authenticator);
    const std::uint64_t digested_bytes = bytes.size() + head.change_bytes;
    DigestedFile file(descriptor_, name_, end_,
                      static_cast<std::size_t>(std::min<std::uint64_t>(digested_bytes, buffer_bytes)));
    file.begin();
    for (std::uint64_t left = digested_bytes; left > 0;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
      file.read(MutableBytes(buffer).first(size));
      left -= size;
    }
    const Sha256Digest digest = file.finish();
    const std::uint64_t behind = end_ + digested_bytes;
    Authenticator found{};
    if (read_at(descriptor_, found, behind, name_) != found.size() || !authenticator.is_authentic(digest, found))
      throw_damaged_index("generation " + std::to_string(head.generation) + " is not authentic");
    if (head.is_whole) last_whole_ = end_;
    changes_since_whole_ = head.is_whole ? 0 : changes_since_whole_ + head.change_bytes;
    generation_ = head.generation;
    version_ = head.version;
    digest_ = digest;
    end_ = behind + found.size();
  }
}

void IndexReader::require_at_least(std::uint64_t generation) const {
  if (generation_ >= generation) return;
  throw Error(ErrorCode::authentication, name_ + " has the generation " + std::to_string(generation_) + ", and " +
                                             std::to_string(generation) +
                                             " was there before: an older index was put in its place");
}

// The chain of digests ends with the last segment's, which was authenticated. So the bytes that are read again are the
// authenticated ones.
void IndexReader::read_segments(std::uint64_t from, const std::function<void(const IndexHead&)>& on_head,
                                const OnChange& on_change, const std::function<void(const IndexHead&)>& on_end) const {
  DigestedFile file(descriptor_, name_, from);
  Sha256Digest before{};
  bool is_first = true;
  for (std::uint64_t position = from; position < end_;) {
    IndexHeadBytes bytes{};
    file.begin();
    file.read(bytes);
    const IndexHead head = parse_index_head(bytes);
    if (!is_first && head.before != before) throw_damaged_index("it was changed while it was read");
    is_first = false;
    on_head(head);
    std::string last_name;
    for (std::uint64_t left = head.change_bytes; left > 0;) {
      IndexChange change = read_change(
          head.version, [&](MutableBytes out) { file.read(out); }, left);
      if (change.name <= last_name) throw_damaged_index("its names are out of order");
      if (head.is_whole && !change.body) throw_damaged_index("a whole segment has a name that has left");
      last_name = change.name;
      on_change(head.generation, std::move(change));
    }
    before = file.finish();
    on_end(head);
    Authenticator authenticator{};
    file.begin();
    file.read(authenticator);
    position += bytes.size() + head.change_bytes + authenticator.size();
  }
  if (before != digest_) throw_damaged_index("it was changed while it was read");
}

IndexedTree IndexReader::read_tree() const {
  IndexedTree tree;
  const auto on_head = [&](const IndexHead& head) {
    if (head.is_whole) tree.clear();
  };
  const auto on_end = [&](const IndexHead& head) {
    if (head.num_containers != tree.size()) throw_damaged_index("the number of its containers is another");
  };
  const auto on_change = [&](std::uint64_t, IndexChange&& change) {
    if (change.body) {
      tree.insert_or_assign(std::move(change.name), IndexedContainer{.body = *change.body});
    } else {
      tree.erase(change.name);
    }
  };
  if (generation_ != 0) read_segments(last_whole_, on_head, on_change, on_end);
  return tree;
}

void IndexReader::for_each_change(const OnChange& on_change) const {
  const auto nothing = [](const IndexHead&) {};
  if (generation_ != 0) read_segments(0, nothing, on_change, nothing);
}

}  // namespace phalanx

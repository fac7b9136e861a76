// The index of a tree: what runs put into it is read again; an index that was changed anywhere is refused, or is the one of an
// earlier run; and any bytes for the changes of a segment, authentic or not, give names that stay in the tree.
#include <fcntl.h>

#include <algorithm>
#include <map>

#include "files/container/index/tree_index_run.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

const Buffer secret(index_key_bytes, 7);

TreeIndexOptions index_at(const std::string& path) { return {.path = path, .key = {IndexKeyKind::secret, secret}}; }

IndexAuthenticator authenticator() { return IndexAuthenticator({IndexKeyKind::secret, secret}); }

BodyFacts take_body(FuzzedInput& input) {
  BodyFacts body;
  body.plain_bytes = input.below(std::size_t{1} << 40);
  std::ranges::copy(input.take(4), body.prefix.begin());
  if (input.flag()) body.sha256.emplace();
  if (input.flag()) body.header.emplace()[0] = body.prefix[0];
  return body;
}

std::string take_name(FuzzedInput& input) {
  const std::string name = input.text(1 + input.below(5));
  return is_index_name(name) ? name : "usual";
}

bool same_trees(const IndexedTree& one, const IndexedTree& other) {
  const auto alike = [](const auto& a, const auto& b) {
    const BodyFacts &one_body = a.second.body, &other_body = b.second.body;
    return a.first == b.first && one_body.is_same_body(other_body) && one_body.sha256 == other_body.sha256 &&
           one_body.header == other_body.header;
  };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), alike);
}

struct Read {
  std::uint64_t generation = 0;
  IndexedTree tree{};
};

Read read(const std::string& path) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  const IndexReader reader(file.get(), path, authenticator());
  const auto later = error_of([&] { reader.require_at_least(reader.generation() + 1); });
  require(later == ErrorCode::authentication, "an older index is told");
  reader.for_each_change(
      [](std::uint64_t, IndexChange&& change) { require(is_index_name(change.name), "a name stays in the tree"); });
  return {reader.generation(), reader.read_tree()};
}

// The tree after each run, the first one before any.
std::vector<IndexedTree> write(const std::string& path, FuzzedInput& input) {
  std::vector<IndexedTree> trees(1);
  for (std::size_t left = 1 + input.below(4); left > 0; --left) {
    TreeIndexRun run(index_at(path));
    IndexedTree tree = trees.back();
    for (std::size_t changes = input.below(5); changes > 0; --changes) {
      const std::string name = take_name(input);
      if (input.flag()) {
        const BodyFacts body = take_body(input);
        BodyFacts& entry = tree[name].body;
        BodyFacts kept = body;
        if (entry.is_same_body(body)) {
          if (!kept.sha256) kept.sha256 = entry.sha256;
          if (!kept.header) kept.header = entry.header;
        }
        entry = kept;
        run.put(name, body);
      } else {
        tree.erase(name);
        run.remove(name);
      }
    }
    require(run.finish().number == trees.size(), "every run counts");
    trees.push_back(tree);
  }
  return trees;
}

// How a segment differs from a first one of ours: its head, or what follows it, zeros as a killed run leaves them.
enum class OddHead : unsigned char {
  none,
  later,
  signs,
  unknown,
  other_key,
  no_whole,
  later_version,
  followed,
  zeros_follow
};

std::optional<ErrorCode> error_of_head(OddHead odd) {
  if (odd == OddHead::none || odd == OddHead::zeros_follow) return std::nullopt;
  if (odd == OddHead::later_version) return ErrorCode::format;
  return odd == OddHead::signs || odd == OddHead::other_key ? ErrorCode::wrong_key : ErrorCode::authentication;
}

// One authentic segment of any changes.
Buffer segment_of(Bytes changes, std::uint64_t num_containers, OddHead odd) {
  const IndexAuthenticator key = authenticator();
  IndexHead head{.is_whole = true, .num_containers = num_containers, .change_bytes = changes.size()};
  head.key_id = key.id();
  if (odd == OddHead::later) head.generation = 2;
  if (odd == OddHead::signs) head.authenticator = 2;
  if (odd == OddHead::unknown) head.authenticator = 3;
  if (odd == OddHead::other_key) head.key_id[0] ^= 1;
  if (odd == OddHead::no_whole) head.is_whole = false;
  IndexHeadBytes bytes = encode_index_head(head);
  if (odd == OddHead::later_version) ++bytes[8];
  Buffer all(bytes.begin(), bytes.end());
  all.insert(all.end(), changes.begin(), changes.end());
  Sha256 digest;
  digest.update(all);
  const Authenticator end = key.authenticate(digest.finish_bytes());
  all.insert(all.end(), end.begin(), end.end());
  if (odd == OddHead::followed || odd == OddHead::zeros_follow) {
    all.insert(all.end(), 2 * index_head_bytes, static_cast<std::uint8_t>(odd == OddHead::followed ? 'x' : 0));
  }
  return all;
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const ScratchFolder folder;
  const std::string path = (folder.path() / "index").string();
  std::filesystem::remove(path);
  FuzzedInput input(data, size);
  if (input.flag()) {
    const std::size_t choice = input.below(3 * 9);
    const std::size_t num_containers = choice % 3;
    const auto odd = static_cast<OddHead>(choice / 3);
    write_file(path, segment_of(input.take_rest(), num_containers, odd));
    const auto error = error_of([&] { require(read(path).tree.size() == num_containers, "as many as the head says"); });
    if (error_of_head(odd)) require(error == error_of_head(odd), "a head that is none of ours is refused");
    require(!error || error == error_of_head(odd) || error == ErrorCode::authentication, "what is no change is refused so");
    return 0;
  }
  require(error_of([&] { require_index_there(path, 1); }) == ErrorCode::authentication, "an index that is gone is missed");
  const std::vector<IndexedTree> trees = write(path, input);
  const Read whole = read(path);
  require(whole.generation + 1 == trees.size() && same_trees(whole.tree, trees.back()), "what was written is read again");
  const Buffer before = read_file(path), after = changed(before, input);
  write_file(path, after);
  Read found;
  const auto error = error_of([&] { found = read(path); });
  if (!error) require(same_trees(found.tree, trees.at(found.generation)), "what is read is the tree of that run");
  const bool is_refusal = error == ErrorCode::authentication || error == ErrorCode::format || error == ErrorCode::wrong_key;
  require(!error || (is_refusal && before != after), "only what was changed is refused");
  return 0;
}

// The index of a tree: what runs put into it is read again; an index that was changed anywhere is refused, or is the one of an
// earlier run; and any bytes for the changes of a segment, authentic or not, give names that stay in the tree.
#include <fcntl.h>

#include <algorithm>
#include <map>

#include "container/index/tree_index_run.hpp"
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
  return body;
}

std::string take_name(FuzzedInput& input) {
  const std::string name = input.text(1 + input.below(5));
  return is_index_name(name) ? name : "usual";
}

bool same_trees(const IndexedTree& one, const IndexedTree& other) {
  const auto alike = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.body.is_same_body(b.second.body) && a.second.body.sha256 == b.second.body.sha256;
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
        IndexedContainer& entry = tree[name];
        const bool keeps_digest = entry.body.is_same_body(body) && !body.sha256;
        if (!keeps_digest) entry.body = body;
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

// One authentic segment of any changes.
Buffer segment_of(Bytes changes, std::uint64_t num_containers) {
  const IndexAuthenticator key = authenticator();
  IndexHead head{.is_whole = true, .num_containers = num_containers, .change_bytes = changes.size()};
  head.key_id = key.id();
  const IndexHeadBytes bytes = encode_index_head(head);
  Buffer all(bytes.begin(), bytes.end());
  all.insert(all.end(), changes.begin(), changes.end());
  Sha256 digest;
  digest.update(all);
  const Authenticator end = key.authenticate(digest.finish_bytes());
  all.insert(all.end(), end.begin(), end.end());
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
    const std::uint64_t num_containers = input.below(3);
    write_file(path, segment_of(input.take_rest(), num_containers));
    const auto error = error_of([&] { require(read(path).tree.size() == num_containers, "as many as the head says"); });
    require(!error || error == ErrorCode::authentication, "what is no change is refused so");
    return 0;
  }
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

// The index of a tree by the library: vectors of an implementation of its own, seal_tree and verify_tree_index, and the memory
// that a hundred thousand containers take.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <phalanx/files/recipients.hpp>
#include <phalanx/files/trees.hpp>

#include "files/container/index/tree_index_run.hpp"
#include "tests/foreign/foreign_file.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

// As write_index.py has it.
std::string digest_of(const IndexedTree& tree) {
  Sha256 digest;
  for (const auto& [name, container] : tree) {
    std::vector<std::uint8_t> bytes(name.begin(), name.end());
    bytes.push_back(0);
    append_index_number(container.body.plain_bytes, 8, bytes);
    digest.update(bytes);
    digest.update(container.body.prefix);
    digest.update(container.body.last_tag);
    if (container.body.sha256) digest.update(*container.body.sha256);
    if (container.body.header) digest.update(*container.body.header);
  }
  return digest.finish();
}

IndexKey key_of(const Record& record, Bytes bytes) {
  const bool is_secret = record.text("authenticator") == "secret";
  return {.kind = is_secret ? IndexKeyKind::secret : IndexKeyKind::public_key, .bytes = bytes};
}

int code_of(ErrorCode code) { return code == ErrorCode::format ? 2 : static_cast<int>(code); }

// How many are refused, as they are to be.
std::size_t read_all_of(const std::string& file_name) {
  const TemporaryFolder folder;
  std::size_t num_wrong = 0;
  for (const Record& record : load_records(vectors_folder() / "index" / file_name)) {
    SCOPED_TRACE(record.where);
    const std::string path = folder.write("index", record.bytes("index"));
    const ByteVector key = record.bytes("key");
    const FileDescriptor file = open_file(path, O_RDONLY);
    try {
      const IndexReader reader(file.get(), path, IndexAuthenticator(key_of(record, key)));
      const IndexedTree tree = reader.read_tree();
      EXPECT_EQ(std::to_string(reader.generation()), record.text("generation"));
      EXPECT_EQ(to_hex(reader.digest()), record.text("digest"));
      EXPECT_EQ(std::to_string(reader.cut_bytes()), record.text("cut_bytes"));
      EXPECT_EQ(digest_of(tree), record.text("tree"));
    } catch (const Error& error) {
      ++num_wrong;
      EXPECT_TRUE(record.has("result")) << error.what();
      if (!record.has("result")) continue;
      EXPECT_EQ(std::to_string(code_of(error.code())), record.text("result")) << error.what();
    }
  }
  return num_wrong;
}

TEST(TreeIndexes, OfAnotherImplementationAreReadAndWrongOnesRefused) {
  EXPECT_GT(read_all_of("version_1.txt"), 20U);
  EXPECT_EQ(read_all_of("version_2.txt"), 5U);
}

// An index that a hole makes longer would have been read for hours.
TEST(TreeIndexes, OfMoreBytesThanAnyMayHaveAreRefusedUnread) {
  const TemporaryFolder folder;
  const ByteVector key(index_key_bytes, 3);
  const std::string path = folder.write("index", ByteVector{});
  const FileDescriptor file = open_file(path, O_RDWR);
  ASSERT_TRUE(set_size(file.get(), most_index_bytes + 1));
  try {
    const IndexReader reader(file.get(), path, IndexAuthenticator({IndexKeyKind::secret, key}));
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::authentication);
    EXPECT_NE(std::string(error.what()).find("has made it longer"), std::string::npos) << error.what();
  }
}

class TreeIndex : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), secret = varied(32, 2), signing = Buffer(32), public_key = Buffer(32);
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key};
  std::string from = folder.path_of("from"), to = folder.path_of("to");
  std::map<std::string, IndexedFile> told;

  TreeIndex() {
    make_index_keys(signing, public_key);
    fs::create_directories(from + "/a");
    folder.write("from/one", varied(100, 2));
    folder.write("from/a/two", varied(40'000, 3));
  }

  [[nodiscard]] TreeIndexOptions index(IndexKeyKind kind = IndexKeyKind::secret) const {
    const Buffer& bytes = kind == IndexKeyKind::secret ? secret : kind == IndexKeyKind::signing ? signing : public_key;
    return {.path = folder.path_of("index"), .key = {kind, bytes}};
  }
  SealTreeCounts seal(const TreeIndexOptions& index) {
    return seal_tree(from, to, "aes-256", {&recipient, 1}, {.update = TreeUpdate::by_time, .index = &index});
  }
  TreeIndexCounts verify(const TreeIndexOptions& index, bool opens = false) {
    told.clear();
    const auto tell = [&](const IndexedFile& file) { told[file.name] = file; };
    return verify_tree_index(to, index, {&identity, opens ? 1U : 0U}, tell);
  }
  [[nodiscard]] ErrorCode code_of_seal(const TreeIndexOptions& index) {
    try {
      seal(index);
    } catch (const Error& error) {
      return error.code();
    }
    throw std::runtime_error("it was taken");
  }
};

TEST_F(TreeIndex, SaysWhatEachNameHas) {
  const SealTreeCounts sealed = seal(index());
  EXPECT_EQ(sealed.index.number, 1U);
  EXPECT_EQ(sealed.index.num_containers, 2U);
  const TreeIndexCounts right = verify(index(), true);
  EXPECT_EQ(right.num_right, 2U);
  EXPECT_EQ(right.num_opened, 2U);
  EXPECT_EQ(right.generation.digest, sealed.index.digest);
  fs::rename(to + "/one.phalanx", to + "/x");
  fs::rename(to + "/a/two.phalanx", to + "/one.phalanx");
  fs::rename(to + "/x", to + "/a/two.phalanx");
  const TreeIndexCounts wrong = verify(index());
  EXPECT_EQ(wrong.num_wrong, 2U);
  EXPECT_EQ(told["one.phalanx"].outcome, IndexedAs::swapped);
  EXPECT_EQ(told["one.phalanx"].other, "a/two.phalanx");
  EXPECT_EQ(seal(index()).num_sealed, 2U);  // they are none of the index, whatever their size and time
  EXPECT_EQ(verify(index()).num_wrong, 0U);
}

TEST_F(TreeIndex, CoversHeaders) {
  const Buffer other = varied(32, 9);
  const Recipient added{KeyKind::key, other, {}};
  const std::string path = to + "/one.phalanx", saved = folder.path_of("saved");
  EXPECT_EQ(seal(index()).index.num_without_header, 0U);
  fs::copy_file(path, saved);
  static_cast<void>(change_recipients(path, {&identity, 1}, {.added = {added}}));
  const TreeIndexCounts changed = verify(index(), true);
  EXPECT_EQ(changed.num_headers_changed, 1U);
  EXPECT_EQ(changed.num_right, 1U);
  EXPECT_EQ(changed.num_wrong, 0U);
  EXPECT_EQ(told["one.phalanx"].outcome, IndexedAs::header_changed);
  EXPECT_EQ(told["one.phalanx"].generation, 1U);
  const SealTreeCounts taken = seal(index());  // it opens, and has the same content
  EXPECT_EQ(taken.num_unchanged, 2U);
  EXPECT_EQ(taken.index.num_headers_taken, 1U);
  EXPECT_EQ(verify(index()).num_right, 2U);
  const auto time = fs::last_write_time(path);
  fs::copy_file(saved, path, fs::copy_options::overwrite_existing);
  fs::last_write_time(path, time);
  const TreeIndexCounts back = verify(index(), true);
  EXPECT_EQ(back.num_wrong, 1U);
  EXPECT_EQ(told["one.phalanx"].outcome, IndexedAs::header_older);
  EXPECT_EQ(told["one.phalanx"].generation, 1U);
  const SealTreeCounts renewed = seal(index());
  EXPECT_EQ(renewed.num_sealed, 1U);
  EXPECT_EQ(renewed.index.num_headers_older, 1U);
  EXPECT_EQ(verify(index(), true).num_right, 2U);
}

TEST_F(TreeIndex, IsSignedWithDigestsOnly) {
  EXPECT_EQ(code_of_seal(index(IndexKeyKind::signing)), ErrorCode::usage);
  EXPECT_EQ(code_of_seal(index(IndexKeyKind::public_key)), ErrorCode::usage);
  TreeIndexOptions options = index(IndexKeyKind::signing);
  options.digest = true;
  seal(options);
  EXPECT_EQ(verify(index(IndexKeyKind::public_key)).num_digests, 2U);
  EXPECT_EQ(code_of_seal(index()), ErrorCode::wrong_key);
}

TEST_F(TreeIndex, IsNoOlderThanItShouldBe) {
  TreeIndexOptions options = index();
  options.at_least = 1;
  EXPECT_EQ(code_of_seal(options), ErrorCode::authentication);
  EXPECT_FALSE(fs::exists(options.path));
  seal(index());
  EXPECT_EQ(seal(options).index.number, 2U);
  options.at_least = 3;
  EXPECT_THROW(verify(options), Error);
}

TEST_F(TreeIndex, IsHeldByOneCallAtATime) {
  const TreeIndexRun run(index());
  EXPECT_EQ(code_of_seal(index()), ErrorCode::usage);
}

BodyFacts body_of(std::size_t number) {
  BodyFacts body;
  body.plain_bytes = number;
  for (std::size_t i = 0; i < 8; ++i) body.prefix[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return body;
}

std::string name_of(std::size_t number) { return "a folder/of a usual name/" + std::to_string(number) + ".phalanx"; }

// What was taken from the system by now, at most.
std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

TEST_F(TreeIndex, OfAHundredThousandContainersTakesLittleMemory) {
  constexpr std::size_t num_containers = 100'000, most_bytes = 500 * num_containers;
  const std::size_t before = peak_bytes();
  {
    TreeIndexRun run(index());
    for (std::size_t i = 0; i < num_containers; ++i) run.put(name_of(i), body_of(i));
    EXPECT_EQ(run.finish().num_containers, num_containers);
  }
  for (std::size_t night = 2; night <= 4; ++night) {
    TreeIndexRun run(index());
    for (std::size_t i = 0; i < num_containers; ++i) EXPECT_TRUE(run.keep_if_known(name_of(i), body_of(i)));
    EXPECT_EQ(run.finish().number, night);
  }
  EXPECT_LT(fs::file_size(index().path), 200 * num_containers);
  EXPECT_LT(peak_bytes() - before, most_bytes);
}

}  // namespace
}  // namespace phalanx::test

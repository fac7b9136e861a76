// tree_index.h: what it does is what C++ does; null pointers and impossible sizes are usage errors.
#include <gtest/gtest.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/trees.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()
#define ASSERT_OK(call) ASSERT_EQ(call, PHALANX_OK) << #call << ": " << phalanx_last_error()

class CTreeIndex : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), secret = varied(32, 2);
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string from = folder.path_of("from"), to = folder.path_of("to"), path = folder.path_of("index");
  phalanx_tree_index_options index = PHALANX_TREE_INDEX_OPTIONS_INIT;
  phalanx_index_generation appended = PHALANX_INDEX_GENERATION_INIT, found = PHALANX_INDEX_GENERATION_INIT;
  phalanx_tree_index_counts counts = PHALANX_TREE_INDEX_COUNTS_INIT;
  std::map<std::string, int> told;

  CTreeIndex() {
    fs::create_directories(from);
    folder.write("from/one", varied(100, 2));
    folder.write("from/two", varied(40'000, 3));
    index.path = path.c_str();
    index.key = secret.data();
    index.key_kind = PHALANX_INDEX_SECRET;
  }

  static int hear(void* user_data, const phalanx_indexed_file* file) {
    (*static_cast<std::map<std::string, int>*>(user_data))[file->name] = file->outcome;
    return 0;
  }
  int seal() {
    phalanx_seal_tree_options options = PHALANX_SEAL_TREE_OPTIONS_INIT;
    phalanx_seal_tree_counts sealed = PHALANX_SEAL_TREE_COUNTS_INIT;
    options.update = PHALANX_UPDATE_BY_TIME;
    options.bind_names = 1;
    options.index = &index;
    options.appended = &appended;
    return phalanx_seal_tree(from.c_str(), to.c_str(), "aes-256", &recipient, 1, &options, nullptr, nullptr, &sealed);
  }
  int verify(std::size_t num_identities = 0) {
    told.clear();
    phalanx_tree_index_verification verification = PHALANX_TREE_INDEX_VERIFICATION_INIT;
    verification.on_file = hear;
    verification.user_data = &told;
    return phalanx_verify_tree_index(to.c_str(), &index, &identity, num_identities, nullptr, &verification, nullptr, nullptr,
                                     &counts, &found);
  }
};

TEST_F(CTreeIndex, SaysWhatEachNameHas) {
  ASSERT_OK(seal());
  EXPECT_EQ(appended.number, 1U);
  EXPECT_EQ(appended.num_containers, 2U);
  ASSERT_OK(verify(1));
  EXPECT_EQ(counts.num_right, 2U);
  EXPECT_EQ(counts.num_opened, 2U);
  EXPECT_EQ(std::strlen(found.digest), 64U);
  EXPECT_STREQ(found.digest, appended.digest);
  fs::rename(to + "/one.phalanx", to + "/other.phalanx");
  fs::remove(to + "/two.phalanx");
  ASSERT_OK(verify());
  EXPECT_EQ(counts.num_wrong, 2U);
  EXPECT_EQ(told["one.phalanx"], PHALANX_INDEXED_RENAMED);
  EXPECT_EQ(told["two.phalanx"], PHALANX_INDEXED_REMOVED);
}

TEST_F(CTreeIndex, CoversHeaders) {
  const Buffer other = varied(32, 9);
  const phalanx_recipient added{sizeof(phalanx_recipient), PHALANX_KEY, other.data(), other.size(), 0, 0, 0};
  const std::string container = to + "/one.phalanx", saved = folder.path_of("saved");
  ASSERT_OK(seal());
  fs::copy_file(container, saved);
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  ASSERT_OK(phalanx_change_recipients(container.c_str(), &identity, 1, &added, 1, nullptr, 0, nullptr, nullptr, nullptr,
                                      &options, nullptr));
  ASSERT_OK(verify());
  EXPECT_EQ(counts.num_headers_changed, 1U);
  EXPECT_EQ(told["one.phalanx"], PHALANX_INDEXED_HEADER_CHANGED);
  ASSERT_OK(seal());
  EXPECT_EQ(appended.num_headers_taken, 1U);
  fs::copy_file(saved, container, fs::copy_options::overwrite_existing);
  ASSERT_OK(verify());
  EXPECT_EQ(counts.num_wrong, 1U);
  EXPECT_EQ(told["one.phalanx"], PHALANX_INDEXED_HEADER_OLDER);
}

TEST_F(CTreeIndex, IsNoOlderThanItShouldBe) {
  ASSERT_OK(seal());
  index.at_least = 2;
  EXPECT_EQ(verify(), PHALANX_AUTHENTICATION);
  index.at_least = 0;
  ASSERT_OK(seal());
  EXPECT_EQ(appended.number, 2U);
  index.at_least = 2;
  ASSERT_OK(verify());
}

TEST_F(CTreeIndex, IsSigned) {
  Buffer signing(PHALANX_INDEX_KEY_BYTES), public_key(PHALANX_INDEX_KEY_BYTES);
  ASSERT_OK(phalanx_make_index_keys(signing.data(), public_key.data()));
  index.key = signing.data();
  index.key_kind = PHALANX_INDEX_SIGNING;
  EXPECT_USAGE(seal());
  index.digest = 1;
  ASSERT_OK(seal());
  index.key = public_key.data();
  index.key_kind = PHALANX_INDEX_PUBLIC_KEY;
  ASSERT_OK(verify());
  EXPECT_EQ(counts.num_digests, 2U);
  index.key = secret.data();
  index.key_kind = PHALANX_INDEX_SECRET;
  EXPECT_EQ(verify(), PHALANX_WRONG_KEY);
}

TEST_F(CTreeIndex, RefusesWhatDoesNotFit) {
  ASSERT_OK(seal());
  const char* const name = to.c_str();
  EXPECT_USAGE(phalanx_make_index_keys(nullptr, secret.data()));
  EXPECT_USAGE(phalanx_make_index_keys(secret.data(), nullptr));
  EXPECT_USAGE(phalanx_verify_tree_index(nullptr, &index, nullptr, 0, nullptr, nullptr, nullptr, nullptr, &counts, nullptr));
  EXPECT_USAGE(phalanx_verify_tree_index(name, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr, &counts, nullptr));
  EXPECT_USAGE(phalanx_verify_tree_index(name, &index, nullptr, 1, nullptr, nullptr, nullptr, nullptr, &counts, nullptr));
  EXPECT_USAGE(phalanx_verify_tree_index(name, &index, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  phalanx_index_generation small = PHALANX_INDEX_GENERATION_INIT;
  small.struct_bytes = 8;
  EXPECT_USAGE(phalanx_verify_tree_index(name, &index, nullptr, 0, nullptr, nullptr, nullptr, nullptr, &counts, &small));
  for (const int kind : {0, 4}) {
    index.key_kind = kind;
    EXPECT_USAGE(verify());
  }
  index.key_kind = PHALANX_INDEX_SECRET;
  index.key = nullptr;
  EXPECT_USAGE(verify());
  index.key = secret.data();
  index.path = nullptr;
  EXPECT_USAGE(verify());
  EXPECT_USAGE(seal());
}

// The struct as it was before there was an index.
TEST_F(CTreeIndex, IsNotCutOffTheOptions) {
  phalanx_seal_tree_options options = PHALANX_SEAL_TREE_OPTIONS_INIT;
  phalanx_seal_tree_counts sealed = PHALANX_SEAL_TREE_COUNTS_INIT;
  options.struct_bytes = offsetof(phalanx_seal_tree_options, index);
  options.index = &index;
  EXPECT_USAGE(phalanx_seal_tree(from.c_str(), to.c_str(), "aes-256", &recipient, 1, &options, nullptr, nullptr, &sealed));
  EXPECT_EQ(sealed.num_sealed, 0U);
}

}  // namespace
}  // namespace phalanx::test

// trees.h: what it does is what C++ does; null pointers and impossible sizes are usage errors.
#include <gtest/gtest.h>
#include <phalanx/files/trees.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()
#define ASSERT_OK(call) ASSERT_EQ(call, PHALANX_OK) << #call << ": " << phalanx_last_error()

class CSealedTrees : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), one = varied(100, 2), two = varied(70'000, 3);
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string from = folder.path_of("from"), to = folder.path_of("to"), back = folder.path_of("back");
  phalanx_seal_tree_options sealing = PHALANX_SEAL_TREE_OPTIONS_INIT;
  phalanx_unseal_tree_options unsealing = PHALANX_UNSEAL_TREE_OPTIONS_INIT;
  phalanx_seal_tree_counts sealed = PHALANX_SEAL_TREE_COUNTS_INIT;
  phalanx_unseal_tree_counts opened = PHALANX_UNSEAL_TREE_COUNTS_INIT;
  std::vector<std::string> told;

  CSealedTrees() {
    fs::create_directories(from + "/a");
    folder.write("from/one", one);
    folder.write("from/a/two", two);
    chmod((from + "/one").c_str(), 0640);
    sealing.on_file = unsealing.on_file = hear;
    sealing.user_data = unsealing.user_data = &told;
  }

  static int hear(void* user_data, const phalanx_tree_file_result* file) {
    static_cast<std::vector<std::string>*>(user_data)->push_back(std::to_string(file->outcome) + ' ' +
                                                                 std::to_string(file->code) + ' ' + file->why);
    return 0;
  }
  int seal() {
    told.clear();
    return phalanx_seal_tree(from.c_str(), to.c_str(), "aes-256", &recipient, 1, &sealing, nullptr, nullptr, &sealed);
  }
  int unseal() {
    told.clear();
    return phalanx_unseal_tree(to.c_str(), back.c_str(), &identity, 1, nullptr, &unsealing, nullptr, nullptr, &opened);
  }
};

TEST_F(CSealedTrees, TellOfOtherRecipientsAndTakeThem) {
  const Buffer other = varied(32, 9);
  sealing.update = PHALANX_UPDATE_BY_TIME;
  ASSERT_OK(seal());
  EXPECT_STREQ(sealed.why_other_wish, "");
  recipient.secret = other.data();
  ASSERT_OK(seal());
  EXPECT_STRNE(sealed.why_other_wish, "");
  EXPECT_EQ(sealed.num_unchanged, 2U);
  sealing.update_recipients = 1;
  ASSERT_OK(seal());  // it opens none of them
  EXPECT_EQ(sealed.num_sealed, 2U);
  EXPECT_STREQ(sealed.why_other_wish, "");
}

TEST_F(CSealedTrees, ComeBack) {
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_sealed, 2U);
  EXPECT_EQ(told, (std::vector<std::string>{"1 0 ", "1 0 "}));
  ASSERT_OK(unseal());
  EXPECT_EQ(opened.num_opened, 2U);
  EXPECT_EQ(read_file(back + "/a/two"), two);
  struct stat status {};
  ASSERT_EQ(stat((back + "/one").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ASSERT_OK(phalanx_unseal_tree(to.c_str(), back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  EXPECT_EQ(opened.num_skipped, 2U);
}

TEST_F(CSealedTrees, AreUpdatedAndPruned) {
  ASSERT_OK(seal());
  sealing.update = PHALANX_UPDATE_BY_TIME;
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_unchanged, 2U);
  EXPECT_TRUE(told.empty());
  fs::remove_all(from + "/a");
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_gone, 1U);
  sealing.prune = 1;
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_removed, 1U);
  EXPECT_STREQ(sealed.why_not_removed, "");
  EXPECT_EQ(told, (std::vector<std::string>{"4 0 "}));
  fs::remove(from + "/one");
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_removed, 0U);
  EXPECT_EQ(sealed.num_newly_kept, 1U);
  EXPECT_EQ(sealed.num_gone, 1U);
  const char* const also[] = {"emptied"};
  sealing.prune_also = also;
  sealing.num_prune_also = 1;
  ASSERT_OK(seal());
  EXPECT_EQ(sealed.num_removed, 1U);
}

TEST_F(CSealedTrees, ExpectTheirRecord) {
  sealing.expect_tree = 1;
  EXPECT_EQ(seal(), PHALANX_USAGE);
  EXPECT_FALSE(fs::exists(to));
  sealing.expect_tree = 0;
  ASSERT_OK(seal());
  const char* const wrong[] = {"everything"};
  sealing.prune = 1;
  sealing.prune_also = wrong;
  sealing.num_prune_also = 1;
  EXPECT_EQ(seal(), PHALANX_USAGE);
}

TEST_F(CSealedTrees, TellOfWhatFails) {
  ASSERT_OK(seal());
  Buffer container = read_file(to + "/one.phalanx");
  container.back() ^= 1;
  folder.write("to/one.phalanx", container);
  ASSERT_OK(unseal());
  EXPECT_EQ(opened.num_opened, 1U);
  EXPECT_EQ(opened.num_failed, 1U);
  unsealing.on_file = [](void* /*user_data*/, const phalanx_tree_file_result* /*file*/) { return 1; };
  unsealing.replace = 1;
  EXPECT_EQ(unseal(), PHALANX_RUNTIME) << phalanx_last_error();
}

TEST_F(CSealedTrees, EndWhereTheyAreCancelled) {
  phalanx_cancellation* cancellation = nullptr;
  ASSERT_OK(phalanx_cancellation_new(&cancellation));
  phalanx_cancellation_cancel(cancellation);
  sealing.cancellation = cancellation;
  EXPECT_EQ(seal(), PHALANX_RUNTIME) << phalanx_last_error();
  phalanx_cancellation_free(cancellation);
}

TEST_F(CSealedTrees, RefuseWhatDoesNotFit) {
  const char* const name = from.c_str();
  EXPECT_USAGE(phalanx_seal_tree(nullptr, to.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_USAGE(phalanx_seal_tree(name, nullptr, "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_USAGE(phalanx_seal_tree(name, to.c_str(), nullptr, &recipient, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_USAGE(phalanx_seal_tree(name, to.c_str(), "aes-256", nullptr, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_USAGE(phalanx_seal_tree(name, to.c_str(), "aes-256", &recipient, 0, nullptr, nullptr, nullptr, &sealed));
  EXPECT_USAGE(phalanx_seal_tree(name, to.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_unseal_tree(nullptr, back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  EXPECT_USAGE(phalanx_unseal_tree(name, nullptr, &identity, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  EXPECT_USAGE(phalanx_unseal_tree(name, back.c_str(), nullptr, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  EXPECT_USAGE(phalanx_unseal_tree(name, back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  sealing.update = 3;
  EXPECT_USAGE(seal());
  sealing.update = PHALANX_UPDATE_BY_TIME;
  sealing.keep = 0;
  EXPECT_USAGE(seal());
  sealing.struct_bytes = 3;
  EXPECT_USAGE(seal());
  EXPECT_FALSE(fs::exists(to));
}

}  // namespace
}  // namespace phalanx::test

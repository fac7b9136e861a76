// seal_tree and unseal_tree: what the program's tests of --each prove by every sentence, here by the library's own interface.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <phalanx/files/trees.hpp>
#include <phalanx/files/verification.hpp>
#include <vector>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

class Trees : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), one = varied(100, 2), two = varied(70'000, 3);
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key};
  std::string from = folder.path_of("from"), to = folder.path_of("to"), back = folder.path_of("back");
  std::vector<TreeFileResult> told;

  Trees() {
    fs::create_directories(from + "/a");
    folder.write("from/one", one);
    folder.write("from/a/two", two);
    chmod((from + "/one").c_str(), 0640);
  }

  SealTreeCounts seal(SealTreeOptions options = {}) {
    told.clear();
    if (!options.on_file) options.on_file = [&](const TreeFileResult& file) { told.push_back(file); };
    return seal_tree(from, to, "aes-256", {&recipient, 1}, options);
  }
};

TEST_F(Trees, ComeBackWithModesAndTimes) {
  EXPECT_EQ(seal().num_sealed, 2U);
  EXPECT_EQ(told.size(), 2U);
  const UnsealTreeCounts counts = unseal_tree(to, back, {&identity, 1});
  EXPECT_EQ(counts.num_opened, 2U);
  EXPECT_EQ(counts.num_skipped, 0U);
  EXPECT_EQ(read_file(back + "/one"), one);
  EXPECT_EQ(read_file(back + "/a/two"), two);
  struct stat before {
  }, after{};
  ASSERT_EQ(stat((from + "/one").c_str(), &before), 0);
  ASSERT_EQ(stat((back + "/one").c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(after.st_mode & 0777U, 0640U);
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}).num_skipped, 2U);
}

TEST_F(Trees, TellOfOtherRecipientsAndTakeThem) {
  const Buffer other = varied(32, 9);
  const Recipient both[] = {recipient, {KeyKind::key, other, {}}};
  const Identity added{KeyKind::key, other};
  const auto night = [&](bool update_recipients) {
    return seal_tree(from, to, "aes-256", both, {.update = TreeUpdate::by_time, .update_recipients = update_recipients});
  };
  EXPECT_EQ(seal({.update = TreeUpdate::by_time}).why_other_wish, "");
  const SealTreeCounts told_of = night(false);
  EXPECT_EQ(told_of.num_unchanged, 2U);
  EXPECT_NE(told_of.why_other_wish.find("`update_recipients`"), std::string::npos) << told_of.why_other_wish;
  EXPECT_EQ(unseal_tree(to, back, {&added, 1}).num_failed, 2U);
  const SealTreeCounts taken = night(true);
  EXPECT_EQ(taken.num_unchanged, 2U);
  EXPECT_EQ(taken.why_other_wish, "");
  EXPECT_EQ(unseal_tree(to, back, {&added, 1}).num_opened, 2U);
  EXPECT_EQ(night(false).why_other_wish, "");
  EXPECT_THROW(seal({.update_recipients = true}), Error);
}

TEST_F(Trees, AreComparedWithWhatIsThere) {
  seal();
  static_cast<void>(unseal_tree(to, back, {&identity, 1}));
  const fs::file_time_type time = fs::last_write_time(back + "/one");
  const Buffer other = varied(one.size(), 9);
  folder.write("back/one", other);
  fs::last_write_time(back + "/one", time);
  const UnsealTreeCounts counts = unseal_tree(to, back, {&identity, 1});
  EXPECT_EQ(counts.num_failed, 1U);
  EXPECT_EQ(counts.num_skipped, 1U);
  EXPECT_EQ(read_file(back + "/one"), other);
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, {.update = TreeUpdate::by_time}).num_unchanged, 2U);
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, {.replace = true}).num_opened, 2U);
  EXPECT_EQ(read_file(back + "/one"), one);
}

TEST_F(Trees, AreLeftWhereTheyAreThereAsUpdateCompares) {
  seal();
  const auto restore = [&](TreeUpdate update, bool replace) {
    const UnsealTreeCounts counts = unseal_tree(to, back, {&identity, 1}, {.update = update, .replace = replace});
    return std::vector<std::uint64_t>{counts.num_opened, counts.num_unchanged, counts.num_failed, counts.num_skipped};
  };
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(restore(TreeUpdate::by_time, false), (Counts{2, 0, 0, 0}));
  EXPECT_EQ(restore(TreeUpdate::by_time, false), (Counts{0, 2, 0, 0}));
  const fs::file_time_type time = fs::last_write_time(back + "/one");
  fs::last_write_time(back + "/one", time + std::chrono::seconds(5));
  EXPECT_EQ(restore(TreeUpdate::by_time, false), (Counts{0, 1, 1, 0})) << "another time";
  EXPECT_EQ(restore(TreeUpdate::by_content, false), (Counts{0, 2, 0, 0})) << "and the same content";
  const Buffer other = varied(one.size(), 9);
  folder.write("back/one", other);
  fs::last_write_time(back + "/one", time);
  EXPECT_EQ(restore(TreeUpdate::by_time, true), (Counts{0, 2, 0, 0})) << "length and time are believed";
  EXPECT_EQ(restore(TreeUpdate::by_content, false), (Counts{0, 1, 1, 0}));
  EXPECT_EQ(read_file(back + "/one"), other);
  EXPECT_EQ(restore(TreeUpdate::by_content, true), (Counts{1, 1, 0, 0}));
  EXPECT_EQ(read_file(back + "/one"), one);
  EXPECT_THROW(static_cast<void>(unseal_tree(to, back, {&identity, 1}, {.update = TreeUpdate::by_time, .keep = false})),
               Error);
}

TEST_F(Trees, DoNotSealWhatIsHalfDone) {
  seal();
  const std::string journal = "phalanx journal4";  // as one begins
  folder.write("from/one.phalanx-journal", bytes_of(journal));
  folder.write("from/one", varied(100, 9));
  fs::last_write_time(from + "/one", fs::last_write_time(from + "/a/two") + std::chrono::seconds(9));
  const SealTreeCounts counts = seal({.update = TreeUpdate::by_time});
  EXPECT_EQ(counts.num_unfinished, 1U);
  EXPECT_EQ(counts.num_sealed, 0U);
  EXPECT_EQ(counts.num_unchanged, 1U);
  EXPECT_EQ(std::ranges::count(told, TreeFileAs::unfinished, &TreeFileResult::outcome), 1);
  static_cast<void>(unseal_tree(to, back, {&identity, 1}));
  EXPECT_EQ(read_file(back + "/one"), one) << "the container of before stays";
}

TEST_F(Trees, AreSealedAnewWhereTheyChanged) {
  seal();
  EXPECT_EQ(seal().num_skipped, 2U);
  EXPECT_EQ(seal({.update = TreeUpdate::by_time}).num_unchanged, 2U);
  EXPECT_EQ(seal({.update = TreeUpdate::by_content}).num_unchanged, 2U);
  EXPECT_TRUE(told.empty());
  folder.write("from/one", two);
  const SealTreeCounts counts = seal({.update = TreeUpdate::by_time});
  EXPECT_EQ(counts.num_sealed, 1U);
  EXPECT_EQ(counts.num_unchanged, 1U);
}

TEST_F(Trees, TellFileByFileWhatStandsForAnother) {
  fs::create_directories(from + "/b");
  const std::vector<std::string> names = {"one", "a/two", "a/three", "b/three"};
  folder.write("from/a/three", one);
  folder.write("from/b/three", one);
  EXPECT_EQ(seal({.bind_names = true}).num_sealed, 4U);
  UnsealTreeOptions options;
  options.on_file = [&](const TreeFileResult& file) { told.push_back(file); };
  told.clear();
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, options).num_opened, 4U);
  fs::remove_all(back);
  fs::rename(to + "/a/three.phalanx", to + "/x");
  fs::rename(to + "/b/three.phalanx", to + "/a/three.phalanx");
  fs::rename(to + "/x", to + "/b/three.phalanx");
  told.clear();
  const UnsealTreeCounts counts = unseal_tree(to, back, {&identity, 1}, options);
  EXPECT_EQ(counts.num_opened, 2U);
  EXPECT_EQ(counts.num_failed, 2U);
  for (const TreeFileResult& file : told) {
    if (file.outcome != TreeFileAs::failed) continue;
    EXPECT_EQ(file.code, ErrorCode::authentication);
    EXPECT_NE(file.why.find(file.path.find("/a/") != std::string::npos ? "'b/three'" : "'a/three'"), std::string::npos);
  }
  options.binding.any_name = true;
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, options).num_failed, 0U);
  // A part of the tree.
  options = {};
  options.replace = true;
  EXPECT_EQ(unseal_tree(to + "/a", back, {&identity, 1}, options).num_failed, 2U);
  options.binding.below = "a";
  EXPECT_EQ(unseal_tree(to + "/a", back, {&identity, 1}, options).num_failed, 1U) << "a/three is b/three";
}

TEST_F(Trees, AreSealedAnewWhereTheyAreNotBoundAsAsked) {
  EXPECT_EQ(seal({.bind_names = true}).num_sealed, 2U);
  const Buffer context = varied(8, 4);
  using enum TreeUpdate;
  EXPECT_EQ(seal({.update = by_time}).num_unchanged, 2U) << "what is bound to more than is asked for stays";
  EXPECT_EQ(seal({.update = by_content}).num_unchanged, 2U);
  EXPECT_EQ(seal({.update = by_content, .bind_names = true}).num_unchanged, 2U);
  fs::remove_all(to);
  EXPECT_EQ(seal().num_sealed, 2U);
  EXPECT_EQ(seal({.update = by_time, .bind_names = true}).num_sealed, 2U);
  EXPECT_EQ(seal({.update = by_time, .binding = {.context = context}, .bind_names = true}).num_sealed, 2U);
  EXPECT_EQ(seal({.update = by_content, .binding = {.context = context}, .bind_names = true}).num_unchanged, 2U);
  UnsealTreeOptions options;
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, options).num_failed, 2U);
  options.binding = {.context = context, .needs_name = true};
  EXPECT_EQ(unseal_tree(to, back, {&identity, 1}, options).num_opened, 2U);
}

TEST_F(Trees, LoseContainersOnlyWhereThatIsAskedFor) {
  seal();
  fs::remove_all(from + "/a");
  EXPECT_EQ(seal({.update = TreeUpdate::by_time}).num_gone, 1U);
  const SealTreeCounts counts = seal({.update = TreeUpdate::by_time, .prune = true});
  EXPECT_EQ(counts.num_removed, 1U);
  EXPECT_EQ(counts.why_not_removed, "");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].outcome, TreeFileAs::removed);
  EXPECT_FALSE(fs::exists(to + "/a"));
  fs::remove(from + "/one");
  const SealTreeCounts none = seal({.update = TreeUpdate::by_time, .prune = true});
  EXPECT_EQ(none.num_removed, 0U);
  EXPECT_EQ(none.num_newly_kept, 1U) << "nothing in the folder shows that it is the same";
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].outcome, TreeFileAs::kept);
  EXPECT_TRUE(fs::exists(to + "/one.phalanx"));
  EXPECT_EQ(seal({.update = TreeUpdate::by_time, .prune = true}).num_newly_kept, 0U) << "it was told";
  const std::vector<std::string> also = {"emptied"};
  EXPECT_EQ(seal({.update = TreeUpdate::by_time, .prune = true, .prune_also = also, .dry_run = true}).num_removed, 1U);
  EXPECT_TRUE(fs::exists(to + "/one.phalanx"));
  EXPECT_EQ(seal({.update = TreeUpdate::by_time, .prune = true, .prune_also = also}).num_removed, 1U);
  EXPECT_FALSE(fs::exists(to + "/one.phalanx"));
}

TEST_F(Trees, EndWhereTheirRecordIsExpected) {
  EXPECT_THROW(seal({.expect_tree = true}), Error);
  EXPECT_FALSE(fs::exists(to));
  seal();
  EXPECT_EQ(seal({.update = TreeUpdate::by_time, .expect_tree = true}).num_unchanged, 2U);
  const std::string other = folder.path_of("other");
  fs::copy(from, other, fs::copy_options::recursive);
  const SealTreeCounts counts =
      seal_tree(other, to, "aes-256", {&recipient, 1}, {.update = TreeUpdate::by_time, .renew_tree = true});
  EXPECT_EQ(counts.num_failed, 0U);
}

TEST_F(Trees, AreVerifiedWithoutAWordOfTheirMark) {
  seal();
  ASSERT_TRUE(fs::exists(to + "/.phalanx-tree"));
  const VerificationCounts counts = verify_containers({&to, 1}, {&identity, 1}, {});
  EXPECT_EQ(counts.num_authentic, 2U);
  EXPECT_EQ(counts.num_skipped, 0U);
}

TEST_F(Trees, MayHoldContainersOfSeveralSuites) {
  seal();
  const Buffer short_key = varied(16, 4);
  const Recipient other{KeyKind::key, short_key, {}};
  static_cast<void>(seal_tree(from + "/a", to + "/b", "aes-128", {&other, 1}));
  const Identity both[] = {identity, {KeyKind::key, short_key}};
  EXPECT_EQ(unseal_tree(to, back, both).num_opened, 3U);
  EXPECT_EQ(unseal_tree(to, folder.path_of("else"), {&identity, 1}).num_failed, 1U);
}

TEST_F(Trees, RefuseWhatDoesNotFit) {
  const auto refuses = [&](const SealTreeOptions& options) {
    try {
      seal(options);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  EXPECT_TRUE(refuses({.update = TreeUpdate::by_time, .replace = true}));
  EXPECT_TRUE(refuses({.update = TreeUpdate::by_time, .keep = false}));
  to = from + "/inside";
  EXPECT_TRUE(refuses({}));
  to = folder.path_of("to");
  from += "/one";
  EXPECT_TRUE(refuses({}));
  EXPECT_FALSE(fs::exists(to));
}

TEST_F(Trees, EndWhereTheCallerSaysSo) {
  struct Enough {};
  EXPECT_THROW(seal({.on_file = [](const TreeFileResult& /*file*/) { throw Enough(); }}), Enough);
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_THROW(seal({.cancellation = &cancellation}), Error);
}

}  // namespace
}  // namespace phalanx::test

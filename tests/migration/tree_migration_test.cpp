// migrate_tree: several formats, a manifest that it goes on from, what goes and what stays, and how a call is ended.
#include <chrono>
#include <cstddef>
#include <stdexcept>

#include "tests/migration/migrating_trees.hpp"

namespace phalanx::test {
namespace {

TEST_F(MigratingTrees, FindsWhatOpensEachFileAndGoesOn) {
  const TreeMigrationCounts counts = migrate({.sha256 = true});
  EXPECT_EQ(counts.num_done, 3U);
  EXPECT_EQ(counts.num_failed, 1U);
  EXPECT_EQ(counts.num_skipped, 1U);
  EXPECT_EQ(counts.num_left, 0U);
  EXPECT_EQ(opened("a"), text(1));
  EXPECT_EQ(opened("sub/b"), text(2));
  ASSERT_EQ(told.size(), 5U);
  EXPECT_EQ(told["a"].outcome, MigratedAs::done);
  EXPECT_TRUE(told["a"].verified);
  EXPECT_EQ(told["a"].doubt.sentence, "");
  EXPECT_EQ(told["a"].sha256.size(), 64U);
  EXPECT_EQ(told["a"].source_bytes, fs::file_size(from + "/a"));
  EXPECT_EQ(told["a"].container_bytes, fs::file_size(to + "/a.phalanx"));
  EXPECT_NE(told["sub/b"].found.find("format 2"), std::string::npos) << told["sub/b"].found;
  EXPECT_EQ(told["damaged"].outcome, MigratedAs::failed);
  EXPECT_NE(told["damaged"].why, "");
  EXPECT_EQ(told["link"].outcome, MigratedAs::skipped);
  const TreeMigrationCounts again = migrate();
  EXPECT_EQ(again.num_done, 0U);
  EXPECT_EQ(again.num_done_before, 3U);
  EXPECT_EQ(again.num_failed, 1U);
  EXPECT_EQ(told.count("a"), 0U);
}

TEST_F(MigratingTrees, RemovesWhatIsVouchedForOnlyIfItIsTold) {
  migrate();
  EXPECT_TRUE(fs::exists(from + "/a"));
  folder.write("old/noise", encrypt_old(formats[0], varied(70'007, 7)));  // padded by one byte
  const TreeMigrationCounts counts = migrate({.delete_source = true});
  EXPECT_EQ(counts.num_deleted, 3U);
  EXPECT_EQ(counts.num_doubtful, 1U);
  EXPECT_FALSE(fs::exists(from + "/a"));
  EXPECT_TRUE(told["a"].deleted);
  EXPECT_TRUE(fs::exists(from + "/noise"));
  EXPECT_NE(told["noise"].doubt.sentence, "");
  EXPECT_TRUE(fs::exists(from + "/damaged"));
  EXPECT_EQ(opened("a"), text(1));
  EXPECT_EQ(migrate().num_done_before, 1U) << "old files that are gone are not listed";
}

// Of containers that an earlier call made nobody can say for whom they are: the headers do not.
TEST_F(MigratingTrees, KeepsWhatAnEarlierCallSealedForPublicKeys) {
  const std::string old_key = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
                    new_key = "age1srl9ruwk2fsc5raestp6wg3g4mmpwczy4a3zj4kewyw8xvvyuuyqfj4ntt";
  const Recipient with_old[] = {recipient, {KeyKind::public_key, bytes_of(old_key), {}}};
  const Recipient with_new[] = {recipient, {KeyKind::public_key, bytes_of(new_key), {}}};
  EXPECT_EQ(migrate_tree(from, to, manifest, formats, "aes-256", with_old).num_done, 3U);
  TreeMigrationOptions options{.delete_source = true};
  options.on_migrated = [&](const TreeFileMigration& file) { told[file.name] = file; };
  const TreeMigrationCounts kept = migrate_tree(from, to, manifest, formats, "aes-256", with_new, options);
  EXPECT_EQ(kept.num_deleted, 0U);
  EXPECT_EQ(kept.num_kept, 3U);
  EXPECT_NE(told["a"].kept.find("recipient 2"), std::string::npos) << told["a"].kept;
  options.replace = true;
  EXPECT_EQ(migrate_tree(from, to, manifest, formats, "aes-256", with_new, options).num_deleted, 3U) << "made by this call";
}

TEST_F(MigratingTrees, RefusesWhatDoesNotFit) {
  EXPECT_THROW(migrate({.verify = false, .delete_source = true}), Error);
  EXPECT_THROW(migrate_tree(from, from + "/new", manifest, formats, "aes-256", {&recipient, 1}), Error);
  EXPECT_THROW(migrate_tree(from, to, manifest, {}, "aes-256", {&recipient, 1}), Error);
  migrate();
  EXPECT_THROW(migrate_tree(from, folder.path_of("other"), manifest, formats, "aes-256", {&recipient, 1}), Error);
}

TEST_F(MigratingTrees, EndsWhereTheCallerThrowsOrCancelsAndFailsNoFile) {
  const auto fails = [](auto&&...) { throw std::runtime_error("enough"); };
  EXPECT_THROW(migrate({.num_jobs = 1, .on_progress = fails}), std::runtime_error);
  EXPECT_TRUE(told.empty());
  Cancellation cancellation;
  EXPECT_THROW(migrate({.num_jobs = 1,
                        .on_progress = [&](std::uint64_t /*num_bytes*/) { cancellation.cancel(); },
                        .cancellation = &cancellation}),
               Error);
  EXPECT_THROW(migrate({.num_jobs = 1, .on_migrated = fails}), std::runtime_error);
  const TreeMigrationCounts counts = migrate();
  EXPECT_EQ(counts.num_done + counts.num_done_before, 3U);
  EXPECT_EQ(counts.num_failed, 1U);
}

// The manifest says what was taken off: whatever a later call takes off, each file keeps its one container.
TEST_F(MigratingTrees, TakesSuffixesOffOldNames) {
  fs::rename(from + "/a", from + "/a.tar.des3");
  fs::rename(from + "/c", from + "/c.tar.aes");
  folder.write("old/.des3", encrypt_old(formats[0], text(4)));
  const TreeMigrationOptions stripping{.strip_suffixes = {".des3", ".tar.aes", ".aes"}};
  EXPECT_EQ(preview_tree(from, to, manifest, formats, {.strip_suffixes = {".des3"}}).num_opening, 4U);
  EXPECT_EQ(migrate(stripping).num_done, 4U);
  EXPECT_EQ(told["a.tar.des3"].container, "a.tar.phalanx");
  EXPECT_EQ(told["c.tar.aes"].container, "c.phalanx") << "the longest that fits";
  EXPECT_EQ(told[".des3"].container, ".des3.phalanx") << "of which nothing else would be left";
  EXPECT_EQ(opened("a.tar"), text(1));
  EXPECT_EQ(opened("c"), text(3));
  EXPECT_EQ(opened("sub/b"), text(2));
  EXPECT_EQ(migrate().num_done_before, 4U);
  EXPECT_EQ(migrate({.strip_suffixes = {".tar.des3"}}).num_done_before, 4U);
  EXPECT_EQ(verify_tree(from, to, manifest, formats, {&identity, 1}).num_same, 4U);
  EXPECT_EQ(migrate({.delete_source = true}).num_deleted, 4U);
  EXPECT_EQ(opened("a.tar"), text(1));
  EXPECT_FALSE(fs::exists(to + "/a.tar.des3.phalanx"));
  EXPECT_EQ(verify_tree(from, to, manifest, formats, {&identity, 1}).num_same, 4U);
}

TEST_F(MigratingTrees, TellsOfContainersThatWouldHaveOneName) {
  fs::rename(from + "/a", from + "/x.des3");
  fs::rename(from + "/c", from + "/x.aes");
  const std::vector<std::string> both{".des3", ".aes"};
  EXPECT_EQ(preview_tree(from, to, manifest, formats, {.strip_suffixes = both}).num_failing, 3U);
  const TreeMigrationCounts counts = migrate({.replace = true, .delete_source = true, .strip_suffixes = both});
  EXPECT_EQ(counts.num_done, 1U);
  EXPECT_EQ(counts.num_failed, 3U);
  EXPECT_NE(told["x.aes"].why.find("as that of x.des3"), std::string::npos) << told["x.aes"].why;
  EXPECT_NE(told["x.des3"].why.find("as that of x.aes"), std::string::npos) << told["x.des3"].why;
  EXPECT_FALSE(fs::exists(to + "/x.phalanx"));
  EXPECT_EQ(migrate({.delete_source = true, .strip_suffixes = {".aes"}}).num_deleted, 2U) << "x.des3 keeps its name";
  folder.write("old/x", encrypt_old(formats[0], text(4)));
  EXPECT_EQ(migrate({.replace = true}).num_failed, 2U) << "x.phalanx is that of x.aes, which is gone";
  EXPECT_NE(told["x"].why.find("that of x.aes, as the manifest says"), std::string::npos) << told["x"].why;
  EXPECT_EQ(opened("x"), text(3));
  EXPECT_EQ(opened("x.des3"), text(1));
}

TEST_F(MigratingTrees, RefusesWhatIsNoSuffix) {
  for (const char* suffix : {"", "a/b", "des3"}) EXPECT_THROW(migrate({.strip_suffixes = {suffix}}), Error) << suffix;
}

class CTree : public CTrees {
 protected:
  int call(const phalanx_tree_migration_options* options) {
    return phalanx_migrate_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, "aes-256", &by_key, 1, options, nullptr,
                                nullptr, &counts);
  }

  phalanx_recipient by_key{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_tree_migration_counts counts = PHALANX_TREE_MIGRATION_COUNTS_INIT;
};

TEST_F(CTree, MigratesAsCPlusPlusDoes) {
  std::map<std::string, int> codes;
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.user_data = &codes;
  options.on_migrated = [](void* user_data, const phalanx_tree_file_migration* file) {
    (*static_cast<std::map<std::string, int>*>(user_data))[file->name] = file->skipped != 0 ? -1 : file->code;
    return 0;
  };
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(counts.num_done, 3U);
  EXPECT_EQ(counts.num_failed, 1U);
  EXPECT_EQ(codes["a"], PHALANX_OK);
  EXPECT_EQ(codes["link"], -1);
  EXPECT_GT(codes["damaged"], PHALANX_OK);
  EXPECT_EQ(opened("sub/b"), text(2));
  ASSERT_EQ(call(nullptr), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(counts.num_done_before, 3U);
}

TEST_F(CTree, VerifiesAndPreservesUnlessItIsToldNotTo) {
  const fs::file_time_type old_time = fs::last_write_time(from + "/a") - std::chrono::hours(10'000);
  fs::last_write_time(from + "/a", old_time);
  std::map<std::string, int> verified;
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.user_data = &verified;
  options.on_migrated = [](void* user_data, const phalanx_tree_file_migration* file) {
    (*static_cast<std::map<std::string, int>*>(user_data))[file->name] = file->verified;
    return 0;
  };
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(verified["a"], 1);
  EXPECT_EQ(fs::last_write_time(to + "/a.phalanx"), old_time);
  fs::remove_all(to);
  fs::remove(manifest);
  options.verify = options.preserve = 0;
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(verified["a"], 0);
  EXPECT_NE(fs::last_write_time(to + "/a.phalanx"), old_time);
}

TEST_F(CTree, TakesSuffixesOff) {
  fs::rename(from + "/a", from + "/a.tar.des3");
  const char* const suffixes[] = {".aes", ".des3"};
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.strip_suffixes = suffixes;
  options.num_strip_suffixes = 2;
  std::map<std::string, std::string> containers;
  options.user_data = &containers;
  options.on_migrated = [](void* user_data, const phalanx_tree_file_migration* file) {
    (*static_cast<std::map<std::string, std::string>*>(user_data))[file->name] = file->container;
    return 0;
  };
  options.num_strip_suffixes = 0;
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(containers["a.tar.des3"], "a.tar.des3.phalanx");
  options.num_strip_suffixes = 2;
  fs::remove_all(to);
  fs::remove(manifest);
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(containers["a.tar.des3"], "a.tar.phalanx");
  EXPECT_EQ(opened("a.tar"), text(1));
  options.strip_suffixes = nullptr;
  EXPECT_EQ(call(&options), PHALANX_USAGE);
}

TEST_F(CTree, AppendsToAnIndex) {
  const std::string path = folder.path_of("index");
  phalanx_tree_index_options index = PHALANX_TREE_INDEX_OPTIONS_INIT;
  phalanx_index_generation appended = PHALANX_INDEX_GENERATION_INIT;
  index.path = path.c_str();
  index.key = key.data();
  index.key_kind = PHALANX_INDEX_SECRET;
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.index = &index;
  options.appended = &appended;
  options.struct_bytes = offsetof(phalanx_tree_migration_options, index);
  EXPECT_EQ(call(&options), PHALANX_USAGE) << "there was no smaller version";
  options.struct_bytes = sizeof options;
  ASSERT_EQ(call(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(appended.number, 1U);
  EXPECT_EQ(appended.num_containers, 3U);
}

TEST_F(CTree, EndsWhereItsFunctionSaysSoAndTakesNoNullPointer) {
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.on_migrated = [](void*, const phalanx_tree_file_migration*) { return 1; };
  EXPECT_EQ(call(&options), PHALANX_RUNTIME);
  list[1] = nullptr;
  EXPECT_EQ(call(nullptr), PHALANX_USAGE);
  const auto migrate_null = [&](const char* old, const phalanx_foreign_format* const* some, std::size_t number,
                                phalanx_tree_migration_counts* place) {
    return phalanx_migrate_tree(old, to.c_str(), manifest.c_str(), some, number, "aes-256", &by_key, 1, nullptr, nullptr,
                                nullptr, place);
  };
  EXPECT_EQ(migrate_null(nullptr, list, 1, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), nullptr, 1, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), list, SIZE_MAX - 7, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), list, 1, nullptr), PHALANX_USAGE);
}

}  // namespace
}  // namespace phalanx::test

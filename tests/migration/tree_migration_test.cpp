// migrate_tree: several formats, a manifest that it goes on from, what goes and what stays, and how a call is ended.
#include <gtest/gtest.h>
#include <phalanx/migration.h>

#include <filesystem>
#include <map>
#include <phalanx/migration.hpp>
#include <stdexcept>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

Buffer text(int number) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "This is line " + std::to_string(i) + " of text " + std::to_string(number) + ".\n";
  return {lines.begin(), lines.end()};
}

class MigratingTrees : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer first_key = varied(24, 1), second_key = varied(32, 2), iv = varied(8, 3), long_iv = varied(16, 4),
         key = varied(32, 5);
  std::vector<ForeignFormat> formats{{.cipher = "des-ede3-cbc", .key = first_key, .iv = iv},
                                     {.cipher = "aes-256-cbc", .key = second_key, .iv = long_iv}};
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key};
  std::string from = folder.path_of("old"), to = folder.path_of("new"), manifest = folder.path_of("manifest");
  std::map<std::string, TreeFileMigration> told;

  MigratingTrees() {
    fs::create_directories(from + "/sub");
    folder.write("old/a", encrypt_old(formats[0], text(1)));
    folder.write("old/sub/b", encrypt_old(formats[1], text(2)));
    folder.write("old/c", encrypt_old(formats[1], text(3)));
    folder.write("old/damaged", varied(99, 6));
    fs::create_symlink("a", from + "/link");
  }

  TreeMigrationCounts migrate(TreeMigrationOptions options = {}) {
    told.clear();
    if (!options.on_migrated) options.on_migrated = [&](const TreeFileMigration& file) { told[file.name] = file; };
    return migrate_tree(from, to, manifest, formats, "aes-256", {&recipient, 1}, options);
  }

  [[nodiscard]] Buffer opened(const std::string& name) const {
    const ContainerReader reader(to + '/' + name + ".phalanx", {&identity, 1});
    Buffer read(reader.size());
    reader.read(0, read);
    return read;
  }
};

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
  EXPECT_EQ(told["a"].doubt, "");
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
  EXPECT_NE(told["noise"].doubt, "");
  EXPECT_TRUE(fs::exists(from + "/damaged"));
  EXPECT_EQ(opened("a"), text(1));
  EXPECT_EQ(migrate().num_done_before, 1U) << "old files that are gone are not listed";
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

class CTree : public MigratingTrees {
 protected:
  static phalanx_foreign_format in_c(const ForeignFormat& format) {
    phalanx_foreign_format given = PHALANX_FOREIGN_FORMAT_INIT;
    given.cipher = format.cipher.c_str();
    given.key = format.key.data();
    given.key_bytes = format.key.size();
    given.iv = format.iv.data();
    given.iv_bytes = format.iv.size();
    return given;
  }

  int call(const phalanx_tree_migration_options* options) {
    return phalanx_migrate_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, "aes-256", &by_key, 1, options, nullptr,
                                &counts);
  }

  phalanx_foreign_format first = in_c(formats[0]), second = in_c(formats[1]);
  const phalanx_foreign_format* list[2] = {&first, &second};
  phalanx_recipient by_key{PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_tree_migration_counts counts = PHALANX_TREE_MIGRATION_COUNTS_INIT;
};

TEST_F(CTree, MigratesAsCPlusPlusDoes) {
  std::map<std::string, int> codes;
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.context = &codes;
  options.on_migrated = [](void* context, const phalanx_tree_file_migration* file) {
    (*static_cast<std::map<std::string, int>*>(context))[file->name] = file->skipped != 0 ? -1 : file->code;
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

TEST_F(CTree, EndsWhereItsFunctionSaysSoAndTakesNoNullPointer) {
  phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
  options.on_migrated = [](void*, const phalanx_tree_file_migration*) { return 1; };
  EXPECT_EQ(call(&options), PHALANX_RUNTIME);
  list[1] = nullptr;
  EXPECT_EQ(call(nullptr), PHALANX_USAGE);
  const auto migrate_null = [&](const char* old, const phalanx_foreign_format* const* some, std::size_t number,
                                phalanx_tree_migration_counts* place) {
    return phalanx_migrate_tree(old, to.c_str(), manifest.c_str(), some, number, "aes-256", &by_key, 1, nullptr, nullptr,
                                place);
  };
  EXPECT_EQ(migrate_null(nullptr, list, 1, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), nullptr, 1, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), list, SIZE_MAX - 7, &counts), PHALANX_USAGE);
  EXPECT_EQ(migrate_null(from.c_str(), list, 1, nullptr), PHALANX_USAGE);
}

}  // namespace
}  // namespace phalanx::test

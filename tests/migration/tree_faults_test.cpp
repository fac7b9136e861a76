// migrate_tree where something else stands at a container's name, an old file changes, or another call is at work: in C++ and C.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "files/system/file_descriptor.hpp"
#include "tests/migration/migrating_trees.hpp"

namespace phalanx::test {
namespace {

class TreeFaults : public CTrees {
 protected:
  TreeFaults() { fs::create_directories(to + "/sub"); }

  [[nodiscard]] std::string out_of(const std::string& name) const { return to + '/' + name + ".phalanx"; }

  // That one alone fails, and by C too.
  void expect_failure_of(const std::string& name) {
    EXPECT_EQ(migrate().num_failed, 2U) << "with the damaged one";
    EXPECT_EQ(told[name].outcome, MigratedAs::failed);
    EXPECT_TRUE(fs::exists(from + '/' + name));
    std::map<std::string, int> codes;
    phalanx_tree_migration_options options = PHALANX_TREE_MIGRATION_OPTIONS_INIT;
    options.user_data = &codes;
    options.on_migrated = [](void* user_data, const phalanx_tree_file_migration* file) {
      (*static_cast<std::map<std::string, int>*>(user_data))[file->name] = file->code;
      return 0;
    };
    options.replace = 1;
    const phalanx_recipient by_key{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
    phalanx_tree_migration_counts counts = PHALANX_TREE_MIGRATION_COUNTS_INIT;
    ASSERT_EQ(phalanx_migrate_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, "aes-256", &by_key, 1, &options,
                                   nullptr, nullptr, &counts),
              PHALANX_OK)
        << phalanx_last_error();
    EXPECT_GT(codes[name], PHALANX_OK);
    EXPECT_TRUE(fs::exists(from + '/' + name));
  }
};

TEST_F(TreeFaults, APipeAtAContainersNameGetsNothing) {
  ASSERT_EQ(mkfifo(out_of("a").c_str(), 0600), 0);
  const FileDescriptor reading(open(out_of("a").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  expect_failure_of("a");
  char byte = 0;
  EXPECT_EQ(read(reading.get(), &byte, 1), 0) << "nobody writes, and nothing was written";
}

TEST_F(TreeFaults, ASocketOrAFolderAtAContainersNameStays) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(out_of("a").size(), sizeof address.sun_path);
  std::strcpy(static_cast<char*>(address.sun_path), out_of("a").c_str());
  const FileDescriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_failure_of("a");
  EXPECT_TRUE(fs::is_socket(out_of("a")));
  fs::remove(out_of("a"));
  fs::create_directory(out_of("a"));
  expect_failure_of("a");
}

TEST_F(TreeFaults, NoLinkIsFollowedAtAContainersNameOrOnTheWay) {
  folder.write("elsewhere", varied(5, 8));
  fs::create_symlink(folder.path_of("elsewhere"), out_of("a"));
  expect_failure_of("a");
  EXPECT_EQ(read_file(folder.path_of("elsewhere")), varied(5, 8));
  fs::remove(out_of("a"));
  fs::remove_all(to + "/sub");
  fs::remove(manifest);
  folder.write("old/sub/b", encrypt_old(formats[1], text(2)));
  folder.write("old/a", encrypt_old(formats[0], text(1)));
  fs::create_directory(folder.path_of("aside"));
  fs::create_symlink(folder.path_of("aside"), to + "/sub");
  expect_failure_of("sub/b");
  EXPECT_TRUE(fs::is_empty(folder.path_of("aside")));
}

TEST_F(TreeFaults, ContainersGetWhatTheirOldFilesHave) {
  const auto old_time = fs::last_write_time(from + "/a") - std::chrono::hours(24 * 365);
  fs::last_write_time(from + "/a", old_time);
  fs::permissions(from + "/a", fs::perms(0640));
  const mode_t before = umask(022);
  EXPECT_EQ(migrate().num_done, 3U);
  EXPECT_EQ(fs::last_write_time(out_of("a")), old_time);
  EXPECT_EQ(fs::status(out_of("a")).permissions(), fs::perms(0640));
  fs::remove(out_of("a"));
  migrate({.preserve = false});
  EXPECT_NE(fs::last_write_time(out_of("a")), old_time);
  EXPECT_EQ(fs::status(out_of("a")).permissions(), fs::perms(0644));
  umask(before);
}

TEST_F(TreeFaults, AnOldFileThatChangesMeanwhileFailsAndStays) {
  const Buffer other = encrypt_old(formats[0], text(9));
  const auto change = [&](std::uint64_t /*num_bytes*/) { folder.write("old/a", other); };
  fs::remove_all(from + "/sub");
  fs::remove(from + "/c");
  EXPECT_EQ(migrate({.num_jobs = 1, .on_progress = change}).num_done, 0U);
  EXPECT_NE(told["a"].why.find("changed while it was read"), std::string::npos) << told["a"].why;
  EXPECT_EQ(read_file(from + "/a"), other);
  EXPECT_FALSE(fs::exists(out_of("a")));
}

TEST_F(TreeFaults, AnotherCallOverTheSameManifestIsRefused) {
  int num_refused = 0;
  const auto again = [&](const TreeFileMigration& /*file*/) {
    try {
      static_cast<void>(migrate_tree(from, to, manifest, formats, "aes-256", {&recipient, 1}));
    } catch (const Error& error) {
      num_refused += error.code() == ErrorCode::usage ? 1 : 0;
    }
  };
  EXPECT_EQ(migrate({.on_migrated = again}).num_done, 3U);
  EXPECT_EQ(num_refused, 5);
}

TEST_F(TreeFaults, AContainerWhoseOldFileIsGoneIsNeverReplaced) {
  migrate({.delete_source = true});
  ASSERT_FALSE(fs::exists(from + "/a"));
  folder.write("old/a", encrypt_old(formats[0], text(9)));
  EXPECT_EQ(migrate({.replace = true}).num_failed, 2U);
  EXPECT_EQ(opened("a"), text(1));
  EXPECT_TRUE(fs::exists(from + "/a"));
}

}  // namespace
}  // namespace phalanx::test

// list_recipients and change_recipients: the header changes, the chunks do not, and nothing is lost.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/recipients.hpp>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;
std::size_t header_bytes_of(const Buffer& container) { return 12 + (std::size_t{container[10]} << 8 | container[11]) + 64; }
constexpr ScryptCost cheap{.log2_n = 10, .r = 8, .p = 1};

class Recipients : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), other_key = varied(32, 2), plain = varied(200'000, 3);
  Buffer passphrase{'o', 'p', 'e', 'n'};
  Identity identity{KeyKind::key, key}, other{KeyKind::key, other_key}, spoken{KeyKind::passphrase, passphrase};
  std::string path = folder.path_of("container");

  Recipients() {
    const Recipient recipients[] = {{KeyKind::key, key, {}}, {KeyKind::passphrase, passphrase, cheap}};
    static_cast<void>(seal_file(folder.write("in", plain), path, "aes-256", recipients));
  }

  ChangedRecipients change(const Identity& by, const RecipientChanges& changes, const RecipientOptions& options = {}) const {
    return change_recipients(path, {&by, 1}, changes, options);
  }
  ErrorCode failure(const Identity& by, const RecipientChanges& changes, const RecipientOptions& options = {}) const {
    const Buffer before = read_file(path);
    try {
      change(by, changes, options);
    } catch (const Error& error) {
      EXPECT_EQ(read_file(path), before);
      EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  [[nodiscard]] bool opens(const Identity& by) const {
    try {
      const ContainerReader reader(path, {&by, 1});
      Buffer read(reader.size());
      reader.read(0, read);
      return read == plain;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wrong_key);
      return false;
    }
  }
};

TEST_F(Recipients, AreListedWithoutAKey) {
  const std::vector<ListedRecipient> listed = list_recipients(path);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_TRUE(listed[0].is(KeyKind::key));
  EXPECT_EQ(listed[0].scrypt_bytes, 0U);
  EXPECT_TRUE(listed[1].is(KeyKind::passphrase));
  EXPECT_EQ(listed[1].cost.log2_n, cheap.log2_n);
  EXPECT_EQ(listed[1].scrypt_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(list_recipients(read_file(path)).size(), 2U);
  EXPECT_THROW((void)list_recipients(folder.path_of("in")), Error);
}

TEST_F(Recipients, AreAddedAndRemovedAtOnce) {
  const ChangedRecipients changed = change(spoken, {.added = {{KeyKind::key, other_key, {}}}, .removed = {1}});
  EXPECT_EQ(changed.num_recipients, 2U);
  EXPECT_EQ(changed.num_changes, 2U);
  EXPECT_EQ(changed.num_other_names, 0U);
  EXPECT_EQ(changed.lost_attributes, Names());
  EXPECT_FALSE(opens(identity));
  EXPECT_TRUE(opens(other));
  EXPECT_TRUE(opens(spoken));
  EXPECT_EQ(folder.names(), (Names{"container", "in"}));
}

TEST_F(Recipients, StayWhereTheChangeDoesNotFit) {
  EXPECT_EQ(failure(identity, {}), ErrorCode::usage);
  EXPECT_EQ(failure(identity, {.removed = {3}}), ErrorCode::usage);
  EXPECT_EQ(failure(identity, {.removed = {0}}), ErrorCode::usage);
  EXPECT_EQ(failure(identity, {.removed = {1, 2}}), ErrorCode::usage) << "nobody could open it";
  EXPECT_EQ(failure(other, {.removed = {1}}), ErrorCode::wrong_key);
  EXPECT_EQ(failure(identity, {.added = {{KeyKind::key, Bytes(key).first(16), {}}}}), ErrorCode::usage);
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_EQ(failure(identity, {.removed = {2}}, {.cancellation = &cancellation}), ErrorCode::runtime);
  EXPECT_EQ(folder.names(), (Names{"container", "in"}));
}

// As many of each kind as are removed: the header has its size, and takes its place in the file.
TEST_F(Recipients, OfEqualSizeChangeInPlace) {
  const std::string link = folder.path_of("link");
  ASSERT_EQ(::link(path.c_str(), link.c_str()), 0);
  const std::array<timespec, 2> times{timespec{.tv_sec = 1'000'000, .tv_nsec = 5},
                                      timespec{.tv_sec = 2'000'000, .tv_nsec = 7}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  const Buffer before = read_file(path);
  const ChangedRecipients changed = change(identity, {.added = {{KeyKind::key, other_key, {}}}, .removed_by = {identity}});
  EXPECT_TRUE(changed.in_place);
  EXPECT_EQ(changed.num_other_names, 0U);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_nlink, 2U) << "another file has the name";
  EXPECT_EQ(status.st_mtim.tv_sec, 2'000'000);
  EXPECT_EQ(status.st_mtim.tv_nsec, 7);
  const Buffer after = read_file(path);
  ASSERT_EQ(after.size(), before.size());
  const auto first_chunk = static_cast<std::ptrdiff_t>(header_bytes_of(before));
  EXPECT_TRUE(std::equal(after.begin() + first_chunk, after.end(), before.begin() + first_chunk));
  EXPECT_FALSE(opens(identity));
  EXPECT_TRUE(opens(other));
  EXPECT_EQ(folder.names(), (Names{"container", "in", "link"}));
}

TEST_F(Recipients, TellThoseWhoCopyHowFarTheyAre) {
  std::uint64_t told_bytes = 0;
  EXPECT_FALSE(
      change(identity, {.removed = {2}}, {.on_progress = [&](std::uint64_t bytes) { told_bytes += bytes; }}).in_place);
  EXPECT_GT(told_bytes, plain.size());
}

TEST_F(Recipients, AreKnownByWhatTheyOpenWith) {
  const Identity both[] = {spoken, other};
  EXPECT_EQ(recipients_opened_by(path, {&identity, 1}), (std::vector<std::size_t>{1}));
  EXPECT_EQ(recipients_opened_by(path, both), (std::vector<std::size_t>{2}));
  EXPECT_EQ(recipients_opened_by(read_file(path), {&other, 1}), std::vector<std::size_t>());
  EXPECT_EQ(recipients_opened_by(path, {&spoken, 1}, {.one_passphrase = 1000}), std::vector<std::size_t>())
      << "it costs more";
  EXPECT_EQ(change(identity, {.removed_by = {spoken}}).num_recipients, 1U);
  EXPECT_EQ(failure(identity, {.added = {{KeyKind::key, other_key, {}}}, .removed_by = {spoken}}), ErrorCode::usage);
}

TEST_F(Recipients, AreNotAddedTwice) {
  const Buffer before = read_file(path);
  const ChangedRecipients none =
      change(identity, {.added = {{KeyKind::key, key, {}}, {KeyKind::passphrase, passphrase, cheap}}});
  EXPECT_EQ(none.already, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(none.num_changes, 0U);
  EXPECT_EQ(none.num_recipients, 2U);
  EXPECT_EQ(read_file(path), before);
  const ChangedRecipients one = change(identity, {.added = {{KeyKind::key, other_key, {}}, {KeyKind::key, other_key, {}}}});
  EXPECT_EQ(one.already, std::vector<std::size_t>{1});
  EXPECT_EQ(one.num_recipients, 3U);
}

TEST_F(Recipients, OfOtherNamesStayAsTheyWere) {
  const std::string link = folder.path_of("link");
  ASSERT_EQ(::link(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(change(identity, {.removed = {2}}).num_other_names, 1U);
  EXPECT_EQ(list_recipients(path).size(), 1U);
  EXPECT_EQ(list_recipients(link).size(), 2U);
}

// What a killed change left is replaced; what a killed sealing left may be worth going on with.
TEST_F(Recipients, GoOnAfterAKillOfTheirOwnKindAlone) {
  folder.write("container.phalanx-partial", Bytes(read_file(path)).first(100'000));
  change(identity, {.removed = {2}});
  EXPECT_EQ(folder.names(), (Names{"container", "in"}));
  const Buffer foreign = varied(100'000, 5);
  folder.write("container.phalanx-partial", foreign);
  EXPECT_EQ(failure(identity, {.added = {{KeyKind::key, other_key, {}}}}), ErrorCode::usage);
  EXPECT_EQ(read_file(folder.path_of("container.phalanx-partial")), foreign);
}

}  // namespace
}  // namespace phalanx::test

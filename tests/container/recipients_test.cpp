// list_recipients and change_recipients: the header changes, the chunks do not, and nothing is lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <phalanx/container_file.hpp>
#include <phalanx/recipients.hpp>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;
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
    seal_file(folder.write("in", plain), path, "aes-256", recipients);
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
  std::uint64_t told_bytes = 0;
  const ChangedRecipients changed = change(spoken, {.added = {{KeyKind::key, other_key, {}}}, .removed = {1}},
                                           {.on_progress = [&](std::uint64_t num_bytes) { told_bytes += num_bytes; }});
  EXPECT_EQ(changed.num_recipients, 2U);
  EXPECT_EQ(changed.num_other_names, 0U);
  EXPECT_EQ(changed.lost_attributes, Names());
  EXPECT_GT(told_bytes, plain.size());
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

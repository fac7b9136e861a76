// What a record keeps of whom containers were sealed for: the same wish is known again, whatever its salt, and no other one is
// taken for it.
#include "files/container/trees/tree_wish.hpp"

#include <gtest/gtest.h>

#include "engine/chunked/suite.hpp"
#include "engine/text/characters.hpp"
#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

class TreeWish : public testing::Test {
 protected:
  Buffer key = varied(32, 1), other = varied(32, 2), word = varied(12, 3);
  ContainerJob job;

  TreeWish() {
    job.suite = &find_suite("aes-256");
    job.recipients = {{KeyKind::key, key, {}}, public_key("age1lvyvwawkr0mcnnnncaghunadrqkmuf9e6507x9y920xxpp866cnql7dp2z")};
  }
  static Recipient public_key(std::string_view text) { return {KeyKind::public_key, bytes_of(text), {}}; }
};

TEST_F(TreeWish, IsKnownAgain) {
  const std::string wish = make_tree_wish(job, false);
  EXPECT_NE(make_tree_wish(job, false), wish);  // another salt
  EXPECT_TRUE(is_tree_wish(wish, job, false));
  std::swap(job.recipients.front(), job.recipients.back());
  EXPECT_TRUE(is_tree_wish(wish, job, false));
}

TEST_F(TreeWish, OfOthersIsAnother) {
  const std::string wish = make_tree_wish(job, false);
  EXPECT_FALSE(is_tree_wish(wish, job, true));
  const auto is_same = [&](const auto& change) {
    ContainerJob changed = job;
    change(changed);
    return is_tree_wish(wish, changed, false);
  };
  EXPECT_FALSE(is_same([](ContainerJob& changed) { changed.suite = &find_suite("serpent-256"); }));
  EXPECT_FALSE(is_same([&](ContainerJob& changed) { changed.binding.context = other; }));
  EXPECT_FALSE(is_same([](ContainerJob& changed) { changed.recipients.pop_back(); }));
  EXPECT_FALSE(is_same([&](ContainerJob& changed) { changed.recipients.push_back(changed.recipients.back()); }));
  EXPECT_FALSE(is_same([&](ContainerJob& changed) { changed.recipients.front().secret = other; }));
  EXPECT_FALSE(is_same([&](ContainerJob& changed) {
    changed.recipients.back() = public_key("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj");
  }));
  EXPECT_FALSE(is_same([&](ContainerJob& changed) { changed.recipients.front().kind = KeyKind::passphrase; }));
}

TEST_F(TreeWish, OfAPassphraseGoesThroughScrypt) {
  job.recipients = {{KeyKind::passphrase, word, {}}};
  const std::string wish = make_tree_wish(job, false);
  EXPECT_NE(wish.find(":17:"), std::string::npos) << wish;
  EXPECT_TRUE(is_tree_wish(wish, job, false));
  job.recipients.front().secret = other;
  EXPECT_FALSE(is_tree_wish(wish, job, false));
}

// Who can write to the folder makes the record say what he likes: nothing of that costs more than a container may.
TEST_F(TreeWish, ThatIsNoneIsAnother) {
  const std::string wish = make_tree_wish(job, false), salt = wish.substr(0, 32), digest = wish.substr(36);
  ASSERT_EQ(salt + ":17:" + digest, wish);
  for (const std::string& none :
       {std::string(), std::string(mixed_wish), salt, salt + ":17", salt + "::" + digest, salt + ":0:" + digest,
        salt + ":63:" + digest, salt + ":-1:" + digest, salt + ":17x:" + digest, salt + ":17:", salt + ":17:" + digest + "0",
        "zz" + salt.substr(2) + ":17:" + digest, salt + ":16:" + digest, digest + ":17:" + salt}) {
    EXPECT_FALSE(is_tree_wish(none, job, false)) << none;
  }
}

}  // namespace
}  // namespace phalanx::test
